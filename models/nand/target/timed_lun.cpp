// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: edges of R/B# when the time of a LUN has come.
#include "models/nand/target/timed_lun.h"

#include "models/common/hash.h"

namespace tlmssd::nand {

namespace {

constexpr u64 kReadyFalls = 0x7265616479; // purpose of the draws

} // namespace

TimedLun::TimedLun(time::EventQueue& event_queue, onfi::Channel& channel, u32 ce, u32 index,
                   Device& device, u32 die, Features& features)
    : ce_(ce), index_(index), lun(device, die), device_(device), channel_(channel), features_(features),
      timer_(event_queue, time::Priority::Array, time::Timer::call<&TimedLun::on_due, TimedLun>, this)
{
}

/// Any time from `end` to `at`, both included.
void TimedLun::fall_later(Picoseconds end, Picoseconds at)
{
    falls_at_ = at;
    if (device_.nand.ready_falls == config::ReadyFalls::Random) {
        const u64 purpose = kReadyFalls + (u64{lun.die()} << 40);
        falls_at_ = end + Picoseconds(draw_below(draw64(device_.seed, purpose, falls_++), (at - end).value() + 1));
    }
    timer_.arm(next());
}

u8 TimedLun::status(u32 plane) const
{
    u8 bits = lun.status(plane);
    if (falls_at_ != kTimeNever) {
        const u8 array = lun.array_cached() ? u8{0} : onfi::status::kArrayReady;
        bits = static_cast<u8>(bits | onfi::status::kReady | array);
    }
    return bits;
}

void TimedLun::on_due()
{
    if (falls_at_ <= timer_.at()) {
        falls_at_ = kTimeNever;
        pull(true);
        if (lun.due() > timer_.at()) {
            timer_.arm(lun.due());
            return;
        }
    }
    const bool cached_ends = lun.array_cached() && lun.array_end() <= timer_.at();
    const ArrayOp risen = lun.advance(timer_.at());
    if (cached_ends) {
        channel_.show_array(ce_, index_, false);
    }
    if (lun.array_busy() || lun.busy()) { // the array goes on behind a ready R/B#
        timer_.arm(next());
    }
    if (risen == ArrayOp::None) {
        return;
    }
    if (risen == ArrayOp::Feature) {
        end_feature();
    }
    const bool goes_on = lun.array_cached();
    pull(false);
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

void TimedLun::reset(Picoseconds end, Picoseconds at)
{
    if (silent_) {
        return;
    }
    retry_due_ = kNoRetry;
    const bool was_busy = lun.busy();
    stop_array();
    lun.reset(at);
    if (was_busy) {
        follow_due();
    } else {
        fall(end, at);
    }
}

void TimedLun::power_off(Picoseconds now)
{
    stop_array();
    lun.power_off(now);
    timer_.cancel();
    retry_due_ = kNoRetry;
    falls_at_ = kTimeNever;
    if (low_) {
        pull(false);
    }
}

/// R/B# stays where it is.
void TimedLun::stop_answering()
{
    silent_ = true;
    falls_at_ = kTimeNever;
    timer_.cancel();
}

void TimedLun::answer_again(Picoseconds now)
{
    if (!silent_) {
        return;
    }
    silent_ = false;
    stop_array();
    lun.power_cycle(now);
    if (low_) {
        pull(false);
    }
}

} // namespace tlmssd::nand
