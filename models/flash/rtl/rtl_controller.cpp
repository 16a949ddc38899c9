// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an RTL flash controller in the model: a clock on the event queue and ports as calls.
#include "models/flash/rtl/rtl_controller.h"

#include <memory>
#include <utility>

#include "models/flash/o3/o3_regs.h"
#include "models/flash/rtl/rtl_registry.h"
#include "models/flash/rtl/rtl_straps.h"
#include "models/observe/fst/waves.h"
#include "models/onfi/bus/timing.h"

namespace tlmssd::flash {
namespace {

Picoseconds clock_period(const config::Controller& config)
{
    return Picoseconds((1000000u + config.clock_mhz / 2) / config.clock_mhz);
}

RtlDriver make_driver(const config::Controller& config, const Geometry& geometry,
                      observe::Waves* waves, const RtlSensing& sensing, u32 no_grants,
                      RtlClientIf& client)
{
    const bool ooo = config.mode == config::ControllerMode::Ooo; // else the policy has no effect
    std::unique_ptr<RtlModelIf> model =
        make_rtl_model(config.rtl, waves != nullptr,
                       ooo ? config.issue_policy : config::IssuePolicy::FirstCome);
    RtlDriverConfig driver;
    driver.straps = rtl_straps(config, geometry, model->shape());
    driver.straps.no_grants = no_grants;
    driver.straps.polling = sensing.polling;
    if (sensing.falls_within != Picoseconds()) {
        driver.straps.ready_synchronous = false;
        driver.straps.ready_mask = ready_mask(sensing.falls_within, clock_period(config));
    }
    driver.tags = config.tags;
    driver.period = clock_period(config);
    driver.gated = config.clock_gating;
    return RtlDriver(std::move(model), driver, client);
}

} // namespace

RtlSensing rtl_sensing(const config::Onfi& bus, const config::Nand& part, u32 luns_per_ce)
{
    const Picoseconds t_wb = onfi::data_sheet(bus.interface, bus.mode).t_wb;
    RtlSensing sensing;
    RtlPolling& p = sensing.polling;
    p.on = bus.ready == config::ReadySense::Status ||
           (bus.ready == config::ReadySense::Target && luns_per_ce > 1);
    if (part.ready_falls != config::ReadyFalls::AtOnce) {
        sensing.falls_within = t_wb;
    }
    if (p.on) {
        p.read = rtl_ticks("nand.t_read_us", part.t_read, t_wb);
        p.program = rtl_ticks("nand.t_program_us", part.t_program, t_wb);
        p.erase = rtl_ticks("nand.t_erase_us", part.t_erase, t_wb);
        p.plane_queue = rtl_ticks("nand.t_plane_queue_us", part.t_plane_queue, t_wb);
        p.reset = rtl_ticks("nand.t_reset_idle_us", part.t_reset_idle, t_wb);
        p.feature = rtl_ticks("nand.t_feature_us", part.t_feature, t_wb);
        p.suspend_program = rtl_ticks("nand.t_suspend_program_us", part.t_suspend_program);
        p.suspend_erase = rtl_ticks("nand.t_suspend_erase_us", part.t_suspend_erase);
        p.interval = rtl_ticks("onfi.poll_us", bus.poll_interval);
    }
    return sensing;
}

RtlController::RtlController(sc_core::sc_module_name name, time::EventQueue& event_queue,
                             const config::Controller& config, const Geometry& geometry,
                             SegmentPortIf& port, observe::Waves* waves,
                             const RtlSensing& sensing, u32 no_grants)
    : sc_core::sc_module(name), event_queue_(event_queue), geometry_(geometry), port_(port), waves_(waves),
      tags_(config.tags),
      period_(clock_period(config)),
      clock_(event_queue, time::Priority::Clock,
             time::Timer::call<&RtlController::on_clock, RtlController>, this),
      fall_(event_queue, time::Priority::Clock,
            time::Timer::call<&RtlController::on_fall, RtlController>, this),
      driver_(make_driver(config, geometry, waves, sensing, no_grants, *this)),
      order_(config.tags, config.mode != config::ControllerMode::Ooo),
      goes_on_(geometry.total_dies(), 0)
{
    port_.bind(*this);
    if (waves_ != nullptr) {
        waves_->attach([this](VerilatedFstC& file) { driver_.model().trace(file); });
    }
}

void RtlController::start_of_simulation() { rearm(); }

bool RtlController::submit(const flash_op& op)
{
    const bool taken = driver_.submit(op);
    if (taken) {
        order_.submitted(op.tag);
        if (!observers_.empty()) {
            observed_[op.tag] = op;
        }
    }
    rearm();
    return taken;
}

void RtlController::bind_observer(OperationObserverIf& observer)
{
    observers_.push_back(&observer);
    observed_.resize(tags_);
    tag_of_die_.resize(geometry_.total_dies());
}

void RtlController::clear_counters()
{
    if (has_counters()) {
        driver_.registers()->write(o3_regs::kPerfCtrl, o3_regs::kPerfCtrlEnableMask |
                                                           o3_regs::kPerfCtrlClearMask);
        rearm();
    }
}

void RtlController::on_segment_done(u32 channel, const SegmentResult& result)
{
    const SegmentRequest& r = driver_.segment(channel);
    driver_.segment_done(channel, result);
    if (r.phase == Phase::DataOut && r.plane + 1 < r.nplanes) {
        port_.wants(channel, r.ce, r.lun); // the next plane's burst
        for (OperationObserverIf* const observer : observers_) {
            observer->on_wait(r.tag, event_queue_.now());
        }
    }
    rearm();
}

void RtlController::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    if (lun == kTargetLine) { // of several LUNs, which are polled: it says nothing of each
        if (geometry_.luns_per_ce() > 1) {
            return;
        }
        lun = 0;
    }
    driver_.ready(channel, ce, lun, ready);
    if (ready) {
        const u32 die = geometry_.die_index_ce(channel, ce, lun);
        if (goes_on_[die] != 0) {
            goes_on_[die] = 0;
            port_.wants(channel, ce, lun);
            for (OperationObserverIf* const observer : observers_) {
                observer->on_wait(tag_of_die_[die], event_queue_.now());
            }
        }
    }
    rearm();
}

