// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a flash array of random speed around a bare RTL controller; checks every segment.
#include "tb/rtl/fake_flash.h"

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_registry.h"

namespace tlmssd::tb {

using flash::Phase;

FakeFlash::FakeFlash(const Geometry& geometry, const flash::RtlDriverConfig& config,
                     const FakeTimes& times, const std::string& rtl)
    : FakeFlash(geometry, config, times, flash::make_rtl_model(rtl, false))
{
}

FakeFlash::FakeFlash(const Geometry& geometry, const flash::RtlDriverConfig& config,
                     const FakeTimes& times, std::unique_ptr<flash::RtlModelIf> model)
    : geometry_(geometry), times_(times), config_(config), op_of_tag_(config.tags, -1),
      bus_op_(geometry.channels, -1), ready_(geometry.total_dies(), true),
      arrays_(geometry.total_dies()), on_bus_(geometry.channels), holder_(geometry.total_dies(), -1)
{
    config_.straps.channels = geometry.channels;
    config_.straps.ces = geometry.ces_per_channel();
    config_.straps.luns = geometry.luns_per_ce();
    config_.straps.lun_shift = bits_for(geometry.luns_per_ce());
    config_.straps.page_bits = geometry.page_bits();
    config_.straps.row_lun = geometry.lun_shift();
    flash::RtlClientIf& self = *this;
    driver_ = std::make_unique<flash::RtlDriver>(std::move(model), config_, self);
}

bool FakeFlash::legal(const flash_op& op) const
{
    return op.opcode >= 1 && op.opcode <= 4 && op.channel < geometry_.channels &&
           op.ce < geometry_.ces_per_channel() && op.lun < geometry_.luns_per_ce() &&
           op.nplanes >= 1 && op.nplanes <= 4;
}

std::vector<u32> FakeFlash::luns_held(const flash_op& op) const
{
    std::vector<u32> luns;
    if (op.opcode == FLASH_OP_RESET) {
        for (u32 lun = 0; lun < geometry_.luns_per_ce(); ++lun) {
            luns.push_back(geometry_.die_index_ce(op.channel, op.ce, lun));
        }
    } else {
        luns.push_back(lun_of(op));
    }
    return luns;
}

u64 FakeFlash::duration(u64 mean, u64 purpose, u64 op, u64 step) const
{
    if (!times_.random) {
        return mean;
    }
    const u64 word = draw64(times_.seed, purpose, op * 16 + step);
    if (purpose == 2 && word % 8 == 0) {
        return (word >> 8) % 5000; // R/B# falls and rises between two edges
    }
    return 1 + draw_below(mix64(word), 2 * mean);
}

void FakeFlash::submit_at(u64 at, const flash_op& op)
{
    planned_.push_back(op);
    push(at, Kind::Submit, static_cast<u32>(planned_.size() - 1), 0);
}

void FakeFlash::submit(u32 index)
{
    const flash_op& op = planned_[index];
    if (!waiting_.empty() || !driver_->submit(op)) {
        waiting_.push_back(index);
        ++refused_;
        see("refused: no tag left", true);
        return;
    }
    book(op);
}

void FakeFlash::submit_elsewhere(const flash_op& op)
{
    driver_->submitted_elsewhere(op);
    book(op);
}

void FakeFlash::told_elsewhere(const flash_completion& completion)
{
    on_rtl_completion(driver_->told_elsewhere(completion));
}

void FakeFlash::book(const flash_op& op)
{
    ASSERT_EQ(op_of_tag_[op.tag], -1) << "the test used a tag twice";
    op_of_tag_[op.tag] = static_cast<int>(ops_.size());
    Op entry;
    entry.op = op;
    entry.legal = legal(op);
    if (entry.legal) {
        entry.plan = plan_of(op);
    } else {
        entry.bus_over = true;
    }
    ops_.push_back(std::move(entry));
    if (goals != nullptr) {
        see_submitted(static_cast<u32>(ops_.size() - 1));
    }
}

/// What is inside when an operation comes.
void FakeFlash::see_submitted(u32 index) const
{
    static const char* const names[] = {"", "READ", "PROGRAM", "ERASE", "RESET"};
    const Op& entry = ops_[index];
    if (!entry.legal) {
        see("illegal opcode", entry.op.opcode < 1 || entry.op.opcode > 4);
        see("illegal place", entry.op.channel >= geometry_.channels ||
                                 entry.op.ce >= geometry_.ces_per_channel());
        see("illegal planes", entry.op.nplanes < 1 || entry.op.nplanes > 4);
        see("illegal with others inside", oldest_ < index);
        return;
    }
    see("of no stream", entry.op.stream == FLASH_NO_STREAM);
    for (u32 a = oldest_; a < index; ++a) {
        const Op& earlier = ops_[a];
        if (earlier.done || !earlier.legal) {
            continue;
        }
        see("fence with older ones of its stream inside",
            (entry.op.flags & FLASH_FLAG_FENCE) && earlier.op.stream == entry.op.stream);
        if (depends(entry.op, earlier.op)) {
            goals->see(std::string(names[entry.op.opcode]) + " that depends on " + names[earlier.op.opcode]);
        }
    }
}

/// Whom an operation has passed when it starts.
void FakeFlash::see_started(u32 index) const
{
    const std::size_t luns = luns_held(ops_[index].op).size();
    see("RESET of 3 LUNs", luns == 3);
    see("RESET of 4 LUNs", luns == 4);
    for (u32 a = oldest_; a < index; ++a) {
        const Op& earlier = ops_[a];
        if (earlier.done || !earlier.legal || !earlier.seen.empty()) {
            continue;
        }
        see("passes one of its LUN", luns_held(earlier.op) == luns_held(ops_[index].op));
        see("passes one of another LUN", earlier.op.channel == ops_[index].op.channel &&
                                             luns_held(earlier.op) != luns_held(ops_[index].op));
        see("passes one of another channel", earlier.op.channel != ops_[index].op.channel);
    }
}

void FakeFlash::on_rtl_space()
{
    std::vector<u32> again;
    again.swap(waiting_);
    for (u32 index : again) {
        submit(index);
    }
}

/// Rules for an operation's first segment.
void FakeFlash::check_start(u32 index)
{
    const Op& entry = ops_[index];
    for (u32 lun : luns_held(entry.op)) {
        const int stopped = arrays_[lun].stopped;
        if (stopped >= 0) {
            EXPECT_EQ(entry.op.opcode, FLASH_OP_READ) << "beside what is suspended";
            EXPECT_GE(entry.op.flags & FLASH_FLAG_PRIORITY_MASK, config_.straps.suspend_priority);
            EXPECT_FALSE(depends(entry.op, ops_[static_cast<u32>(stopped)].op))
                << "operation " << index << " needs what is suspended";
        }
        EXPECT_EQ(holder_[lun], -1) << "two operations on one LUN";
        EXPECT_TRUE(ready_[lun]) << "started on a busy LUN";
        holder_[lun] = static_cast<int>(index);
    }
    ooo() ? check_dependencies(index) : check_in_order(index);
}

void FakeFlash::check_in_order(u32 index) const
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
            for (u32 l : luns_held(before.op)) {
                for (u32 m : luns_held(earlier.op)) {
                    EXPECT_NE(l, m) << "the head did not block operation " << index;
                }
            }
        }
    }
}

