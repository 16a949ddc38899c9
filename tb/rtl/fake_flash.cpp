// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the fake flash's operations from submission to completion, and its events in time.
#include "tb/rtl/fake_flash.h"

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_registry.h"

namespace tlmssd::tb {

FakeFlash::FakeFlash(const Geometry& geometry, const flash::RtlDriverConfig& config,
                     const FakeTimes& times, const std::string& rtl)
    : FakeFlash(geometry, config, times, flash::make_rtl_model(rtl, false))
{
}

FakeFlash::FakeFlash(const Geometry& geometry, const flash::RtlDriverConfig& config,
                     const FakeTimes& times, std::unique_ptr<flash::RtlModelIf> model)
    : geometry_(geometry), rules_(geometry), times_(times), config_(config), op_of_tag_(config.tags, -1),
      abort_tags_(config.tags, false),
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

void FakeFlash::completed_elsewhere(const flash_completion& completion)
{
    on_rtl_completion(driver_->completed_elsewhere(completion));
}

void FakeFlash::book(const flash_op& op)
{
    ASSERT_EQ(op_of_tag_[op.tag], -1) << "the test used a tag twice";
    op_of_tag_[op.tag] = static_cast<int>(ops_.size());
    Op entry;
    entry.op = op;
    entry.legal = rules_.legal(op);
    entry.may_abort = abort_tags_[op.tag] ||
                      (op.channel < geometry_.channels && (abort_channels_ >> op.channel & 1) != 0);
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
        if (rules_.depends(entry.op, earlier.op)) {
            goals->see(std::string(names[entry.op.opcode]) + " that depends on " + names[earlier.op.opcode]);
        }
    }
}

/// Whom an operation has passed when it starts.
void FakeFlash::see_started(u32 index) const
{
    const std::size_t luns = rules_.luns_held(ops_[index].op).size();
    see("RESET of 3 LUNs", luns == 3);
    see("RESET of 4 LUNs", luns == 4);
    for (u32 a = oldest_; a < index; ++a) {
        const Op& earlier = ops_[a];
        if (earlier.done || !earlier.legal || !earlier.seen.empty()) {
            continue;
        }
        see("passes one of its LUN", rules_.luns_held(earlier.op) == rules_.luns_held(ops_[index].op));
        see("passes one of another LUN", earlier.op.channel == ops_[index].op.channel &&
                                             rules_.luns_held(earlier.op) != rules_.luns_held(ops_[index].op));
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

void FakeFlash::on_rtl_completion(const flash_completion& completion)
{
    trace_.emplace_back(now_, 255, completion.tag, completion.status, 0);
    ASSERT_LT(completion.tag, op_of_tag_.size());
    const int index = op_of_tag_[completion.tag];
    ASSERT_GE(index, 0) << "a completion of no operation";
    op_of_tag_[completion.tag] = -1;
    Op& entry = ops_[static_cast<u32>(index)];
    EXPECT_FALSE(entry.done);
    if (completion.status == FLASH_STATUS_ABORTED && !entry.aborted) {
        abort(static_cast<u32>(index));
    }
    EXPECT_TRUE(entry.bus_over) << "completed before its end";
    if (!entry.aborted) {
        EXPECT_EQ(entry.seen.size(), entry.plan.size()) << "completed with segments missing";
        EXPECT_GE(now_, entry.landed_at) << "completed before its data were in DRAM";
    }
    EXPECT_EQ(completion.cookie, entry.op.cookie);
    const u32 status = !entry.legal             ? FLASH_STATUS_ILLEGAL
                       : entry.aborted          ? FLASH_STATUS_ABORTED
                       : entry.failed           ? FLASH_STATUS_FAIL
                       : entry.lost_planes != 0 ? FLASH_STATUS_UNCORRECTABLE
                                                : FLASH_STATUS_OK;
    EXPECT_EQ(completion.status, status);
    if (entry.held) {
        EXPECT_EQ(completion.status, entry.completion.status) << "it ended otherwise";
        EXPECT_EQ(completion.failed_planes, entry.completion.failed_planes);
    }
    EXPECT_EQ(completion.failed_planes,
              entry.failed || entry.aborted ? (1u << entry.op.nplanes) - 1 : entry.lost_planes);
    EXPECT_EQ(completion.corrected, entry.corrected) << "of planes that could be corrected";
    EXPECT_EQ(completion.retries, entry.retries) << "pages read again";
    if (ooo() && entry.legal && entry.op.stream != FLASH_NO_STREAM) {
        for (u32 a = oldest_; a < static_cast<u32>(index); ++a) {
            EXPECT_TRUE(ops_[a].done || !ops_[a].legal || ops_[a].op.stream != entry.op.stream)
                << "operation " << index << " was told before " << a << " of its stream";
        }
    }
    see("ends with OK", status == FLASH_STATUS_OK);
    see("ends with FAIL", status == FLASH_STATUS_FAIL);
    see("ends with UNCORRECTABLE", status == FLASH_STATUS_UNCORRECTABLE);
    see("ends well after a retry", status == FLASH_STATUS_OK && entry.retries != 0);
    see("lost at every level", status == FLASH_STATUS_UNCORRECTABLE && entry.retries != 0);
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

/// ECC's verdict: at the latest landing of the bursts that it is about.
void FakeFlash::on_rtl_retry(u32 channel, const flash::SegmentRequest& request)
{
    const int index = op_of_tag_[request.tag];
    ASSERT_GE(index, 0) << "a verdict on no operation";
    Op& entry = ops_[static_cast<u32>(index)];
    EXPECT_EQ(channel, entry.op.channel);
    EXPECT_FALSE(entry.judged) << "a verdict that is not due";
    EXPECT_GE(now_, entry.landed_at);
    EXPECT_LT(now_, entry.landed_at + config_.period.value()) << "at the first edge that sees it";
    entry.judged = true;
}

/// It has ended, and an older one of its stream has not been told.
void FakeFlash::on_rtl_held(const flash_completion& completion)
{
    const int index = op_of_tag_[completion.tag];
    ASSERT_GE(index, 0) << "the end of no operation";
    Op& entry = ops_[static_cast<u32>(index)];
    EXPECT_FALSE(entry.done || entry.held);
    if (completion.status == FLASH_STATUS_ABORTED && !entry.aborted) {
        abort(static_cast<u32>(index));
    }
    EXPECT_TRUE(entry.bus_over && (entry.aborted || now_ >= entry.landed_at)) << "held back before its end";
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
    case Kind::Fall:
        tell_ready(event.a, false);
        break;
    case Kind::Ready: {
        if (ready_[event.a] || arrays_[event.a].ready_at != event.at) {
            break; // stale: it was suspended
        }
        ready_[event.a] = true;
        Op& entry = ops_[event.b];
        if (entry.op.opcode == FLASH_OP_RESET && event.a == rules_.lun_of(entry.op)) {
            for (u32 lun : rules_.luns_held(entry.op)) {
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

bool FakeFlash::run(u64 limit_ps)
{
    for (;;) {
        const u64 edge = driver_->next_edge(Picoseconds(now_)).value();
        const u64 event = events_.empty() ? kTimeNever.value() : events_.top().at;
        const u64 next = std::min(edge, event);
        const bool over = events_.empty() && driver_->outstanding() == 0 && waiting_.empty() &&
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
            see("idle with operations outstanding", driver_->model().idle() && driver_->outstanding() != 0);
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
