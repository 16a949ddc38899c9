// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pin waveforms of segments, and the R/B# lines as wired: one a CE#.
#include "models/probes/waves/wave_pins.h"

#include "models/probes/waves/wave_bus.h"

namespace tlmssd::probes {

using onfi::DataDirection;

namespace {

/// RUN_* of rtl/onfi/onfi_pkg.sv.
const std::vector<std::string> kTimes = {
    "None", "tCS",      "tWC_tCAD", "tRR",     "tWHR",      "tCCS", "tADL",
    "Preamble", "tRC_tCK",  "tWC_tCK", "Postamble", "tRHW", "tCEH"};

} // namespace

WavePins::WavePins(observe::Waves& waves, const std::string& scope, const Geometry& geometry,
                   u32 width, bool live)
    : waves_(waves), live_(live), luns_per_ce_(geometry.luns_per_ce()), hold_(live ? 0 : waves.add_hold()),
      dq_(waves.add(scope + ".dq", width)), dq_driven_(waves.add(scope + ".dq_driven", 1)),
      ce_n_(waves.add(scope + ".ce_n", geometry.ces_per_channel())),
      cle_(waves.add(scope + ".cle", 1)), ale_(waves.add(scope + ".ale", 1)),
      we_n_(waves.add(scope + ".we_n", 1)), re_n_(waves.add(scope + ".re_n", 1)),
      dqs_(waves.add(scope + ".dqs", 1)), dqs_driven_(waves.add(scope + ".dqs_driven", 1)),
      wp_n_(waves.add(scope + ".wp_n", 1)),
      rb_n_(waves.add(scope + ".rb_n", geometry.ces_per_channel())),
      ce_mask_(static_cast<u32>((u64{1} << geometry.ces_per_channel()) - 1)),
      levels_(ce_mask_), busy_(geometry.dies_per_channel(), false)
{
    if (live_) {
        time_ = waves.add(scope + ".time", 4, waves.add_enum("onfi_time", kTimes));
    }
    last_.ce_n = ce_mask_;
    const Picoseconds zero;
    waves.set(ce_n_, ce_mask_, zero);
    waves.set(rb_n_, ce_mask_, zero);
    waves.set(we_n_, 1, zero);
    waves.set(re_n_, 1, zero);
    waves.set(wp_n_, 1, zero);
}

void WavePins::draw(const onfi::Segment& segment, bool with_data)
{
    events_.clear();
    const auto byte = [&](u32 i) { return with_data ? onfi::drawn_byte(segment, i) : u8{0}; };
    onfi::draw_pins(segment, byte, events_);
    const SegmentTimes times = times_of(segment);
    for (const onfi::PinEvent& event : events_) {
        const onfi::Pins& pins = event.pins;
        const Picoseconds at = event.at;
        const auto show = [this, at](u32 id, auto& last, auto value) {
            if (last != value) {
                last = value;
                waves_.schedule(id, value, at);
            }
        };
        if (with_data || at < times.lead_end || times.trail <= at) {
            show(dq_, last_.dq, pins.dq);
        }
        show(dq_driven_, last_.dq_driven, pins.dq_driven);
        show(ce_n_, last_.ce_n, pins.ce_n & ce_mask_);
        show(cle_, last_.cle, pins.cle);
        show(ale_, last_.ale, pins.ale);
        show(we_n_, last_.we_n, pins.we_n);
        show(re_n_, last_.re_n, pins.re_n);
        show(dqs_, last_.dqs, pins.dqs);
        show(dqs_driven_, last_.dqs_driven, pins.dqs_driven);
        show(wp_n_, last_.wp_n, pins.wp_n);
    }
}

void WavePins::started(const onfi::Segment& segment)
{
    if (live_ || !waves_.shows(segment.start, segment.end)) {
        return;
    }
    if (waves_.lags()) {
        waves_.hold(hold_, segment.start);
    } else {
        draw(segment, segment.direction != DataDirection::Out);
    }
}

void WavePins::ended(const onfi::Segment& segment)
{
    if (!live_ && waves_.lags() && waves_.shows(segment.start, segment.end)) {
        draw(segment, true);
        waves_.release(hold_);
    }
}

void WavePins::on_pins(Picoseconds now, const onfi::Pins& pins, u8 run)
{
    if (pins.dq_driven) { // else it keeps its last level: nobody looks at it
        waves_.set(dq_, pins.dq, now);
    }
    waves_.set(dq_driven_, pins.dq_driven, now);
    waves_.set(ce_n_, pins.ce_n & ce_mask_, now);
    waves_.set(cle_, pins.cle, now);
    waves_.set(ale_, pins.ale, now);
    waves_.set(we_n_, pins.we_n, now);
    waves_.set(re_n_, pins.re_n, now);
    waves_.set(dqs_, pins.dqs, now);
    waves_.set(dqs_driven_, pins.dqs_driven, now);
    waves_.set(wp_n_, pins.wp_n, now);
    waves_.set(time_, run, now);
}

void WavePins::ready_edge(u32 ce, u32 lun, bool ready, Picoseconds when)
{
    busy_[ce * luns_per_ce_ + lun] = !ready;
    bool all_ready = true;
    for (u32 l = 0; l < luns_per_ce_; ++l) {
        all_ready = all_ready && !busy_[ce * luns_per_ce_ + l];
    }
    levels_ = all_ready ? levels_ | 1u << ce : levels_ & ~(1u << ce);
    waves_.set(rb_n_, levels_, when);
}

} // namespace tlmssd::probes
