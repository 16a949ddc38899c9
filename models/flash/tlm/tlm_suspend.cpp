// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: suspend and resume of programs and erases in the TLM controller (docs/explanation/o3-suspend.md).
#include "models/flash/tlm/tlm_controller.h"

namespace tlmssd::flash {

/// The segment that makes the array work has ended: from now on, or after a resume when it has made
/// some progress, O3Core may have it suspended.
void TlmController::begin_work(u32 tag)
{
    Operation& o = operations_[tag];
    const bool confirm = o.phase == Phase::Command || o.phase == Phase::DataIn;
    if (!core_.pending(tag) || o.plane + 1 != o.op.nplanes || !(confirm || o.phase == Phase::Resume)) {
        return;
    }
    if (confirm || progress_ == Picoseconds()) {
        core_.working(tag);
    } else {
        o.works_at = event_queue_.now() + progress_;
        push_poll(tag, o.works_at);
    }
}

/// The LUN is ready, or is given up.
void TlmController::stop_work(u32 tag)
{
    Operation& o = operations_[tag];
    if (core_.pending(tag)) {
        core_.stopped(tag);
        o.works_at = kTimeNever;
        o.suspend_wanted = false;
    }
}

/// A poll under way comes first: it may tell that the operation has ended.
void TlmController::suspend(u32 tag)
{
    Operation& o = operations_[tag];
    if (o.polling) {
        o.suspend_wanted = true;
        return;
    }
    if (polled_) {
        o.left = o.poll_at; // what that leaves: suspend_sent()
        o.poll_at = kTimeNever;
    }
    o.suspend_wanted = false;
    o.suspending = true;
    want(tag, Phase::Suspend, o.plane);
}

/// The LUN's line has risen. True: a suspend is asked for and came too late. While it waits for the
/// bus, the status read that is due now takes its place.
bool TlmController::rose_while_suspending(u32 tag)
{
    Operation& o = operations_[tag];
    if (!o.suspending) {
        return false;
    }
    if (channels_[o.op.channel].current != tag) {
        o.suspending = false;
        o.phase = Phase::Status;
    }
    return true;
}

void TlmController::suspend_sent(u32 tag)
{
    Operation& o = operations_[tag];
    o.suspending = false;
    if (!dies_[o.first_die].busy) {
        want(tag, Phase::Status, o.plane);
        return;
    }
    if (polled_) {
        o.left = o.left - min(o.left, event_queue_.now());
        schedule_poll(tag, event_queue_.now() + typical(o));
    }
    if (timeout_ != Picoseconds()) {
        o.confirmed_at = event_queue_.now();
        watch(tag);
    }
}

void TlmController::resume(u32 tag) { want(tag, Phase::Resume, operations_[tag].plane); }

} // namespace tlmssd::flash