/// What the younger one has to wait for: the array must see both in order.
bool FakeFlash::depends(const flash_op& younger, const flash_op& older) const
{
    if (luns_held(younger) != luns_held(older)) {
        const bool reset = younger.opcode == FLASH_OP_RESET || older.opcode == FLASH_OP_RESET;
        return reset && younger.channel == older.channel && younger.ce == older.ce;
    }
    if (younger.opcode == FLASH_OP_RESET || older.opcode == FLASH_OP_RESET) {
        return true;
    }
    if (younger.opcode == FLASH_OP_READ && older.opcode == FLASH_OP_READ) {
        return false;
    }
    const bool erase = younger.opcode == FLASH_OP_ERASE || older.opcode == FLASH_OP_ERASE;
    const u32 shift = erase || younger.opcode == older.opcode ? geometry_.page_bits() : 0;
    for (u32 i = 0; i < younger.nplanes; ++i) {
        for (u32 j = 0; j < older.nplanes; ++j) {
            if (younger.row[i] >> shift == older.row[j] >> shift) {
                return true;
            }
        }
    }
    return false;
}

/// Out of order: all that it depends on has started before (the LUN is free, so it has ended), and
/// behind a fence all of its stream has completed.
void FakeFlash::check_dependencies(u32 index) const
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
        if (earlier.seen.empty()) {
            EXPECT_FALSE(depends(op, earlier.op))
                << "operation " << index << " passed " << a << ", on which it depends";
        }
    }
}

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
    EXPECT_EQ(holder_[lun_of(entry.op)], static_cast<int>(index));
    EXPECT_EQ(arrays_[lun_of(entry.op)].stopped, -1) << "suspended twice";
    EXPECT_LT(entry.suspends, config_.straps.suspends);
    if (entry.suspends != 0 && !polling()) { // a poll that finds it busy is progress, too
        EXPECT_GE(now_ - entry.works_from, u64{config_.straps.suspend_progress} << 16 >> 1)
            << "too soon after its resume";
    }
    bool wanted = false;
    for (const Op& read : ops_) {
        wanted = wanted || (!read.done && read.legal && read.seen.empty() &&
                            read.op.opcode == FLASH_OP_READ && lun_of(read.op) == lun_of(entry.op) &&
                            (read.op.flags & FLASH_FLAG_PRIORITY_MASK) >=
                                config_.straps.suspend_priority &&
                            !depends(read.op, entry.op));
    }
    EXPECT_TRUE(wanted) << "no read waits for operation " << index << " to be suspended";
}

