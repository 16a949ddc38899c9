// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how the TLM controller learns that a LUN is ready again: edges, polls; or that it is not.
#include <algorithm>

#include "models/flash/tlm/tlm_controller.h"

namespace tlmssd::flash {

/// The segment that makes the LUN busy has ended. That the LUN really is shows up to tWB later, or nowhere: a
/// dead die gives no edge at all.
void TlmController::confirmed(u32 tag)
{
    Operation& o = operations_[tag];
    const u32 first = o.first_die;
    const u32 taken = dies_taken(o.op);
    for (u32 i = 0; i < taken; ++i) {
        dies_[first + i].busy = true;
        dies_[first + i].masked_until = event_queue_.now() + typical_.t_wb;
    }
    if (o.phase == Phase::Command && o.plane + 1 < o.op.nplanes && o.level == 0) {
        hold(tag);
        if (!dies_[first].fell && !polled_) {
            o.falls_by = dies_[first].masked_until;
            push_poll(tag, o.falls_by);
        }
    }
    const u32 waits = dies_[first].tag; // another's page comes first in cache reads
    if (polled_) {
        schedule_poll(waits, event_queue_.now() + typical_.t_wb + typical(o));
    }
    begin_work(tag);
    if (timeout_ != Picoseconds()) {
        operations_[waits].confirmed_at = event_queue_.now();
        watch(waits);
    }
}

void TlmController::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    if (!ready) {
        if (lun != kTargetLine) {
            dies_[die_number_(channel, ce, lun)].fell = true;
        }
        return;
    }
    if (lun != kTargetLine) {
        line_rose(die_number_(channel, ce, lun), true);
        return;
    }
    const u32 luns = die_number_.luns_per_ce();
    for (u32 i = 0; i < luns; ++i) {
        const u32 die = die_number_(channel, ce, i);
        if (luns == 1 || !masked(die)) {
            line_rose(die, luns == 1);
        }
    }
}

/// Inside tWB of its last command a LUN may not have pulled the line yet: that it is high is another's doing.
bool TlmController::masked(u32 die) const { return event_queue_.now() < dies_[die].masked_until; }

/// `own_line`: the LUN itself has let go, and not only all others.
void TlmController::line_rose(u32 die, bool own_line)
{
    Die& d = dies_[die];
    d.fell = false;
    if (!d.busy) { // late, after it had been given up
        d.lost = d.lost && !own_line;
        return;
    }
    Operation& o = operations_[d.tag];
    if (o.polling) {
        return; // the status read that is under way will tell
    }
    d.busy = false;
    d.lost = false;
    if (rose_while_suspending(d.tag)) {
        return;
    }
    if (polled_) {
        o.poll_at = kTimeNever;
        o.after_status = false;
    }
    lun_ready(d.tag);
}

/// Between 32h or D1h and the next plane's command the LUN is busy for tDBSY only. A page burst of
/// another die that slips in there would hold up the whole operation for many times as long.
void TlmController::hold(u32 tag)
{
    operations_[tag].holds = true;
    ++channels_[operations_[tag].op.channel].holds;
}

void TlmController::end_hold(u32 tag)
{
    Operation& o = operations_[tag];
    if (o.holds) {
        o.holds = false;
        --channels_[o.op.channel].holds;
    }
}

void TlmController::lun_ready(u32 tag)
{
    Operation& o = operations_[tag];
    end_hold(tag);
    stop_work(tag);
    const u8 next = static_cast<u8>(o.plane + 1);
    if (o.phase == Phase::Feature) {
        o.level == 0 ? begin(tag) : read_again(tag);
    } else if (o.level != 0) {
        want(tag, Phase::DataOut, o.plane);
    } else if (next < o.op.nplanes && o.op.opcode != FLASH_OP_RESET) {
        want(tag, o.phase, next);
    } else if (reads(o)) {
        read_ready(tag);
    } else if (o.op.opcode == FLASH_OP_RESET) {
        if (--o.luns_resetting == 0) {
            release_die(tag);
            finish(tag, FLASH_STATUS_OK, event_queue_.now());
            issue();
        }
    } else if (!program_ready(tag)) {
        want(tag, Phase::Status, o.plane);
    }
}

/// What the data sheet says of the array operation under way; page types may differ.
Picoseconds TlmController::typical(const Operation& o) const
{
    if (o.phase == Phase::Feature) {
        return typical_.feature;
    }
    if (o.phase == Phase::Suspend) {
        return o.op.opcode == FLASH_OP_ERASE ? typical_.suspend_erase : typical_.suspend_program;
    }
    if (o.phase == Phase::Resume) {
        return o.left;
    }
    if (o.op.opcode == FLASH_OP_RESET) {
        return typical_.reset;
    }
    if (o.level == 0 && o.plane + 1 < o.op.nplanes) {
        return typical_.plane_queue;
    }
    if (caches_ && o.op.opcode != FLASH_OP_ERASE) {
        return cached_time(o);
    }
    return reads(o)                         ? typical_.read
           : o.op.opcode == FLASH_OP_ERASE ? typical_.erase
                                           : typical_.program;
}

