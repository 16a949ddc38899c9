// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: named values of the wave file's signals. waves/filters/*.txt are made from these.
#pragma once

#include "models/common/types.h"
#include "models/observe/fst/waves.h"

namespace tlmssd::probes {

enum class BusPhase : u8 {
    Idle,    ///< CE# high
    Select,  ///< CE# low, before the first cycle: tCS, and the wait after an earlier burst (tRHW)
    Command,
    Address,
    Wait,    ///< between cycles and burst: tADL, tCCS, tWHR, tRR, tRHW, DDR preamble and postamble
    DataIn,
    DataOut
};

enum class DieState : u8 {
    Idle,
    Queue,     ///< tDBSY: a plane of a multi-plane operation is taken
    Read,
    Program,
    Erase,
    Cache,     ///< a cache operation: R/B# may be high while the array works
    Suspended, ///< a program or erase waits for its resume
    Reset,
    Feature    ///< SET or GET FEATURES
};

enum class PlaneState : u8 {
    Idle,
    DataIn,   ///< from the first byte into the page register to the confirm
    Gathered, ///< waits for the other planes of its operation
    Read,
    Loaded,   ///< read, and not yet fetched
    DataOut,
    Program,
    Erase,
    Suspended
};

enum class ControllerState : u8 {
    Idle,    ///< no operation inside
    Working,
    Full     ///< it has refused an operation and not made space since
};

enum class SchedulerState : u8 {
    Idle,    ///< nothing inside
    Working, ///< all that came is at the controller
    Holding, ///< operations wait, by policy or for a page
    Full     ///< operations wait, and no flash tag is free
};

inline constexpr u32 kOpcodeBits = 9;
inline constexpr u32 kNoOpcode = 0x100; ///< no command since CE# fell
inline constexpr u32 kOwnerBits = 16;
inline constexpr u32 kNoOwner = 0xffff;
inline constexpr u32 kCeBits = 8;
inline constexpr u32 kNoCe = 0xff;
inline constexpr u32 kNoOperation = 0;
inline constexpr u32 kNoStream = 2;

/// The enum types of a wave file; one object a file, before its signals.
struct WaveNames {
    explicit WaveNames(observe::Waves& waves);

    u32 bus_phase, opcode, owner, ce, direction, operation, stream;
    u32 die_state, plane_state, controller_state, scheduler, scheduler_state;
};

} // namespace tlmssd::probes
