// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whether a LUN may take a command, whether it has answered, and when it is ready again.
#include "models/onfi/checker/lun_sequence.h"

#include <algorithm>

namespace tlmssd::onfi {

void LunSequence::refuse(ObservedSegment& seen, Cycle second) const
{
    seen.sequence.lun = static_cast<u8>(place_.lun);
    const bool by_edge = low_ && low_at_ < seen.end && busy_ == Busy::No;
    seen.report(Rule::LunBusy, by_edge ? Cycle{CycleKind::Busy, 0, Picoseconds(low_at_)} : by_, second);
}

bool LunSequence::start(ObservedSegment& seen, Busy kind, u64 may_rise_at)
{
    by_ = seen.acting();
    if (falls_late()) {
        await_fall(seen, kind, may_rise_at);
        return true;
    }
    if (!falls_at_end(seen)) {
        planes_ = 0;
        array_ = Array::Idle;
        if (limits_.tolerate) {
            silence();
        } else {
            seen.report(Rule::ReadyEdge, seen.sequence.opened);
        }
        return false;
    }
    unknown_ = false;
    busy_ = kind;
    may_rise_at_ = may_rise_at;
    return true;
}

/// R/B# may fall up to tWB after the segment. A silent LUN stays unknown until it does.
void LunSequence::await_fall(const ObservedSegment& seen, Busy kind, u64 may_rise_at)
{
    busy_ = kind;
    may_rise_at_ = may_rise_at;
    fall_by_ = seen.end + seen.minima.wb;
}

void LunSequence::miss_fall()
{
    const u64 due = fall_by_;
    const Busy was = busy_;
    fall_by_ = kNoFall;
    busy_ = Busy::No;
    array_ = Array::Idle;
    if (may_stay_) {
        may_stay_ = false;
        if (was == Busy::Erase) {
            finish_erase(block_, planes_ & ~bad_);
        }
        planes_ = 0;
        return;
    }
    planes_ = 0;
    if (limits_.tolerate) {
        silence();
    } else {
        report_edge(Rule::ReadyEdge, false, due);
    }
}

void LunSequence::judge_status_start(ObservedSegment& seen)
{
    const u64 start = seen.segment.start.value();
    const bool high = !low_ || low_at_ > start;
    if (limits_.falls_late && !unknown_ && high && busy_ != Busy::No) {
        seen.report(Rule::StatusTooEarly, by_);
    }
}

void LunSequence::silence()
{
    fall_by_ = kNoFall;
    unknown_ = relearn_ = true;
    busy_ = suspended_ = ended_ = Busy::No;
    array_ = Array::Idle;
    planes_ = bad_ = 0;
    registers_.drop_all();
}

void LunSequence::adopt(const ObservedSegment& seen)
{
    if (answers(seen)) {
        busy_ = Busy::Other;
        may_rise_at_ = 0;
        by_ = seen.acting();
    } else if (may_answer()) {
        adopt_by_ = seen.end + seen.minima.wb;
        broken_ = seen.acting();
    }
}

void LunSequence::reset(ObservedSegment& seen)
{
    const bool excused = unknown_ && !falls_at_end(seen);
    planes_ = bad_ = 0;
    registers_.drop_all();
    array_ = Array::Idle;
    suspended_ = Busy::No;
    by_ = seen.acting();
    registers_.set_cleared(by_);
    if (falls_late()) {
        await_fall(seen, Busy::Other, seen.end);
        return;
    }
    if (excused) {
        return;
    }
    if (!low_) {
        if (limits_.tolerate) {
            silence();
        } else {
            seen.report(Rule::ReadyEdge, seen.previous());
        }
        return;
    }
    unknown_ = false;
    busy_ = Busy::Other;
    may_rise_at_ = seen.end;
}

void LunSequence::suspend(ObservedSegment& seen, Busy kind)
{
    if (unknown_) {
        return;
    }
    if (!low_ && fall_by_ == kNoFall && ended_ == kind && suspended_ == Busy::No) {
        return; // too late, which nobody can know before: no effect
    }
    if (busy_ != kind || suspended_ != Busy::No) {
        seen.report(Rule::SuspendState, by_);
        return;
    }
    waiting_.block = block_;
    waiting_.planes = planes_;
    waiting_.bad = bad_;
    waiting_.page = page_;
    waiting_.due = may_rise_at_;
    waiting_.by = seen.acting();
    const ArrayMinima& least = limits_.array;
    const u64 time = kind == Busy::Program ? least.suspend_program : least.suspend_erase;
    suspended_ = kind;
    busy_ = Busy::Suspend; // or the operation comes to its end first
    may_rise_at_ = std::min(may_rise_at_, seen.end + time);
    by_ = waiting_.by;
}

void LunSequence::resume(ObservedSegment& seen, Busy kind)
{
    if (!usable(seen, Array::Idle)) {
        return;
    }
    if (unknown_) {
        start(seen, Busy::Other, seen.end);
        return;
    }
    if (suspended_ != kind || planes_ != 0) {
        seen.report(Rule::SuspendState, by_);
        return;
    }
    suspended_ = Busy::No;
    seen.sequence.status = false;
    may_stay_ = waiting_.perhaps_done && falls_late();
    if (waiting_.perhaps_done && !falls_at_end(seen) && !may_stay_) { // nothing was left to resume
        if (kind == Busy::Erase) {
            finish_erase(waiting_.block, waiting_.planes & ~waiting_.bad);
        }
        return;
    }
    block_ = waiting_.block;
    planes_ = waiting_.planes;
    bad_ = waiting_.bad;
    page_ = waiting_.page;
    gathered_ = kind;
    registers_.end_caching();
    start(seen, kind, seen.end + waiting_.remaining);
}

/// RDY with or without the suspended bit tells which of suspend and end came first.
void LunSequence::on_status(u8 status_byte)
{
    if (limits_.tolerate && status_byte == 0xff) {
        silence();
        return;
    }
    if (suspended_ == Busy::No || low_ || !waiting_.perhaps_done ||
        (status_byte & status::kReady) == 0) {
        return;
    }
    waiting_.perhaps_done = false;
    if ((status_byte & status::kSuspended) == 0) {
        if (suspended_ == Busy::Erase) {
            finish_erase(waiting_.block, waiting_.planes & ~waiting_.bad);
        }
        suspended_ = Busy::No;
    }
}

void LunSequence::finish_erase(const Blocks& block, u32 planes)
{
    for (; planes != 0; planes &= planes - 1) {
        const u32 plane = static_cast<u32>(__builtin_ctz(planes));
        pages_.learn(pages_.block_at(place_.die, plane, block[plane]), 0);
    }
}

void LunSequence::report_edge(Rule rule, bool ready, u64 now)
{
    const CycleKind kind = ready ? CycleKind::Ready : CycleKind::Busy;
    const u64 before = ready ? ready_at_ : low_at_;
    const bool by_command = by_.kind != CycleKind::None;
    const Cycle first = by_command ? by_ : Cycle{kind, 0, Picoseconds(before)};
    sink_.on_violation({Picoseconds(now), place_.channel, place_.ce, place_.lun, rule, first,
                        Cycle{kind, 0, Picoseconds(now)}});
}

void LunSequence::on_fall(u64 now)
{
    settle(now);
    if (low_ && !unknown_) {
        report_edge(Rule::ReadyEdge, false, now);
    }
    if (fall_by_ != kNoFall) {
        fall_by_ = kNoFall;
        unknown_ = may_stay_ = false;
    } else if (busy_ == Busy::No && now <= adopt_by_) {
        busy_ = Busy::Other;
        may_rise_at_ = 0;
        by_ = broken_;
    }
    adopt_by_ = 0;
    low_ = true;
    low_at_ = now;
}

LunSequence::Busy LunSequence::on_rise(u64 now)
{
    const Busy was = busy_;
    const bool explained = low_ && was != Busy::No;
    fall_by_ = kNoFall;
    low_ = false;
    busy_ = Busy::No;
    ended_ = was;
    ready_at_ = now;
    if (unknown_) {
        return Busy::No;
    }
    if (!explained || now < may_rise_at_) {
        if (limits_.tolerate) { // power has come back to a die that was dead
            silence();
            return Busy::No;
        }
        report_edge(explained ? Rule::ReadyTooEarly : Rule::ReadyEdge, true, now);
    }
    if (finish(was, now)) {
        planes_ = 0;
    }
    return was;
}

/// What R/B# was low for has been done. Answers false where the planes stay gathered.
bool LunSequence::finish(Busy was, u64 now)
{
    const u32 good = planes_ & ~bad_;
    switch (was) {
    case Busy::No:
    case Busy::Queue:
        return false;
    case Busy::Read:
        registers_.finish_read(good, bad_ == 0, page_);
        break;
    case Busy::CacheRead:
        registers_.finish_cache_read();
        break;
    case Busy::CacheEnd:
        registers_.finish_cache_end();
        break;
    case Busy::Erase:
        finish_erase(block_, good);
        break;
    case Busy::Suspend:
        waiting_.perhaps_done = now >= waiting_.due;
        waiting_.remaining = waiting_.perhaps_done ? 0 : waiting_.due - now;
        break;
    case Busy::Feature:
    case Busy::Program:
    case Busy::CacheProgram:
    case Busy::Register:
    case Busy::Other:
        break;
    }
    return true;
}

} // namespace tlmssd::onfi