void TlmController::schedule_poll(u32 tag, Picoseconds at)
{
    operations_[tag].poll_at = at;
    push_poll(tag, at);
}

void TlmController::push_poll(u32 tag, Picoseconds at)
{
    polls_.push_back({at, tag});
    std::push_heap(polls_.begin(), polls_.end(), Poll::later);
    if (!poll_timer_.armed() || at < poll_timer_.at()) {
        poll_timer_.arm(at);
    }
}

void TlmController::poll(u32 tag)
{
    Operation& o = operations_[tag];
    o.polling = true;
    o.poll_at = kTimeNever;
    ask(tag, false);
}

void TlmController::on_poll_due()
{
    while (!polls_.empty() && polls_.front().at <= event_queue_.now()) {
        const Poll due = polls_.front();
        std::pop_heap(polls_.begin(), polls_.end(), Poll::later);
        polls_.pop_back();
        if (operations_[due.tag].poll_at == due.at) {
            poll(due.tag);
        }
        if (operations_[due.tag].works_at == due.at) {
            operations_[due.tag].works_at = kTimeNever;
            core_.working(due.tag);
        }
        if (operations_[due.tag].falls_by == due.at) {
            missed_fall(due.tag);
        }
    }
    if (!polls_.empty()) {
        poll_timer_.arm(polls_.front().at);
    }
    issue();
}

/// tWB has passed since the command of a plane. A LUN that is not busy keeps the bus for nothing.
void TlmController::missed_fall(u32 tag)
{
    Operation& o = operations_[tag];
    o.falls_by = kTimeNever;
    if (o.holds && !dies_[o.first_die].fell) {
        end_hold(tag);
        serve(o.op.channel);
    }
}

void TlmController::polled(u32 tag, u8 status)
{
    Operation& o = operations_[tag];
    Die& die = dies_[die_number_(o.op.channel, o.op.ce, lun_of(o))];
    o.polling = false;
    if (!status_ready(status)) {
        end_hold(tag); // not back after tDBSY: others need not wait for it
        if (timeout_ != Picoseconds() && o.confirmed_at + timeout_ <= event_queue_.now()) {
            give_up(tag);
            return;
        }
        schedule_poll(tag, event_queue_.now() + poll_interval_);
        if (o.suspend_wanted) {
            suspend(tag);
            return;
        }
        if (timeout_ != Picoseconds()) {
            watch(tag);
        }
        return;
    }
    die.busy = false;
    die.lost = false;
    o.after_status = true;
    const bool goes_on = o.phase == Phase::Feature || reads(o) ||
                         o.op.opcode == FLASH_OP_RESET || o.plane + 1 < o.op.nplanes;
    stop_work(tag);
    if (!goes_on) {
        status_over(tag, status); // the byte that says ready says FAIL, too
    } else if (o.op.opcode == FLASH_OP_RESET && o.luns_resetting > 1) {
        --o.luns_resetting;
        poll(tag); // the next LUN
    } else {
        lun_ready(tag);
    }
}

/// Look after `tag` when its time is up; the timer is armed for the earliest of all.
void TlmController::watch(u32 tag)
{
    const Picoseconds at = operations_[tag].confirmed_at + timeout_;
    if (!watch_timer_.armed() || at < watch_timer_.at()) {
        watch_timer_.arm(at);
    }
}

void TlmController::on_watch()
{
    for (std::size_t i = 0; i < dies_.size(); ++i) {
        if (!dies_[i].busy) {
            continue;
        }
        const u32 tag = dies_[i].tag;
        const Operation& o = operations_[tag];
        if (o.polling || o.suspending) {
            continue; // polled(), suspend_sent() see to it
        }
        if (o.confirmed_at + timeout_ <= event_queue_.now()) {
            give_up(tag);
        } else {
            watch(tag);
        }
    }
    issue();
}

/// LUNs that have not answered are lost until they show that they are ready again.
void TlmController::give_up(u32 tag)
{
    Operation& o = operations_[tag];
    const u32 first = o.first_die;
    for (u32 i = 0; i < dies_taken(o.op); ++i) {
        Die& die = dies_[first + i];
        die.lost = die.lost || die.busy;
        die.busy = false;
    }
    end_hold(tag);
    stop_work(tag);
    o.poll_at = kTimeNever;
    o.failed_planes = static_cast<u8>((1u << o.op.nplanes) - 1);
    const std::array<u32, 3> others = break_off(first);
    release_die(tag);
    const u32 channel = o.op.channel;
    complete(completion_of(tag, FLASH_STATUS_TIMEOUT));
    for (const u32 other : others) {
        give_up_too(other);
    }
    serve(channel);
}

} // namespace tlmssd::flash
