// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what an application reads when it is launched (docs/guides/launches.md). Synthetic.
#pragma once

#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/workload.h"

namespace tlmssd::workload {

/// One read of a launch and the CPU burst before it.
struct LaunchRead {
    u64 lba = 0;
    u32 sectors = 0;
    bool metadata = false;
    Picoseconds burst;
};

/// The sequence of one application, the same in each launch but for noise and detours.
class LaunchPlan {
public:
    /// No two reads of a plan overlap. All bursts together are the CPU time, to the picosecond.
    LaunchPlan(const config::Workload& workload, u64 device_sectors, u64 seed, u32 app);

    const std::vector<LaunchRead>& reads() const { return reads_; }
    Picoseconds last_burst() const { return last_burst_; } ///< behind the last read
    /// Launch `number` (from 0) of the application is one with a detour.
    bool detours(u32 number) const;
    /// Read `i` of launch `number`: as recorded, or at another place of the same size.
    LaunchRead read(u32 number, u32 i) const;
    /// It is another one.
    bool elsewhere(u32 number, u32 i) const;

private:
    u64 place(u64 word, u32 sectors) const;

    u64 seed_; ///< of the application
    u64 first_; ///< sector of the region
    u64 sectors_;
    u32 noise_;
    u32 detour_;
    std::vector<LaunchRead> reads_;
    Picoseconds last_burst_;
};

} // namespace tlmssd::workload
