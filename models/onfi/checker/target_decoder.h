// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the protocol checker's reading of command, address and data cycles for one target.
#pragma once

#include "models/onfi/checker/lun_sequence.h"
#include "models/onfi/checker/target_interface.h"

namespace tlmssd::onfi {

/// One CE#. Judges sequences and commands to the target, and hands what is for a LUN to it.
class TargetDecoder {
public:
    /// `luns`: the first of limits.luns_of_ce LUNs that lie one after the other. All outlive the
    /// decoder.
    TargetDecoder(const PartLimits& limits, const TargetInterface& interface, LunSequence* luns)
        : limits_(limits), luns_(luns), interface_(interface)
    {
    }

    /// Judge the segment, of which the time on the bus has been judged.
    void on_segment(ObservedSegment& seen);
    /// Before a segment that ends now.
    void settle(u64 now)
    {
        for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
            luns_[i].settle(now);
        }
    }
    /// tFEAT of a LUN has ended.
    void on_feature_end(u64 now) { interface_.apply(now); }

    CommandSequence& sequence() { return sequence_; }
    const TargetInterface& interface() const { return interface_; }

private:
    using Busy = LunSequence::Busy;
    using Array = LunSequence::Array;

    // target_decoder.cpp: cycles
    bool spoken_to(ObservedSegment& seen);
    bool closed_sequence(ObservedSegment& seen);
    void cycles(ObservedSegment& seen, u32 from, u32 to);
    void command(ObservedSegment& seen, u8 byte);
    void open(ObservedSegment& seen, u8 byte);
    void begin(const ObservedSegment& seen, u8 byte);
    /// The next opener cuts a sequence off. Only a bare 00h may be left without an end.
    bool left_open() const
    {
        const CommandSequence& s = sequence_;
        return s.open && !s.spoiled && !(s.opener == 0x00 && s.cycles == 0);
    }
    void confirmed(ObservedSegment& seen, u8 byte);
    void confirm(ObservedSegment& seen, u8 byte);
    void spoil(ObservedSegment& seen, Rule rule);
    void address(ObservedSegment& seen, u32 count);
    void addressed(ObservedSegment& seen);
    LunSequence* take_row(ObservedSegment& seen, const RowAddress& row);
    LunSequence& selected() { return luns_[sequence_.lun]; }

    // target_data.cpp: programs, columns and bursts
    void confirm_array(ObservedSegment& seen, u8 byte);
    void confirm_program(ObservedSegment& seen, u8 byte);
    void confirm_column(ObservedSegment& seen);
    void change_write_column(ObservedSegment& seen);
    bool take_program_address(ObservedSegment& seen)
    {
        return sequence_.change ? take_change(seen) : take_program_row(seen);
    }
    bool take_program_row(ObservedSegment& seen);
    bool take_change(ObservedSegment& seen);
    void clear_registers(ObservedSegment& seen, LunSequence& lun, u32 plane);
    bool take_copy(ObservedSegment& seen, const LunSequence& lun, u32 plane);
    void burst_in(ObservedSegment& seen);
    void burst_out(ObservedSegment& seen);

    // target_registers.cpp: ID, features, suspend, reset
    bool all_usable(ObservedSegment& seen);
    void start_all(ObservedSegment& seen, Busy kind, u64 least);
    void read_registers(ObservedSegment& seen);
    void feature_address(ObservedSegment& seen);
    bool known_value(u8 feature, u8 p1) const;
    void set_feature(ObservedSegment& seen);
    void lun_command(ObservedSegment& seen, u8 byte);
    void reset_target(ObservedSegment& seen, u8 byte);
    void reset(ObservedSegment& seen, LunSequence& lun);

    CommandSequence sequence_;
    const PartLimits& limits_;
    LunSequence* luns_;
    TargetInterface interface_;
};

} // namespace tlmssd::onfi
