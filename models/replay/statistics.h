// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: replay.json as one table.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/flash/statistics.h"
#include "models/observe/catalogue.h"
#include "models/observe/histogram.h"
#include "models/replay/op_replay.h"

namespace tlmssd::replay {

/// The outcome of the operations of a stream.
struct OperationReading {
    explicit OperationReading(const OpReplay& replay);

    u64 recorded, completed, delayed, retagged;
    std::array<u64, FLASH_STATUS_ABORTED + 1> statuses{};          ///< completions; a replay aborts nothing
    std::array<observe::Histogram, FLASH_OP_RESET + 1> by_opcode; ///< arrival to completion
    observe::Histogram all, start_wait;
};

/// The operations that started on a die.
struct DieOrder {
    u64 operations = 0;
    u64 passed = 0;
    std::string order; ///< hash
};

/// All that replay.json is made from.
struct ReplayReading {
    const config::Config& config;
    std::string status;
    double wall_seconds;
    u64 timer_callbacks;
    bool closed, rtl_latencies;
    Picoseconds time;
    OperationReading operations;
    flash::SegmentStatistics segments;
    std::vector<DieOrder> dies;
    u64 violations;
};

const observe::Table<ReplayReading>& replay_statistics();
/// For its schema and its reference.
observe::Document replay_document();

} // namespace tlmssd::replay
