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

public:
    Lun lun;

    /// `index` on its CE#, `die` over the device. The end of tFEAT applies what `features` waits
    /// for.
    TimedLun(time::EventQueue& event_queue, onfi::Channel& channel, u32 ce, u32 index, Device& device,
             u32 die, Features& features);

    /// The LUN has taken a command.
    void start(const Lun::Start& start)
    {
        if (start.busy) {
            timer_.arm(lun.due());
            channel_.set_ready(ce_, index_, false);
        }
    }
    /// The time at which the LUN is ready has changed.
    void follow_due() { timer_.arm(lun.due()); }
    void reset(Picoseconds at);
    /// The supply is cut and returns at `now`.
    void power_off(Picoseconds now);
    void stop_answering();
    /// After a power cycle at `now`.
    void answer_again(Picoseconds now);
    /// Read-retry level that comes with the end of tFEAT.
    void set_retry_later(u8 level) { retry_due_ = level; }

    u32 index() const { return index_; }
    bool silent() const { return silent_; }

private:
    void on_due();
    void end_feature();
    void stop_array();

    onfi::Channel& channel_;
    Features& features_;
    time::Timer timer_;
};

} // namespace tlmssd::nand
