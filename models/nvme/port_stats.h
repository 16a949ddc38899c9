// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a controller counts of its I/O queues.
#pragma once

#include "models/common/types.h"

namespace tlmssd::nvme {

/// Counted since the start.
struct PortStats {
    u64 submission_bells = 0;
    u64 completion_bells = 0;
    u64 fetches = 0;  ///< reads of submission queues
    u64 commands = 0; ///< entries fetched
    u64 lists = 0;    ///< commands whose PRP list or SGL segments were fetched
    u64 completions = 0;
    u32 most_waiting = 0; ///< entries in all submission queues that had not been fetched

    /// Counts since `before`; most_waiting stays.
    PortStats since(const PortStats& before) const
    {
        PortStats s = *this;
        s.submission_bells -= before.submission_bells;
        s.completion_bells -= before.completion_bells;
        s.fetches -= before.fetches;
        s.commands -= before.commands;
        s.lists -= before.lists;
        s.completions -= before.completions;
        return s;
    }
};

} // namespace tlmssd::nvme
