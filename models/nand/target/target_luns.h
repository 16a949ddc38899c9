// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the LUNs of one CE#, and which of them may take a command.
#pragma once

#include "models/common/fixed_array.h"
#include "models/nand/target/row_address.h"
#include "models/nand/target/timed_lun.h"

namespace tlmssd::nand {

/// Knows the segment at hand, the LUN that the bus talks to, and WP#. Reports broken rules.
class TargetLuns {
public:
    /// Throws InputError where a row address needs more than three cycles.
    TargetLuns(time::EventQueue& event_queue, onfi::Channel& channel, u32 ce, Device& device,
               Features& features);

    /// A segment has ended that was driven with `timing`.
    void begin(const onfi::Segment& segment, const onfi::BusTiming& timing)
    {
        segment_end_ = segment.end;
        first_cycle_ = segment.start + timing.sheet.t_cs;
        timing_ = &timing;
    }
    Picoseconds segment_end() const { return segment_end_; }
    /// A LUN becomes busy tWB after the confirm cycle.
    Picoseconds begin_at() const { return segment_end_ + timing_->sheet.t_wb; }

    void violate(onfi::Rule rule, u32 lun);
    void violate(onfi::Rule rule) { violate(rule, selected_); }

    RowAddress split(u32 row) const { return layout_.split(row); }
    /// The LUN that a row names, or null after reporting a row outside the part.
    TimedLun* addressed(const RowAddress& row)
    {
        if (!layout_.contains(row)) {
            violate(onfi::Rule::RowRange, row.lun);
            return nullptr;
        }
        return &luns_[row.lun];
    }
    static Place place(const TimedLun& lun, const RowAddress& row)
    {
        Place place = row.place;
        place.die = lun.lun.die();
        return place;
    }
    /// A LUN that has stopped answering takes nothing and is not judged.
    bool accessible(const TimedLun& lun, Access access)
    {
        if (lun.silent()) {
            return false;
        }
        if (!lun.lun.accepts(access, first_cycle_)) {
            violate(onfi::Rule::LunBusy, lun.index());
            return false;
        }
        return true;
    }
    /// For commands to the target no LUN may be busy.
    bool all_ready();
    void start(TimedLun& lun, const Lun::Start& start)
    {
        if (start.rule != onfi::Rule::None) {
            violate(start.rule, lun.index());
        }
        lun.start(start, segment_end_, begin_at());
    }
    /// One LUN, or (null) all LUNs of the target.
    void occupy(const TimedLun* one, ArrayOp kind, Picoseconds time);
    /// WP# is low: the operation ends at once, with FAIL.
    bool protected_from(TimedLun& lun, u32 plane);
    void set_protected(bool protect);

    TimedLun& selected() { return luns_[selected_]; }
    void select(const TimedLun& lun) { selected_ = lun.index(); }
    FixedArray<TimedLun>& all() { return luns_; }
    const FixedArray<TimedLun>& all() const { return luns_; }

private:
    // Members that every segment touches come first.
    Picoseconds first_cycle_; ///< of the segment at hand
    Picoseconds segment_end_;
    const onfi::BusTiming* timing_ = nullptr; ///< how the segment was driven
    u32 selected_ = 0;                        ///< LUN that the last row address named
    bool protect_ = false;
    FixedArray<TimedLun> luns_;
    RowLayout layout_;
    u32 ce_;
    onfi::Channel& channel_;
    Device& device_;
};

} // namespace tlmssd::nand
