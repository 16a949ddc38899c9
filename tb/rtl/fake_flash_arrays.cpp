// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the fake flash's arrays: their ready lines, suspension and polls.
#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "tb/rtl/fake_flash.h"

namespace tlmssd::tb {

using flash::Phase;

bool FakeFlash::suspendable(const flash_op& op) const
{
    const bool kind = (op.opcode == FLASH_OP_ERASE && config_.straps.suspend != config::Suspend::None) ||
                      (op.opcode == FLASH_OP_PROGRAM &&
                       config_.straps.suspend == config::Suspend::ProgramAndErase);
    return ooo() && kind && (op.flags & FLASH_FLAG_SUSPENDABLE) != 0;
}

/// A suspend is for a read that may go, and within its bounds.
void FakeFlash::check_suspend(u32 index) const
{
    const Op& entry = ops_[index];
    EXPECT_TRUE(suspendable(entry.op)) << "operation " << index << " is not to be suspended";
    EXPECT_EQ(entry.seen.size() + 1, entry.plan.size()) << "suspended before its array works";
    EXPECT_EQ(holder_[rules_.lun_of(entry.op)], static_cast<int>(index));
    EXPECT_EQ(arrays_[rules_.lun_of(entry.op)].stopped, -1) << "suspended twice";
    EXPECT_LT(entry.suspends, config_.straps.suspends);
    if (entry.suspends != 0 && !polling()) { // a poll that finds it busy is progress, too
        EXPECT_GE(now_ - entry.works_from, u64{config_.straps.suspend_progress} << 16 >> 1)
            << "too soon after its resume";
    }
    bool wanted = false;
    for (const Op& read : ops_) {
        wanted = wanted || (!read.done && read.legal && read.seen.empty() &&
                            read.op.opcode == FLASH_OP_READ && rules_.lun_of(read.op) == rules_.lun_of(entry.op) &&
                            (read.op.flags & FLASH_FLAG_PRIORITY_MASK) >=
                                config_.straps.suspend_priority &&
                            !rules_.depends(read.op, entry.op));
    }
    EXPECT_TRUE(wanted) << "no read waits for operation " << index << " to be suspended";
}

/// Segments that belong to a suspension; true: they are no step of the operation's plan.
bool FakeFlash::goes_on(u32 index, const flash::SegmentRequest& r)
{
    Op& entry = ops_[index];
    const u32 die = rules_.lun_of(entry.op);
    switch (r.phase) {
    case Phase::Suspend:
        check_suspend(index);
        ++entry.suspends;
        ++suspends_;
        see("suspends an ERASE", entry.op.opcode == FLASH_OP_ERASE);
        see("suspends a PROGRAM", entry.op.opcode == FLASH_OP_PROGRAM);
        see("suspends as often as it may", entry.suspends == config_.straps.suspends);
        return true;
    case Phase::Resume:
        EXPECT_EQ(arrays_[die].stopped, static_cast<int>(index)) << "resumed what is not suspended";
        if (holder_[die] >= 0 && can_be_aborted(static_cast<u32>(holder_[die]))) {
            abort(static_cast<u32>(holder_[die]));
        }
        EXPECT_EQ(holder_[die], -1) << "resumed beside a read";
        EXPECT_TRUE(ready_[die]);
        holder_[die] = static_cast<int>(index);
        ++resumes_;
        see("resumes", true);
        return true;
    case Phase::Status:
        if (polling()) { // its byte says what it is
            const u32 asked = geometry_.die_index_ce(entry.op.channel, r.ce, r.lun);
            EXPECT_GE(now_, arrays_[asked].poll_from) << "polled too early";
            EXPECT_FALSE(arrays_[asked].found) << "polled a LUN that is known to be ready";
            return true;
        }
        EXPECT_TRUE(ready_[die]);
        return arrays_[die].stopped == static_cast<int>(index);
    default:
        return false;
    }
}

/// R/B# of `die` rises at `at`, or when it has fallen; what it was to rise at before is stale.
void FakeFlash::ready_at(u32 die, u64 at, u32 index)
{
    arrays_[die].ready_at = std::max(at, arrays_[die].falls_at);
    push(arrays_[die].ready_at, Kind::Ready, die, index);
}

/// R/B# of `die` falls for a command that ends now. Before ready_at().
void FakeFlash::fall(u32 die)
{
    Array& array = arrays_[die];
    array.falls_at = now_;
    if (times_.falls_ps != 0) {
        array.falls_at += times_.random ? draw_below(draw64(times_.seed, 7, sequence_), times_.falls_ps + 1)
                                        : times_.falls_ps;
        push(array.falls_at, Kind::Fall, die, 0);
    }
}

/// No effect on a die that is ready, or that ends by itself before.
void FakeFlash::suspend_end(u32 index)
{
    const u32 die = rules_.lun_of(ops_[index].op);
    Array& array = arrays_[die];
    const u64 at = now_ + duration(times_.suspend_ps, 6, index, ops_[index].suspends);
    if (polling()) {
        poll_after(die, ops_[index].op.opcode == FLASH_OP_ERASE
                            ? config_.straps.polling.suspend_erase
                            : config_.straps.polling.suspend_program);
    }
    if (!ready_[die] && array.ends_at > at) {
        array.left = array.ends_at - now_;
        array.stopped = static_cast<int>(index);
        ready_at(die, at, index);
    } else {
        see("a suspend comes too late", true);
    }
}

void FakeFlash::resume_end(u32 index)
{
    Op& entry = ops_[index];
    const u32 die = rules_.lun_of(entry.op);
    Array& array = arrays_[die];
    array.stopped = -1;
    array.ends_at = now_ + times_.falls_ps + array.left;
    entry.works_from = now_;
    ready_[die] = false;
    fall(die);
    array.found = false;
    array.poll_from = 0; // of what was left
    ready_at(die, array.ends_at, index);
    if (times_.falls_ps == 0) {
        tell_ready(die, false);
    }
}

void FakeFlash::tell_ready(u32 die, bool ready)
{
    if (!polling()) {
        const u32 on_channel = die % geometry_.dies_per_channel();
        driver_->ready(die / geometry_.dies_per_channel(), on_channel / geometry_.luns_per_ce(),
                       on_channel % geometry_.luns_per_ce(), ready);
    }
}

/// So many ticks last at least one less.
void FakeFlash::poll_after(u32 die, u32 ticks)
{
    arrays_[die].found = false;
    arrays_[die].poll_from = now_ + (u64{ticks - 1} << 16);
}

/// Until the first poll of what a segment has begun.
u32 FakeFlash::ticks_of(const flash_op& op, const Step& step) const
{
    const flash::RtlPolling& p = config_.straps.polling;
    const bool last = step.level != 0 || step.plane + 1 == op.nplanes;
    return step.phase == Phase::Feature    ? p.feature
           : op.opcode == FLASH_OP_RESET   ? p.reset
           : !last                         ? p.plane_queue
           : op.opcode == FLASH_OP_READ    ? p.read
           : op.opcode == FLASH_OP_PROGRAM ? p.program
                                           : p.erase;
}

/// A status byte, with FAILC, ARDY, WP# and the bits that ONFI leaves open of any value: no controller looks at them.
/// Never FFh, which lines read that no die drives.
u8 FakeFlash::status_byte(u8 bits) const
{
    constexpr u8 kIgnored = 0xba; // bits 1, 3, 4, 5 and 7
    const u64 draw = draw64(times_.seed, 8, sequence_);
    return times_.random ? static_cast<u8>((bits & ~kIgnored) | (draw & kIgnored)) : bits;
}

/// The byte of a poll. False: it is the status byte that ends its operation.
bool FakeFlash::poll_end(u32 index, const flash::SegmentRequest& r, flash::SegmentResult& result)
{
    Op& entry = ops_[index];
    const u32 die = geometry_.die_index_ce(entry.op.channel, r.ce, r.lun);
    Array& array = arrays_[die];
    if (!ready_[die]) {
        result.status = status_byte(0x80);
        array.poll_from = now_ + (u64{config_.straps.polling.interval - 1} << 16);
        ++polls_;
        see("polls a busy LUN", true);
        return true;
    }
    see("polls a LUN of a RESET", entry.op.opcode == FLASH_OP_RESET);
    array.found = true;
    result.status = status_byte(0x60);
    if (array.stopped == static_cast<int>(index)) {
        result.status = status_byte(0x64);
        holder_[die] = -1;
        see("polls what is suspended", true);
        return true;
    }
    if (entry.seen.size() + 1 < entry.plan.size() || entry.plan.back().phase != Phase::Status) {
        return true;
    }
    entry.seen.push_back(entry.plan.back());
    return false;
}

} // namespace tlmssd::tb
