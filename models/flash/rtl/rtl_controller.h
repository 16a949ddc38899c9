// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an RTL flash controller in the model: a clock on the event queue and ports as calls.
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/flash/rtl/rtl_driver.h"
#include "models/flash/rtl/rtl_order.h"
#include "models/interfaces/controller_if.h"
#include "models/time/event_queue.h"

namespace tlmssd::observe {
class Waves;
}

namespace tlmssd::flash {

/// `controller.kind: rtl`. All decisions are the RTL's. The clock has period 10^6 / clock_mhz ps
/// (rounded to whole ps) and edges at n * period; it stops while the RTL is idle, unless
/// clock_gating is false. Completions and segments appear at clock edges; a read completes at the
/// first edges after its last data are in DRAM. `geometry` outlives it. `sensing`: of rtl_sensing().
class RtlController : public sc_core::sc_module,
                      public ControllerIf,
                      public SegmentClientIf,
                      private RtlClientIf {
public:
    /// Binds itself to `port`. `waves`: nullptr for none. `no_grants`: inject.no_grants. InputError: the RTL is not in this build, or was built for a
    /// smaller geometry; the message names the CMake variable.
    RtlController(sc_core::sc_module_name name, time::EventQueue& event_queue,
                  const config::Controller& config, const Geometry& geometry, SegmentPortIf& port,
                  observe::Waves* waves, const RtlSensing& sensing = {}, u32 no_grants = 0);

    void bind(CompletionSinkIf& sink) override { sink_ = &sink; }
    /// Gets on_issue() and on_complete(); none by default. Before the first submit().
    void bind_observer(OperationObserverIf& observer);
    u32 tags() const override { return tags_; }
    bool submit(const flash_op& op) override;

    void on_segment_done(u32 channel, const SegmentResult& result) override;
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override;

    /// Performance counters of its registers; where the RTL has none, nothing.
    bool has_counters() { return driver_.registers() != nullptr; }
    /// All 0 from one of the next edges on.
    void clear_counters();
    /// The run is over at `now`; once.
    RtlCounters finish_counters(Picoseconds now) { return driver_.finish(now); }

    const OrderStatistics& order_statistics() const { return order_.statistics(); }
    /// Clock edges evaluated so far.
    u64 edges() const { return driver_.edges(); }
    /// The outstanding operations, one line per fact; "" where there are none. For a run that has come to a stop.
    std::string stall_report() const { return driver_.watchdog().report(); }

private:
    void start_of_simulation() override;
    void on_clock();
    void on_fall();
    void rearm();
    void on_rtl_segment(u32 channel, const SegmentRequest& request) override;
    void on_rtl_completion(const flash_completion& completion) override;
    void on_rtl_retry(u32 channel, const SegmentRequest& request) override;
    void on_rtl_held(const flash_completion& completion) override;
    void on_rtl_space() override;
    void tell_observers(const flash_completion& completion);

    time::EventQueue& event_queue_;
    const Geometry& geometry_;
    SegmentPortIf& port_;
    observe::Waves* waves_;
    CompletionSinkIf* sink_ = nullptr;
    std::vector<OperationObserverIf*> observers_;
    u32 tags_;
    Picoseconds period_;
    time::Timer clock_;
    time::Timer fall_; ///< falling clock edges, only where waves show them
    RtlDriver driver_;
    RtlOrder order_;
    bool in_edge_ = false;
    std::vector<u8> goes_on_;        ///< by die: its operation wants the bus at the next ready edge
    std::vector<flash_op> observed_; ///< by tag, where there is an observer
    std::vector<u32> tag_of_die_;    ///< the same by die: whose operation it serves
};

/// How the RTL finds LUNs ready (`onfi.ready`, `nand.ready_falls`): the data sheet's times, as TlmController
/// takes them. A line that several LUNs share is not looked at.
RtlSensing rtl_sensing(const config::Onfi& bus, const config::Nand& part, u32 luns_per_ce);

} // namespace tlmssd::flash
