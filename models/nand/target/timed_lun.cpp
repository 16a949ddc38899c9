// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: edges of R/B# when the time of a LUN has come.
#include "models/nand/target/timed_lun.h"

namespace tlmssd::nand {

TimedLun::TimedLun(time::EventQueue& event_queue, onfi::Channel& channel, u32 ce, u32 index,
                   Device& device, u32 die, Features& features)
    : ce_(ce), index_(index), lun(device, die), channel_(channel), features_(features),
      timer_(event_queue, time::Priority::Array, time::Timer::call<&TimedLun::on_due, TimedLun>, this)
{
}

void TimedLun::on_due()
{
    const bool cached_ends = lun.array_cached() && lun.array_end() <= timer_.at();
    const ArrayOp risen = lun.advance(timer_.at());
    if (cached_ends) {
        channel_.show_array(ce_, index_, false);
    }
    if (lun.array_busy() || lun.busy()) { // the array goes on behind a ready R/B#
        timer_.arm(lun.due());
    }
    if (risen == ArrayOp::None) {
        return;
    }
    if (risen == ArrayOp::Feature) {
        end_feature();
    }
    const bool goes_on = lun.array_cached();
    channel_.set_ready(ce_, index_, true);
    if (goes_on) {
        channel_.show_array(ce_, index_, true);
    }
}

/// Before what the array does ends early.
void TimedLun::stop_array()
{
    if (lun.array_cached()) {
        channel_.show_array(ce_, index_, false);
    }
}

/// tFEAT has passed. A feature of the target holds from the first of its LUNs on.
void TimedLun::end_feature()
{
    if (retry_due_ != kNoRetry) {
        lun.set_retry(static_cast<u8>(retry_due_));
        retry_due_ = kNoRetry;
    }
    features_.apply();
}

void TimedLun::reset(Picoseconds at)
{
    if (silent_) {
        return;
    }
    retry_due_ = kNoRetry;
    const bool was_busy = lun.busy();
    stop_array();
    lun.reset(at);
    timer_.arm(lun.due());
    if (!was_busy) {
        channel_.set_ready(ce_, index_, false);
    }
}

void TimedLun::power_off(Picoseconds now)
{
    const bool was_busy = lun.busy();
    stop_array();
    lun.power_off(now);
    timer_.cancel();
    retry_due_ = kNoRetry;
    if (was_busy) {
        channel_.set_ready(ce_, index_, true);
    }
}

/// R/B# stays where it is.
void TimedLun::stop_answering()
{
    silent_ = true;
    timer_.cancel();
}

void TimedLun::answer_again(Picoseconds now)
{
    if (!silent_) {
        return;
    }
    silent_ = false;
    const bool was_busy = lun.busy();
    stop_array();
    lun.power_cycle(now);
    if (was_busy) {
        channel_.set_ready(ce_, index_, true);
    }
}

} // namespace tlmssd::nand
