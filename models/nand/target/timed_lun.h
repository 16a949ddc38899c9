// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a LUN with its timer and its R/B#.
#pragma once

#include "models/nand/lun/lun.h"
#include "models/nand/target/features.h"
#include "models/onfi/bus/channel.h"
#include "models/time/event_queue.h"

namespace tlmssd::nand {

/// Keeps the time of a Lun, drives its R/B#, and may stop answering (fault script). Cannot move.
class TimedLun {
    static constexpr u32 kNoRetry = 0xffffffff;

    // Members that every command reads are beside those of the LUN that it reads.
    u32 ce_;
    u32 index_;
    u32 retry_due_ = kNoRetry;
    bool silent_ = false;
    bool low_ = false; ///< R/B#; a busy LUN may not have pulled it yet

public:
    Lun lun;

    /// `index` on its CE#, `die` over the device. The end of tFEAT applies what `features` waits
    /// for.
    TimedLun(time::EventQueue& event_queue, onfi::Channel& channel, u32 ce, u32 index, Device& device,
             u32 die, Features& features);

    /// The LUN has taken a command that ended at `end`. It works from `at` on, tWB later, and R/B# falls in
    /// between (nand.ready_falls).
    void start(const Lun::Start& start, Picoseconds end, Picoseconds at)
    {
        if (start.busy) {
            fall(end, at);
        }
    }
    /// The time at which the LUN is ready has changed.
    void follow_due() { timer_.arm(next()); }
    void reset(Picoseconds end, Picoseconds at);
    /// The supply is cut and returns at `now`.
    void power_off(Picoseconds now);
    void stop_answering();
    /// After a power cycle at `now`.
    void answer_again(Picoseconds now);
    /// Read-retry level that comes with the end of tFEAT.
    void set_retry_later(u8 level) { retry_due_ = level; }

    /// Status register of `plane`, or of the LUN. RDY falls with R/B#.
    u8 status(u32 plane) const;
    u32 index() const { return index_; }
    bool silent() const { return silent_; }

private:
    void on_due();
    void end_feature();
    void stop_array();
    void fall(Picoseconds end, Picoseconds at)
    {
        if (device_.nand.ready_falls == config::ReadyFalls::AtOnce) {
            timer_.uses(lun.cells_due());
            timer_.arm(lun.due());
            pull(true);
        } else {
            fall_later(end, at);
        }
    }
    void fall_later(Picoseconds end, Picoseconds at);
    void pull(bool low)
    {
        low_ = low;
        channel_.set_ready(ce_, index_, !low);
    }
    Picoseconds next() const { return min(falls_at_, lun.due()); }

    const Device& device_;
    onfi::Channel& channel_;
    Features& features_;
    Picoseconds falls_at_ = kTimeNever; ///< R/B#, where it has not yet
    u64 falls_ = 0;                     ///< drawn so far
    time::Timer timer_;
};

} // namespace tlmssd::nand