/// Segments that belong to a suspension; true: they are no step of the operation's plan.
bool FakeFlash::goes_on(u32 index, const flash::SegmentRequest& r)
{
    Op& entry = ops_[index];
    const u32 die = lun_of(entry.op);
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
            EXPECT_FALSE(arrays_[asked].told) << "polled a LUN that is known to be ready";
            return true;
        }
        EXPECT_TRUE(ready_[die]);
        return arrays_[die].stopped == static_cast<int>(index);
    default:
        return false;
    }
}

/// R/B# of `die` rises at `at`; what it was to rise at before is stale.
void FakeFlash::ready_at(u32 die, u64 at, u32 index)
{
    arrays_[die].ready_at = at;
    push(at, Kind::Ready, die, index);
}

/// No effect on a die that is ready, or that ends by itself before.
void FakeFlash::suspend_end(u32 index)
{
    const u32 die = lun_of(ops_[index].op);
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
    const u32 die = lun_of(entry.op);
    Array& array = arrays_[die];
    array.stopped = -1;
    array.ends_at = now_ + array.left;
    entry.works_from = now_;
    ready_[die] = false;
    array.told = false;
    array.poll_from = 0; // of what was left
    ready_at(die, array.ends_at, index);
    tell_ready(die, false);
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
    arrays_[die].told = false;
    arrays_[die].poll_from = now_ + (u64{ticks - 1} << 16);
}

/// Until the first poll of what a segment has begun.
u32 FakeFlash::ticks_of(const flash_op& op, bool last) const
{
    const flash::RtlPolling& p = config_.straps.polling;
    return op.opcode == FLASH_OP_RESET     ? p.reset
           : !last                         ? p.plane_queue
           : op.opcode == FLASH_OP_READ    ? p.read
           : op.opcode == FLASH_OP_PROGRAM ? p.program
                                           : p.erase;
}

