// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: executes the firmware's steps: the interface of native code and of the ISS.
#pragma once

#include "firmware/core/fw.h"
#include "models/common/types.h"
#include "models/cpu/hal_if.h"

namespace tlmssd::cpu {

/// The firmware, booted, on some processor. A step runs from the dispatch of its first event to
/// `wfi`, in no simulated time; Cpu (cpu.h) gives its outputs their times. Calls never overlap: one
/// executor runs the steps of all cores.
class ExecutorIf {
public:
    virtual ~ExecutorIf() = default;

    /// Outputs go to `hal`, and events come from it, from the next step on.
    virtual void connect(HalIf& hal) = 0;
    /// Run one step; returns its cycles. Throws what the HalIf threw, and ModelError where the
    /// firmware traps or does not end its step.
    virtual u64 step(u32 core, u64 now_us) = 0;
    /// Cycles that the step in progress has used before the HAL call in progress. The reference
    /// stays valid.
    virtual const u64& step_cycles() const = 0;
    /// A command for sector `lba` has arrived: what it needs may be fetched. Changes no result.
    virtual void hint(u64 lba) = 0;
    /// The flash operation of `tag` has ended, and its OOB record is in DRAM: the same.
    virtual void hint_completion(u32 tag) = 0;
    /// fw_fill() (firmware/boot/firmware.h). False: nothing has changed; an ISS has to run the writes.
    virtual bool fill(u32 turns, u32 commands) = 0;
    /// No command, operation or message is inside.
    virtual bool idle() = 0;
    /// Bit n: hal_probe(n) is wanted.
    virtual void set_probing(u32 mask) = 0;
    /// Counters to zero, but for factory_bad.
    virtual void clear_stats() = 0;
    /// The firmware's state as others look at it: configuration and OOB records; counters and the
    /// queue lengths that waves show are those after the last step. The ISS keeps a copy of no more.
    virtual const fw& state() const = 0;
    /// Bring the erase counts of state() up to date, for fw_wear().
    virtual void refresh_wear() = 0;
};

} // namespace tlmssd::cpu
