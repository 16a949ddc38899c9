// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: READ ID, parameter page, unique ID, and the features of a target.
#pragma once

#include "models/nand/target/command_sequence.h"
#include "models/nand/target/target_luns.h"
#include "models/nand/target/target_output.h"

namespace tlmssd::nand {

/// Commands whose answer does not come from the array. They end their sequence.
class RegisterCommands {
public:
    /// All references outlive it. `number`: the target's number over the device.
    RegisterCommands(TargetLuns& luns, CommandSequence& sequence, TargetOutput& output,
                     Features& features, const Device& device, u32 number)
        : luns_(luns), sequence_(sequence), output_(output), features_(features), device_(device),
          number_(number)
    {
    }

    /// 90h, ECh, EDh and their one address.
    void read(u8 first);
    /// EEh and its address, or (`of_lun`) D4h and LUN and address.
    void get_features(bool of_lun);
    /// The four bytes after EFh or D5h.
    void set_features(bool of_lun, const onfi::Segment& segment);

private:
    bool addressed(bool of_lun, TimedLun*& lun, u8& address);
    /// The sequence broke a rule: its rest has no effect.
    void refuse(onfi::Rule rule);

    TargetLuns& luns_;
    CommandSequence& sequence_;
    TargetOutput& output_;
    Features& features_;
    const Device& device_;
    u32 number_;
};

} // namespace tlmssd::nand
