// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: packages, stages and the slowest requests in results.json.
#pragma once

#include <optional>

#include "models/observe/own_statistics.h"
#include "models/probes/stages/package_tracker.h"
#include "models/probes/stages/slowest_requests.h"

namespace tlmssd::probes {

/// The part of `flash` that comes from observe.packages; absent: it is off.
const observe::Table<std::optional<PackageCounters>>& package_statistics();
/// The part of an element of `flash.channels` that comes from observe.packages; absent: it is off.
const observe::Table<std::optional<Picoseconds>>& occupied_statistics();

/// `stages`.
struct StageReading {
    StageReading(const observe::StageSums& of_reads, const observe::StageSums& of_writes)
        : all(of_reads), reads(of_reads), writes(of_writes)
    {
        all.merge(of_writes);
    }
    observe::StageSums all, reads, writes;
};
const observe::Table<StageReading>& stage_statistics();

/// An element of `worst`. Times are from `origin`, the start of the workload.
struct SlowReading {
    WorstRequest request;
    CauseDevice device;
    Picoseconds origin;
};
const observe::Table<SlowReading>& slowest_statistics();

/// "read", "write", "flush", "trim" or "unknown": of a host command.
const char* kind_of(u8 opcode);

} // namespace tlmssd::probes
