// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: drives the ports of a Verilated controller and says when its clock must run. No kernel.
#include "models/flash/rtl/rtl_driver.h"

#include <algorithm>
#include <utility>

#include "models/common/error.h"

namespace tlmssd::flash {

namespace {

/// Longer than the controller's own time outs, which take up to two. Where it does not say when it is idle
/// its edges say nothing either: an erase alone may take more of them.
RtlPatience patience_of(const RtlDriverConfig& config, const RtlModelIf& model)
{
    RtlPatience patience = config.patience;
    patience.time = max(patience.time, Picoseconds(u64{config.straps.timeout} << 22));
    if (!model.knows_idle()) {
        patience.edges = ~u64{0};
    }
    return patience;
}

} // namespace

RtlDriver::RtlDriver(std::unique_ptr<RtlModelIf> model, const RtlDriverConfig& config,
                     RtlClientIf& client)
    : model_(std::move(model)), config_(config), client_(client), fifo_(config.tags),
      current_(config.straps.channels), status_(config.straps.channels), data_at_(config.tags),
      verdicts_(config.tags), watchdog_(config.tags, config.straps.channels, patience_of(config, *model_))
{
    landings_.reserve(config.tags);
    config_.straps.period_ps = config.period.value();
    model_->reset(config_.straps);
    if (model_->has_registers()) {
        registers_ = std::make_unique<RtlRegisters>(*model_);
    }
}

bool RtlDriver::later(const Landing& a, const Landing& b)
{
    return a.at != b.at ? b.at < a.at : b.sequence < a.sequence;
}

bool RtlDriver::submit(const flash_op& op)
{
    if (outstanding_ == config_.tags) {
        refused_ = true;
        return false;
    }
    if (op.tag >= config_.tags) {
        throw ModelError("rtl: flash_op with a tag that the controller does not have");
    }
    u32 tail = fifo_head_ + fifo_count_;
    if (tail >= config_.tags) {
        tail -= config_.tags;
    }
    fifo_[tail] = op;
    ++fifo_count_;
    submitted_elsewhere(op);
    return true;
}

void RtlDriver::submitted_elsewhere(const flash_op& op)
{
    ++outstanding_;
    data_at_[op.tag] = Picoseconds(0);
    verdicts_[op.tag] = Verdict{};
}

flash_completion RtlDriver::completed_elsewhere(const flash_completion& completion)
{
    --outstanding_;
    return judged(completion);
}

void RtlDriver::segment_done(u32 channel, const SegmentResult& result)
{
    const u64 bit = u64{1} << channel;
    if ((running_ & bit) == 0 || (ended_ & bit) != 0) {
        throw ModelError("rtl: the end of a segment that does not run");
    }
    ended_ |= bit;
    status_[channel] = result.status;
    const SegmentRequest& request = current_[channel];
    watchdog_.segment_ends(channel, request.phase);
    if (request.phase != Phase::DataOut) {
        return;
    }
    data_at_[request.tag] = max(data_at_[request.tag], result.data_at);
    Verdict& verdict = verdicts_[request.tag];
    if (result.uncorrectable) {
        verdict.lost_planes = static_cast<u8>(verdict.lost_planes | 1u << request.plane);
    } else {
        verdict.corrected += result.corrected;
    }
    if (request.plane + 1 == request.nplanes) {
        landings_.push_back({data_at_[request.tag], sequence_++, request.tag});
        std::push_heap(landings_.begin(), landings_.end(), later);
    }
}

void RtlDriver::ready(u32 channel, u32 ce, u32 lun, bool is_ready)
{
    model_->ready(channel, (ce << config_.straps.lun_shift) | lun, is_ready);
    changed_ = true;
}

Picoseconds RtlDriver::needed(Picoseconds now) const
{
    const bool can_offer = fifo_count_ != 0 && model_->op_ready();
    if (changed_ || ended_ != 0 || can_offer || (registers_ && registers_->busy()) || !model_->idle()) {
        return now;
    }
    const Picoseconds wake(model_->wake_at());
    return max(now, landings_.empty() ? wake : min(wake, landings_.front().at));
}

Picoseconds RtlDriver::next_edge(Picoseconds now) const
{
    const Picoseconds wanted = config_.gated ? needed(now) : now;
    if (wanted == kTimeNever) {
        return kTimeNever;
    }
    const u64 period = config_.period.value();
    Picoseconds at((wanted.value() + period - 1) / period * period);
    if (edge_run_ && at <= last_edge_) {
        at = last_edge_ + config_.period;
    }
    return at;
}

void RtlDriver::drive(Picoseconds now)
{
    const bool offering = fifo_count_ != 0 && model_->op_ready();
    model_->offer(offering ? &fifo_[fifo_head_] : nullptr);
    if (offering) {
        watchdog_.taken(fifo_[fifo_head_], now);
        fifo_head_ = fifo_head_ + 1 == config_.tags ? 0 : fifo_head_ + 1;
        --fifo_count_;
    }

    const bool landing = !landings_.empty() && landings_.front().at <= now && model_->land_ready();
    if (landing) {
        model_->land(true, landings_.front().tag);
        std::pop_heap(landings_.begin(), landings_.end(), later);
        landings_.pop_back();
    } else {
        model_->land(false, 0);
    }

    for (u64 bits = ended_ | presented_; bits != 0; bits &= bits - 1) {
        const u32 c = static_cast<u32>(__builtin_ctzll(bits));
        model_->segment_done(c, (ended_ >> c) & 1, status_[c]);
    }
    presented_ = ended_;
    ended_ = 0;
    changed_ = false;
}

void RtlDriver::edge(Picoseconds now)
{
    drive(now);
    if (registers_) {
        registers_->drive();
    }
    model_->edge(now.value());
    last_edge_ = now;
    edge_run_ = true;
    ++edges_;
    collect(now);
    watchdog_.edge(now, model_->idle());
    if (registers_) {
        registers_->sample();
    }
}

RtlCounters RtlDriver::finish(Picoseconds now)
{
    // Not at `now` itself: whether that edge has run is not the same with and without gating.
    u64 at = now.value() / config_.period.value() * config_.period.value();
    const auto edge = [&] {
        at += config_.period.value();
        drive(Picoseconds(at));
        model_->edge(at);
    };
    return registers_->read_counters(config_.straps.channels, edge);
}

flash_completion RtlDriver::judged(flash_completion completion) const
{
    if (completion.status == FLASH_STATUS_OK) { // the tag of an ILLEGAL one may be any
        const Verdict& verdict = verdicts_[completion.tag];
        completion.corrected = static_cast<u16>(std::min<u32>(verdict.corrected, 0xffff));
        completion.failed_planes = verdict.lost_planes;
        if (verdict.lost_planes != 0) {
            completion.status = FLASH_STATUS_UNCORRECTABLE;
        }
    }
    return completion;
}

void RtlDriver::collect(Picoseconds now)
{
    const u64 valid = model_->segments();
    const u64 started = valid & ~running_;
    running_ = valid;
    for (u64 bits = started; bits != 0; bits &= bits - 1) {
        const u32 c = static_cast<u32>(__builtin_ctzll(bits));
        current_[c] = model_->segment(c);
        watchdog_.segment_starts(c, current_[c], now);
        current_[c].after_status = config_.straps.polling.on && current_[c].phase == Phase::DataOut;
        client_.on_rtl_segment(c, current_[c]);
    }
    if (model_->held_valid()) {
        client_.on_rtl_held(judged(model_->held()));
    }
    if (model_->done_valid()) {
        --outstanding_;
        watchdog_.completed(model_->done().tag, now);
        client_.on_rtl_completion(judged(model_->done()));
        if (refused_ && outstanding_ < config_.tags) {
            refused_ = false;
            client_.on_rtl_space();
        }
    }
}

} // namespace tlmssd::flash
