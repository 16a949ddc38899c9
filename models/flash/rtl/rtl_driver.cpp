// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: drives the ports of a Verilated controller and says when its clock must run. No kernel.
#include "models/flash/rtl/rtl_driver.h"

#include <algorithm>
#include <utility>

#include "models/common/error.h"

namespace tlmssd::flash {

namespace {

constexpr u8 kLost = 1; ///< bit 0 of the status byte after a burst out

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
      current_(config.straps.channels), status_(config.straps.channels),
      ecc_(config.tags, config.straps.read_retries), watchdog_(config.tags, config.straps.channels, patience_of(config, *model_))
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

RtlDriver::Landing RtlDriver::pop(Landings& landings)
{
    std::pop_heap(landings.begin(), landings.end(), later);
    const Landing first = landings.back();
    landings.pop_back();
    return first;
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
    ecc_.begin(op.tag);
}

flash_completion RtlDriver::completed_elsewhere(const flash_completion& completion)
{
    --outstanding_;
    return ecc_.judged(completion);
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
    status_[channel] = config_.straps.read_retries != 0 && result.uncorrectable ? kLost : u8{0};
    const RtlEcc::Next next = ecc_.burst_over(request, result);
    if (next != RtlEcc::Next::Burst) {
        Landings& landings = next == RtlEcc::Next::Retry ? retries_ : landings_;
        landings.push_back({ecc_.data_at(request.tag), sequence_++, channel, request});
        std::push_heap(landings.begin(), landings.end(), later);
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
    const Picoseconds landing = landings_.empty() ? wake : min(wake, landings_.front().at);
    return max(now, retries_.empty() ? landing : min(landing, retries_.front().at));
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
        model_->land(true, pop(landings_).last.tag);
    } else {
        model_->land(false, 0);
    }
    drive_retries(now);

    for (u64 bits = ended_ | presented_; bits != 0; bits &= bits - 1) {
        const u32 c = static_cast<u32>(__builtin_ctzll(bits));
        model_->segment_done(c, (ended_ >> c) & 1, status_[c]);
    }
    presented_ = ended_;
    ended_ = 0;
    changed_ = false;
}

/// A pulse for each verdict that has come.
void RtlDriver::drive_retries(Picoseconds now)
{
    const auto drive = [this](const Landing& retry, bool on) {
        model_->retry(retry.channel, (u32{retry.last.ce} << config_.straps.lun_shift) | retry.last.lun, on);
    };
    for (const Landing& retry : presented_retries_) {
        drive(retry, false);
    }
    presented_retries_.clear();
    while (!retries_.empty() && retries_.front().at <= now) {
        presented_retries_.push_back(pop(retries_));
        drive(presented_retries_.back(), true);
        client_.on_rtl_retry(presented_retries_.back().channel, presented_retries_.back().last);
    }
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
    retries_.clear(); // nothing goes on
    const auto edge = [&] {
        at += config_.period.value();
        drive(Picoseconds(at));
        model_->edge(at);
    };
    return registers_->read_counters(config_.straps.channels, edge);
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
        ecc_.segment_starts(current_[c]);
        current_[c].after_status = config_.straps.polling.on && current_[c].phase == Phase::DataOut;
        client_.on_rtl_segment(c, current_[c]);
    }
    if (model_->held_valid()) {
        client_.on_rtl_held(ecc_.judged(model_->held()));
    }
    if (model_->done_valid()) {
        --outstanding_;
        watchdog_.completed(model_->done().tag, now);
        client_.on_rtl_completion(ecc_.judged(model_->done()));
        if (refused_ && outstanding_ < config_.tags) {
            refused_ = false;
            client_.on_rtl_space();
        }
    }
}

} // namespace tlmssd::flash