void RtlController::on_clock()
{
    if (waves_ != nullptr) {
        waves_->touch(event_queue_.now());
        fall_.arm(event_queue_.now() + Picoseconds(period_.value() / 2));
    }
    in_edge_ = true;
    driver_.edge(event_queue_.now());
    in_edge_ = false;
    rearm();
}

void RtlController::on_fall()
{
    waves_->touch(event_queue_.now());
    driver_.model().fall();
}

void RtlController::rearm()
{
    if (in_edge_) {
        return; // on_clock() does it once at its end
    }
    const Picoseconds at = driver_.next_edge(event_queue_.now());
    if (at != kTimeNever && !(clock_.armed() && clock_.at() <= at)) {
        clock_.arm(at);
    }
}

void RtlController::on_rtl_segment(u32 channel, const SegmentRequest& request)
{
    const bool first = request.phase == Phase::Command || request.phase == Phase::DataIn ||
                       request.phase == Phase::Feature;
    // A RESET is over at the ready edge; all others go on with a burst, a plane or a status read.
    const u32 die = geometry_.die_index_ce(channel, request.ce, request.lun);
    const bool stops = request.phase == Phase::Suspend || request.phase == Phase::Resume;
    goes_on_[die] = (first || stops) && request.opcode != FLASH_OP_RESET;
    if (stops && !observers_.empty()) {
        tag_of_die_[die] = request.tag;
    }
    if (first && order_.issued(request.tag)) {
        for (OperationObserverIf* const observer : observers_) {
            tag_of_die_[die] = request.tag;
            observer->on_issue(request.tag, observed_[request.tag], event_queue_.now());
        }
    }
    port_.start(channel, request);
}

/// ECC's verdict: the LUN of the read asks for the bus.
void RtlController::on_rtl_retry(u32 channel, const SegmentRequest& request)
{
    port_.wants(channel, request.ce, request.lun);
    for (OperationObserverIf* const observer : observers_) {
        observer->on_wait(request.tag, event_queue_.now());
    }
}

void RtlController::on_rtl_completion(const flash_completion& completion)
{
    if (!order_.completed(completion.tag, event_queue_.now())) {
        tell_observers(completion);
    }
    sink_->on_flash_completion(completion);
}

/// To observers an operation is over at its end, not when its stream lets it be told.
void RtlController::on_rtl_held(const flash_completion& completion)
{
    order_.held(completion.tag, event_queue_.now() + period_);
    tell_observers(completion);
}

void RtlController::tell_observers(const flash_completion& completion)
{
    for (OperationObserverIf* const observer : observers_) {
        observer->on_complete(completion.tag, completion, event_queue_.now());
    }
}

void RtlController::on_rtl_space() { sink_->on_flash_space(); }

} // namespace tlmssd::flash
