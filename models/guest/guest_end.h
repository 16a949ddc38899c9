// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how a guest's run has ended, and what was counted in it.
#pragma once

#include "models/common/types.h"

namespace tlmssd::guest {

/// Why a guest's run has ended.
enum class GuestEnd : u8 {
    PoweredOff, ///< it has closed its connections
    Absent,     ///< its process has ended before it connected
    Halted,     ///< neither it nor the device has anything left to do
    Failed,     ///< the model has stopped
    Cut,        ///< the device's supply was cut, as asked for
    Interrupted ///< by a signal to this process
};

struct GuestCounts {
    u64 accesses = 0, interrupts = 0, calls = 0, runs = 0;
    u64 time_ns = 0;   ///< simulated
    u64 behind_ns = 0; ///< by how much it is behind wall time, where it follows that
};

} // namespace tlmssd::guest
