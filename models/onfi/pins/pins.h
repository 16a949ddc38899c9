// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI pins: the lines of one channel, and segments drawn on them.
#pragma once

#include <functional>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/onfi/bus/bus_if.h"
#include "models/onfi/bus/timing.h"

namespace tlmssd::onfi {

/// Levels of one channel's lines. In NV-DDR, `re_n` is W/R# and `we_n` the clock CLK.
struct Pins {
    u16 dq = 0;
    bool dq_driven = false; ///< false: DQ floats
    u32 ce_n = 0xffffffff;  ///< bit c: CE# of target c (1: not selected)
    bool cle = false;
    bool ale = false;
    bool we_n = true;
    bool re_n = true;
    bool dqs = false;
    bool dqs_driven = false;
    bool wp_n = true;
    friend bool operator==(const Pins& a, const Pins& b);
    friend bool operator!=(const Pins& a, const Pins& b) { return !(a == b); }
};

/// Lines between segments: no target selected, nothing driven; CLK of NV-DDR rests low.
Pins idle_pins(config::BusInterface interface);

struct PinEvent {
    Picoseconds at;
    Pins pins; ///< from `at` on
};

/// Sees the pins of a channel that RTL drives, whenever one of them has changed at `now`: what the controller
/// drives, and what the dies do. `run`: which time of the data sheet the PHY counts (rtl/onfi/onfi_pkg.sv, RUN_*).
class PinObserverIf {
public:
    virtual ~PinObserverIf() = default;
    virtual void on_pins(Picoseconds now, const Pins& pins, u8 run) = 0;
};

/// Waveform of a segment whose start, end and timing are set: every cycle and strobe inside
/// [start, end], in order of time and one event an instant, appended to `out`. CE# is low from
/// start to end; setup, hold and pulse times are the data sheet's (docs/explanation/onfi-pins.md). Both sides of DQ
/// and DQS are drawn: what the controller drives, and what the die does in a burst out.
/// `byte(i)` gives byte i of the burst.
void draw_pins(const Segment& segment, const std::function<u8(u32)>& byte,
               std::vector<PinEvent>& out);

/// Byte i of a burst for drawing: real bytes where the cells have them, else the register bytes
/// (narrow), else the bytes of the integrity tags, one tag after the other, over and over.
u8 drawn_byte(const Segment& segment, u32 i);

} // namespace tlmssd::onfi
