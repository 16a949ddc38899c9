// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cache reads and cache programs of the TLM controller (docs/explanation/cache-operations.md).
#include "models/flash/tlm/tlm_controller.h"

namespace tlmssd::flash {

/// What the segment of `tag` that is about to start is in a sequence. A program that goes to its die now is the one
/// that may be followed: 10h or 15h is the last cycle of its segment.
CacheStep TlmController::cache_step(u32 tag)
{
    Operation& o = operations_[tag];
    if (o.polling) {
        return CacheStep::None;
    }
    switch (o.phase) {
    case Phase::Command:
        return o.step;
    case Phase::DataOut:
        return dies_[o.first_die].behind != kNoTag ? CacheStep::Next
               : o.step == CacheStep::End          ? CacheStep::End
                                                   : CacheStep::None;
    case Phase::DataIn:
        o.step = follow(tag) ? CacheStep::Next : CacheStep::None;
        return o.step;
    default:
        return CacheStep::None;
    }
}

/// May `next` come after `first` by a cache operation?
bool TlmController::fits(const flash_op& first, const flash_op& next) const
{
    if (next.opcode != first.opcode || next.nplanes != 1) {
        return false;
    }
    return first.opcode == FLASH_OP_READ || follows_in_block(first, next);
}

/// Rows count pages first: the last page of a block is followed by another block's.
bool TlmController::follows_in_block(const flash_op& first, const flash_op& next) const
{
    return next.row[0] == first.row[0] + 1 && geometry_.row_page(next.row[0]) != 0;
}

/// The operation that the LUN of `tag` would get next has it from now on, where a cache operation can join them.
bool TlmController::follow(u32 tag)
{
    const Operation& o = operations_[tag];
    const bool wanted = o.op.opcode == FLASH_OP_READ      ? config::caches_reads(cache_ops_)
                        : o.op.opcode == FLASH_OP_PROGRAM ? config::caches_programs(cache_ops_)
                                                          : false;
    u32 next = kNoTag;
    if (!wanted || o.op.nplanes != 1 || o.level != 0 || core_.pending(tag) ||
        !core_.after(tag, age_now(), next) || !fits(o.op, operations_[next].op)) {
        return false;
    }
    core_.follow(next);
    dies_[o.first_die].behind = next;
    followed_ = true;
    return true;
}

/// Its first segment is due.
void TlmController::begin_follower(u32 tag)
{
    const flash_op& op = operations_[tag].op;
    for (OperationObserverIf* const observer : observers_) {
        observer->on_issue(tag, op, event_queue_.now());
    }
    want(tag, op.opcode == FLASH_OP_PROGRAM ? Phase::DataIn : Phase::Command, 0);
}

// ---- reads ----

/// The LUN has the page of `tag` in its cache register.
void TlmController::read_ready(u32 tag)
{
    const Operation& o = operations_[tag];
    Die& die = dies_[o.first_die];
    if (die.behind != kNoTag) {
        die.array_until = event_queue_.now() + typical_.read;
    } else if (caches_ && o.step != CacheStep::End && follow(tag)) {
        die.mixed = false;
        read_follower(tag);
        return;
    }
    want(tag, Phase::DataOut, 0);
}

/// 31h for the page behind that of `tag`.
void TlmController::read_follower(u32 tag)
{
    const flash_op& op = operations_[tag].op;
    Die& die = dies_[operations_[tag].first_die];
    const u32 next = die.behind;
    Operation& o = operations_[next];
    o.step = follows_in_block(op, o.op) ? CacheStep::Sequential : CacheStep::Next;
    die.mixed = die.mixed || geometry_.row_plane(op.row[0]) != geometry_.row_plane(o.op.row[0]);
    begin_follower(next);
}

/// `die` has been left. A read that follows has it: the next 31h, or 3Fh. Else the read that waits for its retry.
void TlmController::hand_over(u32 die)
{
    Die& d = dies_[die];
    if (d.behind != kNoTag) {
        const u32 tag = d.tag = d.behind;
        d.behind = kNoTag;
        if (d.owed == kNoTag && follow(tag)) {
            read_follower(tag);
        } else {
            operations_[tag].step = CacheStep::End;
            want(tag, Phase::Command, 0);
        }
    } else if (d.owed != kNoTag) {
        const u32 tag = d.tag = d.owed;
        d.owed = kNoTag;
        if (operations_[tag].retry_due) {
            begin_retry(tag);
        }
    }
}

/// The page of `tag` is lost and is to be read again. A read that follows it is in the LUN already and goes first.
void TlmController::owe(u32 tag)
{
    const u32 die = operations_[tag].first_die;
    if (dies_[die].behind != kNoTag) {
        dies_[die].owed = tag;
        hand_over(die);
    }
}

// ---- programs ----

/// The LUN is ready after the program `tag`: true where that was a 15h.
bool TlmController::program_ready(u32 tag)
{
    if (operations_[tag].step != CacheStep::Next) {
        return false;
    }
    const u32 before = dies_[operations_[tag].first_die].before;
    if (before != kNoTag) {
        want(before, Phase::Status, 0); // FAILC
    } else {
        program_follower(tag);
    }
    return true;
}

/// The array works at the page of `tag`: the next one's data.
void TlmController::program_follower(u32 tag)
{
    Die& die = dies_[operations_[tag].first_die];
    die.before = tag;
    die.tag = die.behind;
    die.behind = kNoTag;
    die.array_until = event_queue_.now() + typical_.program;
    begin_follower(die.tag);
}

/// A status byte with the result of the program before. True: it was for that alone.
bool TlmController::cached_status(u32 tag, u8 status)
{
    Die& die = dies_[operations_[tag].first_die];
    const u32 last = die.tag;
    const u32 before = die.before;
    if (before != kNoTag) {
        die.before = kNoTag;
        const bool failed = status_failed_before(status);
        operations_[before].failed_planes = failed ? 1 : 0;
        core_.release(before);
        complete(completion_of(before, failed ? FLASH_STATUS_FAIL : FLASH_STATUS_OK));
    }
    const bool goes_on = operations_[last].op.opcode == FLASH_OP_PROGRAM && operations_[last].step == CacheStep::Next;
    if (goes_on) {
        program_follower(last);
    }
    return goes_on;
}

// ---- polls and time limits ----

/// From tWB after the end of its segment to a ready LUN.
Picoseconds TlmController::cached_time(const Operation& o) const
{
    const Die& die = dies_[o.first_die];
    const Picoseconds at = event_queue_.now() + typical_.t_wb;
    const Picoseconds left = max(die.array_until, at) - at; // of what the array is at
    if (reads(o)) {
        return o.step == CacheStep::None ? typical_.read : max(typical_.read_cache, left);
    }
    const Picoseconds before = die.before != kNoTag ? left : Picoseconds();
    return o.step == CacheStep::Next ? max(typical_.program_cache, before) : before + typical_.program;
}

/// What else has a LUN that does not answer: it has it no longer.
std::array<u32, 3> TlmController::break_off(u32 die)
{
    Die& d = dies_[die];
    const std::array<u32, 3> others{d.before, d.owed, d.behind};
    d.before = d.owed = d.behind = kNoTag;
    d.array_until = Picoseconds();
    return others;
}

/// One of those. A read that ECC has not judged yet ends when it would have been.
void TlmController::give_up_too(u32 tag)
{
    if (tag == kNoTag) {
        return;
    }
    Operation& o = operations_[tag];
    o.failed_planes = static_cast<u8>((1u << o.op.nplanes) - 1);
    core_.release(tag);
    if (o.lost_planes != 0 && !o.retry_due) {
        o.given_up = true;
    } else {
        complete(completion_of(tag, FLASH_STATUS_TIMEOUT));
    }
}

} // namespace tlmssd::flash
