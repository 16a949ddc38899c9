// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host measures.
#pragma once

#include <string>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/observe/histogram.h"

namespace tlmssd::host {

/// Sum and number of durations; exact.
struct MeanTime {
    unsigned __int128 sum_ps = 0;
    u64 count = 0;
    void record(Picoseconds t)
    {
        sum_ps += t.value();
        ++count;
    }
    double mean_ps() const
    {
        return count == 0 ? 0.0 : static_cast<double>(sum_ps) / static_cast<double>(count);
    }
};

/// Reads or writes that have ended.
struct DirectionStats {
    u64 count = 0;
    u64 bytes = 0;
    observe::Histogram latency;  ///< tag issue to completion
    observe::Histogram response; ///< arrival to completion
    void record(u64 n, Picoseconds latency_time, Picoseconds response_time)
    {
        ++count;
        bytes += n;
        latency.record(latency_time);
        response.record(response_time);
    }
};

/// Commands that the device ended with an error, as a device with bad flash may.
struct DeviceErrors {
    u64 reads = 0;
    u64 writes = 0;
    u64 others = 0; ///< FLUSH, TRIM
    u64 all() const { return reads + writes + others; }
};

/// One unit that arrived with another tag or other bytes than expected, or a command that ended
/// wrongly.
struct Failure {
    u64 lba = 0; ///< first sector of the unit, or of the command
    Picoseconds when;
    std::string text;
};

/// Requests that have ended since the start or restart_statistics(): of one job, or of all.
struct RequestStats {
    DirectionStats reads;
    DirectionStats writes;
    u64 flushes = 0;
    u64 trims = 0;
    MeanTime flush_latency;
    MeanTime trim_latency;
    MeanTime queue_wait;           ///< arrival to tag issue, all requests
    MeanTime queue_wait_when_full; ///< of those that found the queue full: no tag was free, or an
                                   ///< earlier request of the job still waited, when they arrived
    DeviceErrors device_errors;    ///< counted nowhere else where the device may have cause

    u64 requests() const { return reads.count + writes.count + flushes + trims; }
};

/// Of all jobs.
struct InitiatorStats : RequestStats {
    static constexpr std::size_t kFailuresKept = 100;

    u64 units_checked = 0;
    u64 bytes_checked = 0; ///< `data: full`
    u64 mismatches = 0; ///< units with a wrong tag, or with wrong bytes under a right one
    u64 errors = 0; ///< commands that broke a rule: ended without all their data, moved others, or
                    ///< ended with an error where the device has no cause for one
    std::vector<Failure> failures; ///< the first kFailuresKept of both
    Picoseconds started;           ///< of the workload, or restart_statistics()
    Picoseconds last_arrival;      ///< of the open-loop request that was issued last; 0: none
    Picoseconds last_latency;      ///< its latency
    Picoseconds last_completion;
    unsigned __int128 outstanding_ps = 0; ///< integral of the number of commands in the device

    /// Mean number of commands in the device from `started` to `last_completion`.
    double mean_outstanding() const
    {
        const Picoseconds span = last_completion - started;
        return span.value() == 0 ? 0.0
                                 : static_cast<double>(outstanding_ps) /
                                       static_cast<double>(span.value());
    }
};

} // namespace tlmssd::host
