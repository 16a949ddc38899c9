// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the pins of one ONFI channel in the wave file.
#pragma once

#include <string>
#include <vector>

#include "models/common/geometry.h"
#include "models/observe/fst/waves.h"
#include "models/onfi/pins/pins.h"

namespace tlmssd::probes {

/// Draws each segment's waveform when it has ended, with the bytes that the die gave. Where the
/// file cannot lag (RTL in it), when it starts: DQ of a burst out stays at its last level then.
/// With `live` they are the pins of an RTL PHY: nothing is drawn, on_pins() brings them as they change, and
/// `scope`.time shows which time of the data sheet the PHY counts.
class WavePins final : public onfi::PinObserverIf {
public:
    /// Signals `scope`.dq, .ce_n, ...; `width`: DQ lines.
    WavePins(observe::Waves& waves, const std::string& scope, const Geometry& geometry, u32 width,
             bool live = false);

    void started(const onfi::Segment& segment);
    void ended(const onfi::Segment& segment);
    bool live() const { return live_; }
    void on_pins(Picoseconds now, const onfi::Pins& pins, u8 run) override;
    void ready_edge(u32 ce, u32 lun, bool ready, Picoseconds when);

private:
    void draw(const onfi::Segment& segment, bool with_data);

    observe::Waves& waves_;
    bool live_;
    u32 luns_per_ce_;
    u32 hold_;
    u32 dq_, dq_driven_, ce_n_, cle_, ale_, we_n_, re_n_, dqs_, dqs_driven_, wp_n_, rb_n_;
    u32 time_ = 0; ///< live only
    u32 ce_mask_;
    u32 levels_; ///< of R/B#
    onfi::Pins last_; ///< as scheduled
    std::vector<bool> busy_; ///< by CE# and LUN
    std::vector<onfi::PinEvent> events_;
};

} // namespace tlmssd::probes
