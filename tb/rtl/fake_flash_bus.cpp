// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the fake flash's buses: the rules of each segment, and what it begins in its die.
#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "tb/rtl/fake_flash.h"

namespace tlmssd::tb {

using flash::Phase;

/// Rules for an operation's first segment.
void FakeFlash::check_start(u32 index)
{
    const Op& entry = ops_[index];
    for (u32 lun : rules_.luns_held(entry.op)) {
        const int stopped = arrays_[lun].stopped;
        if (stopped >= 0) {
            EXPECT_EQ(entry.op.opcode, FLASH_OP_READ) << "beside what is suspended";
            EXPECT_GE(entry.op.flags & FLASH_FLAG_PRIORITY_MASK, config_.straps.suspend_priority);
            EXPECT_FALSE(rules_.depends(entry.op, ops_[static_cast<u32>(stopped)].op))
                << "operation " << index << " needs what is suspended";
        }
        if (holder_[lun] >= 0 && can_be_aborted(static_cast<u32>(holder_[lun]))) {
            abort(static_cast<u32>(holder_[lun]));
        }
        EXPECT_EQ(holder_[lun], -1) << "two operations on one LUN";
        EXPECT_TRUE(ready_[lun]) << "started on a busy LUN";
        holder_[lun] = static_cast<int>(index);
    }
    ooo() ? check_dependencies(index) : check_in_order(index);
}

void FakeFlash::check_in_order(u32 index)
{
    // Every earlier operation has been issued: its LUNs are not held by one before it, it met its
    // fence, and so did this one. In serial mode every earlier one is done.
    for (u32 a = oldest_; a <= index; ++a) {
        const Op& earlier = ops_[a];
        if (earlier.done) {
            continue;
        }
        if (a < index) {
            EXPECT_FALSE(config_.straps.mode == config::ControllerMode::Serial) << "two operations at once in serial mode";
            EXPECT_TRUE(earlier.legal) << "an illegal operation was passed";
        }
        for (u32 x = oldest_; x < a; ++x) {
            const Op& before = ops_[x];
            if (before.done) {
                continue;
            }
            if (earlier.op.flags & FLASH_FLAG_FENCE) {
                EXPECT_NE(before.op.stream, earlier.op.stream) << "a fence was passed";
            }
            if (before.bus_over) {
                continue;
            }
            for (u32 l : rules_.luns_held(before.op)) {
                for (u32 m : rules_.luns_held(earlier.op)) {
                    if (l == m && can_be_aborted(x)) {
                        abort(x);
                    }
                    EXPECT_TRUE(l != m || before.bus_over) << "the head did not block operation " << index;
                }
            }
        }
    }
}

/// Out of order: all that it depends on has started before (the LUN is free, so it has ended), and
/// behind a fence all of its stream has completed.
void FakeFlash::check_dependencies(u32 index)
{
    const flash_op& op = ops_[index].op;
    for (u32 a = oldest_; a < index; ++a) {
        const Op& earlier = ops_[a];
        if (earlier.done || !earlier.legal) {
            continue;
        }
        if ((op.flags & FLASH_FLAG_FENCE) && op.stream != FLASH_NO_STREAM) {
            EXPECT_NE(earlier.op.stream, op.stream) << "a fence was passed by operation " << index;
        }
        if (earlier.seen.empty() && rules_.depends(op, earlier.op)) {
            if (can_be_aborted(a)) {
                abort(a);
            }
            EXPECT_TRUE(earlier.aborted) << "operation " << index << " passed " << a << ", on which it depends";
        }
    }
}

void FakeFlash::on_rtl_segment(u32 channel, const flash::SegmentRequest& r)
{
    trace_.emplace_back(now_, channel, r.tag, static_cast<u32>(r.phase), r.plane);
    ASSERT_LT(r.tag, op_of_tag_.size());
    const int index = op_of_tag_[r.tag];
    ASSERT_GE(index, 0) << "a segment of no operation";
    Op& entry = ops_[static_cast<u32>(index)];
    const flash_op& op = entry.op;
    ASSERT_EQ(channel, op.channel);
    EXPECT_FALSE(entry.aborted) << "a segment of what has been aborted";
    ASSERT_EQ(bus_op_[channel], -1) << "the bus is booked twice";
    bus_op_[channel] = index;

    on_bus_[channel] = r;
    if (polling() && r.phase != Phase::Status && r.phase != Phase::Suspend) {
        EXPECT_TRUE(arrays_[rules_.lun_of(op)].found) << "nobody has found the LUN ready";
    }
    u64 number = entry.seen.size() + 1;
    if (goes_on(static_cast<u32>(index), r)) {
        EXPECT_TRUE(polling() || r.plane + 1 == op.nplanes);
        number = 8 + entry.suspends % 4;
    } else {
        if (entry.seen.empty()) {
            if (arrays_[rules_.lun_of(op)].level != 0 && op.opcode != FLASH_OP_RESET) {
                entry.plan.insert(entry.plan.begin(), Step{Phase::Feature, 0, 0});
                see("sets the level back", true);
            }
            check_start(static_cast<u32>(index));
            if (goals != nullptr) {
                see_started(static_cast<u32>(index));
            }
        }
        ASSERT_LT(entry.seen.size(), entry.plan.size()) << "more segments than the operation has";
        const Step step = entry.plan[entry.seen.size()];
        EXPECT_TRUE(step.phase == r.phase && step.level == r.level) << "segments out of order";
        EXPECT_TRUE(entry.judged) << "a segment before ECC's verdict";
        EXPECT_TRUE(ready_[rules_.lun_of(op)]) << "a segment for a busy LUN";
        entry.seen.push_back(step);
    }

    EXPECT_EQ(r.ce, op.ce);
    if (op.opcode == FLASH_OP_RESET && r.phase == Phase::Status) { // a poll of one of its LUNs
        EXPECT_EQ(r.row, geometry_.row(r.lun, 0, 0, 0));
        push(now_ + duration(times_.segment_ps, 1, static_cast<u64>(index), 8 + r.lun),
             Kind::SegmentEnd, channel, 0);
        return;
    }
    check_fields(r, op, entry.seen.back());
    push(now_ + duration(times_.segment_ps, 1, static_cast<u64>(index), number),
         Kind::SegmentEnd, channel, 0);
}

/// `step`: the last one of the plan; a status read is about its plane.
void FakeFlash::check_fields(const flash::SegmentRequest& r, const flash_op& op, const Step& step) const
{
    EXPECT_EQ(r.lun, op.lun);
    EXPECT_EQ(r.opcode, op.opcode);
    EXPECT_EQ(r.flags, op.flags);
    EXPECT_EQ(r.level, step.level);
    EXPECT_EQ(r.plane, step.level != 0 ? 0 : step.plane) << "a plane that is read again goes alone";
    EXPECT_EQ(r.nplanes, step.level != 0 || op.opcode == FLASH_OP_RESET ? 1 : op.nplanes);
    EXPECT_EQ(r.row, op.row[step.plane]);
    EXPECT_EQ(r.buf, op.buf[step.plane]);
    EXPECT_EQ(r.col, op.col[step.plane]);
    EXPECT_EQ(r.len, op.len[step.plane]);
    EXPECT_EQ(r.oob, op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + 16u * step.plane);
}

/// The last burst of a level with planes lost goes on at the next level, where there is one.
void FakeFlash::burst_end(u32 index, const Step& step, flash::SegmentResult& result)
{
    Op& entry = ops_[index];
    const u64 data_at = now_ + duration(times_.landing_ps, 3, index, entry.seen.size());
    result.data_at = Picoseconds(data_at);
    entry.landed_at = std::max(entry.landed_at, data_at);
    const u64 draw = draw64(times_.seed, 5, (u64{step.level} << 32) + index * u64{4} + step.plane);
    const bool drawn = times_.lost_one_in != 0 && draw % times_.lost_one_in == 0;
    if (loses ? loses(entry.op.tag, step.plane, step.level) : drawn) {
        result.uncorrectable = true;
        entry.lost_planes |= 1u << step.plane;
    } else {
        result.corrected = static_cast<u16>(1 + index % 7);
        entry.corrected += result.corrected;
    }
    if (entry.seen.size() == entry.plan.size() && entry.lost_planes != 0 && step.level < config_.straps.read_retries) {
        const std::vector<Step> again = retry_of(entry.lost_planes, static_cast<u8>(step.level + 1));
        entry.plan.insert(entry.plan.end(), again.begin(), again.end());
        entry.judged = false;
        see("two planes and more are read again", (entry.lost_planes & (entry.lost_planes - 1)) != 0);
        see("the last plane alone is read again", entry.lost_planes == 8);
        see("reads again while another is suspended", arrays_[rules_.lun_of(entry.op)].stopped >= 0);
        entry.lost_planes = 0;
    }
}

void FakeFlash::segment_end(u32 channel)
{
    check_segments();
    const u32 index = static_cast<u32>(bus_op_[channel]);
    bus_op_[channel] = -1;
    Op& entry = ops_[index];
    flash::SegmentResult result;
    result.data_at = Picoseconds(now_);
    const Phase phase = on_bus_[channel].phase;
    const u32 on_die = rules_.lun_of(entry.op);
    const bool stopped = arrays_[on_die].stopped == static_cast<int>(index);
    if (polling() && phase == Phase::Status && poll_end(index, on_bus_[channel], result)) {
        result.data_at = Picoseconds(now_);
        driver_->segment_done(channel, result);
        return;
    }
    if (phase == Phase::Suspend || phase == Phase::Resume || (phase == Phase::Status && stopped && !polling())) {
        result.status = status_byte(phase == Phase::Status ? 0x64 : 0); // RDY, ARDY, suspended
        result.data_at = Picoseconds(now_);
        driver_->segment_done(channel, result);
        if (phase == Phase::Suspend) {
            suspend_end(index);
        } else if (phase == Phase::Resume) {
            resume_end(index);
        } else {
            holder_[on_die] = -1;
        }
        return;
    }
    const Step step = entry.seen.back();
    const bool makes_busy = step.phase != Phase::DataOut && step.phase != Phase::Status;
    if (makes_busy) {
        for (u32 lun : rules_.luns_held(entry.op)) {
            const u64 other = lun == rules_.lun_of(entry.op) ? 0 : 8;
            ready_[lun] = false;
            fall(lun);
            arrays_[lun].ends_at = now_ + times_.falls_ps + duration(times_.busy_ps, 2, index, entry.seen.size() + other);
            ready_at(lun, arrays_[lun].ends_at, index);
            poll_after(lun, polling() ? ticks_of(entry.op, step) : 1);
        }
        if (step.phase == Phase::Feature) {
            arrays_[on_die].level = step.level;
        }
        const bool again = step.phase == Phase::Command && step.level != 0;
        entry.retries += again;
        retries_ += again;
    } else if (step.phase == Phase::DataOut) {
        burst_end(index, step, result);
    } else {
        entry.failed = times_.fail_one_in != 0 && draw64(times_.seed, 4, index) % times_.fail_one_in == 0;
        result.status = status_byte(entry.failed ? 0x61 : 0x60); // RDY and ARDY
    }
    if (entry.seen.size() == entry.plan.size() && entry.op.opcode != FLASH_OP_RESET) {
        entry.bus_over = true;
        entry.over_at = now_;
        holder_[rules_.lun_of(entry.op)] = -1;
    }
    driver_->segment_done(channel, result);
    if (times_.falls_ps == 0 && makes_busy) {
        for (u32 die : rules_.luns_held(entry.op)) {
            tell_ready(die, false);
        }
    }
}

/// The fields of a segment stand until it has ended. Looked at whenever one ends: at each edge it would cost
/// more than the edge.
void FakeFlash::check_segments() const
{
    const auto fields = [](const flash::SegmentRequest& r) {
        return std::tuple(r.ce, r.lun, r.phase, r.opcode, r.plane, r.nplanes, r.col, r.len, r.flags, r.tag,
                          r.row, r.buf, r.oob, r.level);
    };
    for (u32 c = 0; c < geometry_.channels; ++c) {
        if (bus_op_[c] >= 0) {
            EXPECT_TRUE((driver_->model().segments() >> c & 1) != 0 &&
                        fields(driver_->model().segment(c)) == fields(on_bus_[c]))
                << "the segment of channel " << c << " changes before its end";
        }
    }
}

} // namespace tlmssd::tb