/// The byte of a poll. False: it is the status byte that ends its operation.
bool FakeFlash::poll_end(u32 index, const flash::SegmentRequest& r, flash::SegmentResult& result)
{
    Op& entry = ops_[index];
    const u32 die = geometry_.die_index_ce(entry.op.channel, r.ce, r.lun);
    Array& array = arrays_[die];
    if (!ready_[die]) {
        result.status = 0x80;
        array.poll_from = now_ + (u64{config_.straps.polling.interval - 1} << 16);
        ++polls_;
        see("polls a busy LUN", true);
        return true;
    }
    see("polls a LUN of a RESET", entry.op.opcode == FLASH_OP_RESET);
    array.told = true;
    result.status = 0x60;
    if (array.stopped == static_cast<int>(index)) {
        result.status = 0x64;
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

void FakeFlash::on_rtl_segment(u32 channel, const flash::SegmentRequest& r)
{
    trace_.emplace_back(now_, channel, r.tag, static_cast<u32>(r.phase), r.plane);
    ASSERT_LT(r.tag, op_of_tag_.size());
    const int index = op_of_tag_[r.tag];
    ASSERT_GE(index, 0) << "a segment of no operation";
    Op& entry = ops_[static_cast<u32>(index)];
    const flash_op& op = entry.op;
    ASSERT_EQ(channel, op.channel);
    ASSERT_EQ(bus_op_[channel], -1) << "the bus is booked twice";
    bus_op_[channel] = index;

    on_bus_[channel] = r;
    if (polling() && r.phase != Phase::Status && r.phase != Phase::Suspend) {
        EXPECT_TRUE(arrays_[lun_of(op)].told) << "nobody has found the LUN ready";
    }
    u64 number = entry.seen.size() + 1;
    if (goes_on(static_cast<u32>(index), r)) {
        EXPECT_TRUE(polling() || r.plane + 1 == op.nplanes);
        number = 8 + entry.suspends % 4;
    } else {
        if (entry.seen.empty()) {
            check_start(static_cast<u32>(index));
            if (goals != nullptr) {
                see_started(static_cast<u32>(index));
            }
        }
        ASSERT_LT(entry.seen.size(), entry.plan.size()) << "more segments than the operation has";
        const Step step{r.phase, r.plane};
        EXPECT_TRUE(step == entry.plan[entry.seen.size()]) << "segments out of order";
        EXPECT_TRUE(ready_[lun_of(op)]) << "a segment for a busy LUN";
        entry.seen.push_back(step);
    }

    EXPECT_EQ(r.ce, op.ce);
    if (op.opcode == FLASH_OP_RESET && r.phase == Phase::Status) { // a poll of one of its LUNs
        EXPECT_EQ(r.row, geometry_.row(r.lun, 0, 0, 0));
        push(now_ + duration(times_.segment_ps, 1, static_cast<u64>(index), 8 + r.lun),
             Kind::SegmentEnd, channel, 0);
        return;
    }
    EXPECT_EQ(r.lun, op.lun);
    EXPECT_EQ(r.opcode, op.opcode);
    EXPECT_EQ(r.flags, op.flags);
    EXPECT_EQ(r.nplanes, op.opcode == FLASH_OP_RESET ? 1 : op.nplanes);
    EXPECT_EQ(r.row, op.row[r.plane]);
    EXPECT_EQ(r.buf, op.buf[r.plane]);
    EXPECT_EQ(r.col, op.col[r.plane]);
    EXPECT_EQ(r.len, op.len[r.plane]);
    EXPECT_EQ(r.oob, op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + 16u * r.plane);
    push(now_ + duration(times_.segment_ps, 1, static_cast<u64>(index), number),
         Kind::SegmentEnd, channel, 0);
}

void FakeFlash::segment_end(u32 channel)
{
    check_segments();
    const u32 index = static_cast<u32>(bus_op_[channel]);
    bus_op_[channel] = -1;
    Op& entry = ops_[index];
    flash::SegmentResult result;
    u64 data_at = now_;
    const Phase phase = on_bus_[channel].phase;
    const u32 on_die = lun_of(entry.op);
    const bool stopped = arrays_[on_die].stopped == static_cast<int>(index);
    if (polling() && phase == Phase::Status && poll_end(index, on_bus_[channel], result)) {
        result.data_at = Picoseconds(now_);
        driver_->segment_done(channel, result);
        return;
    }
    if (phase == Phase::Suspend || phase == Phase::Resume || (phase == Phase::Status && stopped && !polling())) {
        result.status = phase == Phase::Status ? 0x64 : 0; // RDY, ARDY, suspended
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
    const bool last = entry.seen.size() == entry.plan.size();
    if (step.phase == Phase::Command || step.phase == Phase::DataIn) {
        for (u32 lun : luns_held(entry.op)) {
            const u64 other = lun == lun_of(entry.op) ? 0 : 8;
            ready_[lun] = false;
            arrays_[lun].ends_at = now_ + duration(times_.busy_ps, 2, index, entry.seen.size() + other);
            ready_at(lun, arrays_[lun].ends_at, index);
            poll_after(lun, polling() ? ticks_of(entry.op, step.plane + 1 == entry.op.nplanes) : 1);
        }
    } else if (step.phase == Phase::DataOut) {
        data_at = now_ + duration(times_.landing_ps, 3, index, entry.seen.size());
        entry.landed_at = std::max(entry.landed_at, data_at);
        if (times_.lost_one_in != 0 &&
            draw64(times_.seed, 5, index * u64{4} + step.plane) % times_.lost_one_in == 0) {
            result.uncorrectable = true;
            entry.lost_planes |= 1u << step.plane;
        } else {
            result.corrected = static_cast<u16>(1 + index % 7);
            entry.corrected += result.corrected;
        }
    } else {
        result.status = 0x60; // RDY and ARDY
        if (times_.fail_one_in != 0 && draw64(times_.seed, 4, index) % times_.fail_one_in == 0) {
            result.status = 0x61;
            entry.failed = true;
        }
    }
    if (last && entry.op.opcode != FLASH_OP_RESET) {
        entry.bus_over = true;
        entry.over_at = now_;
        holder_[lun_of(entry.op)] = -1;
    }
    result.data_at = Picoseconds(data_at);
    driver_->segment_done(channel, result);
    if (step.phase == Phase::Command || step.phase == Phase::DataIn) {
        for (u32 die : luns_held(entry.op)) {
            tell_ready(die, false);
        }
    }
}

void FakeFlash::on_rtl_completion(const flash_completion& completion)
{
    trace_.emplace_back(now_, 255, completion.tag, completion.status, 0);
    ASSERT_LT(completion.tag, op_of_tag_.size());
    const int index = op_of_tag_[completion.tag];
    ASSERT_GE(index, 0) << "a completion of no operation";
    op_of_tag_[completion.tag] = -1;
    Op& entry = ops_[static_cast<u32>(index)];
    EXPECT_FALSE(entry.done);
    EXPECT_TRUE(entry.bus_over) << "completed before its end";
    EXPECT_EQ(entry.seen.size(), entry.plan.size()) << "completed with segments missing";
    EXPECT_GE(now_, entry.landed_at) << "completed before its data were in DRAM";
    EXPECT_EQ(completion.cookie, entry.op.cookie);
    const u32 status = !entry.legal             ? FLASH_STATUS_ILLEGAL
                       : entry.failed           ? FLASH_STATUS_FAIL
                       : entry.lost_planes != 0 ? FLASH_STATUS_UNCORRECTABLE
                                                : FLASH_STATUS_OK;
    EXPECT_EQ(completion.status, status);
    if (entry.held) {
        EXPECT_EQ(completion.status, entry.completion.status) << "it ended otherwise";
        EXPECT_EQ(completion.failed_planes, entry.completion.failed_planes);
    }
    EXPECT_EQ(completion.failed_planes,
              entry.failed ? (1u << entry.op.nplanes) - 1 : entry.lost_planes);
    EXPECT_EQ(completion.corrected, entry.corrected) << "of planes that could be corrected";
    if (ooo() && entry.legal && entry.op.stream != FLASH_NO_STREAM) {
        for (u32 a = oldest_; a < static_cast<u32>(index); ++a) {
            EXPECT_TRUE(ops_[a].done || !ops_[a].legal || ops_[a].op.stream != entry.op.stream)
                << "operation " << index << " was told before " << a << " of its stream";
        }
    }
    see("ends with OK", status == FLASH_STATUS_OK);
    see("ends with FAIL", status == FLASH_STATUS_FAIL);
    see("ends with UNCORRECTABLE", status == FLASH_STATUS_UNCORRECTABLE);
    see("told long after its end", entry.legal && now_ > std::max(entry.over_at, entry.landed_at) + 1000000);
    entry.done = true;
    entry.completion = completion;
    ++completed_;
    while (oldest_ < ops_.size() && ops_[oldest_].done) {
        ++oldest_;
    }
    if (on_completion) {
        on_completion(completion);
    }
}

/// It has ended, and an older one of its stream has not been told.
void FakeFlash::on_rtl_held(const flash_completion& completion)
{
    const int index = op_of_tag_[completion.tag];
    ASSERT_GE(index, 0) << "the end of no operation";
    Op& entry = ops_[static_cast<u32>(index)];
    EXPECT_FALSE(entry.done || entry.held);
    EXPECT_TRUE(entry.bus_over && now_ >= entry.landed_at) << "held back before its end";
    bool waits = false;
    for (u32 a = oldest_; a < static_cast<u32>(index); ++a) {
        waits |= !ops_[a].done && ops_[a].op.stream == entry.op.stream;
    }
    EXPECT_TRUE(waits && ooo() && entry.op.stream != FLASH_NO_STREAM) << "held back for nothing";
    entry.held = true;
    entry.completion = completion;
    ++held_;
}

void FakeFlash::handle(const Event& event)
{
    switch (event.kind) {
    case Kind::Submit:
        submit(event.a);
        break;
    case Kind::SegmentEnd:
        segment_end(event.a);
        break;
    case Kind::Ready: {
        if (ready_[event.a] || arrays_[event.a].ready_at != event.at) {
            break; // stale: it was suspended
        }
        ready_[event.a] = true;
        Op& entry = ops_[event.b];
        if (entry.op.opcode == FLASH_OP_RESET && event.a == lun_of(entry.op)) {
            for (u32 lun : luns_held(entry.op)) {
                holder_[lun] = -1; // but R/B# of the others may be low still
            }
            entry.bus_over = true;
            entry.over_at = now_;
        }
        tell_ready(event.a, true);
        break;
    }
    }
}

FakeFlash::Outputs FakeFlash::outputs() const
{
    const flash::RtlModelIf& model = driver_->model();
    return {model.segments(), model.op_ready(), model.done_valid(), model.land_ready(),
            model.idle()};
}

/// The fields of a segment stand until it has ended. Looked at whenever one ends: at each edge it would cost
/// more than the edge.
void FakeFlash::check_segments() const
{
    const auto fields = [](const flash::SegmentRequest& r) {
        return std::tuple(r.ce, r.lun, r.phase, r.opcode, r.plane, r.nplanes, r.col, r.len, r.flags, r.tag,
                          r.row, r.buf, r.oob);
    };
    for (u32 c = 0; c < geometry_.channels; ++c) {
        if (bus_op_[c] >= 0) {
            EXPECT_TRUE((driver_->model().segments() >> c & 1) != 0 &&
                        fields(driver_->model().segment(c)) == fields(on_bus_[c]))
                << "the segment of channel " << c << " changes before its end";
        }
    }
}

bool FakeFlash::run(u64 limit_ps)
{
    for (;;) {
        const u64 edge = driver_->next_edge(Picoseconds(now_)).value();
        const u64 event = events_.empty() ? kTimeNever.value() : events_.top().at;
        const u64 next = std::min(edge, event);
        const bool over = events_.empty() && driver_->inside() == 0 && waiting_.empty() &&
                          (driver_->registers() == nullptr || !driver_->registers()->busy());
        if (over && (!config_.gated || !driver_->model().knows_idle() || next == kTimeNever.value())) {
            return true;
        }
        if (next > limit_ps || testing::Test::HasFatalFailure()) {
            return false;
        }
        now_ = next;
        if (event <= edge) { // at one time the clock comes last
            const Event first = events_.top();
            events_.pop();
            handle(first);
        } else {
            const bool quiet = Picoseconds(now_) < driver_->needed(Picoseconds(now_));
            const Outputs before = outputs();
            see("front FIFO full", !driver_->model().op_ready());
            see("idle with operations inside", driver_->model().idle() && driver_->inside() != 0);
            see("all channels at work", driver_->model().segments() == (u64{1} << geometry_.channels) - 1);
            driver_->edge(Picoseconds(now_));
            if (after_edge) {
                after_edge();
            }
            EXPECT_TRUE(!quiet || before == outputs()) << "idle, but an edge changed outputs";
            quiet_edges_ += quiet;
        }
    }
}

} // namespace tlmssd::tb
