// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the timing of a configured bus, and the sum that makes a segment's time.
#include "models/onfi/bus/timing.h"

#include <cstdio>
#include <string>

#include "models/common/error.h"

namespace tlmssd::onfi {

namespace {

using config::BusInterface;

const char* name_of(BusInterface interface)
{
    switch (interface) {
    case BusInterface::Sdr:
        return "SDR";
    case BusInterface::NvDdr:
        return "NV-DDR";
    case BusInterface::NvDdr2:
        return "NV-DDR2";
    case BusInterface::NvDdr3:
        return "NV-DDR3";
    }
    return "?";
}

/// 7500 ps: "7.5"
std::string in_ns(Picoseconds t)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", static_cast<double>(t.value()) / 1000);
    return text;
}

BusTiming resolve(const DataSheet& sheet)
{
    BusTiming timing;
    timing.sheet = sheet;
    if (sheet.interface == BusInterface::Sdr) {
        timing.cycle = sheet.t_wc;
        timing.strobe_out = sheet.t_rc;
        timing.strobe_in = sheet.t_wc;
        return timing;
    }
    timing.strobe_out = sheet.t_dsc;
    timing.strobe_in = sheet.t_dsc;
    timing.strobe_shift = 1;
    if (sheet.interface == BusInterface::NvDdr) {
        timing.cycle = sheet.t_cad;
        timing.preamble_out = sheet.t_wrck + sheet.t_dqsck;
        timing.postamble_out = sheet.t_dqshz;
        timing.preamble_in = sheet.t_wpre;
        timing.postamble_in = sheet.t_wpst;
        return timing;
    }
    timing.cycle = sheet.t_wc;
    timing.preamble_out = sheet.t_rpre + sheet.t_dqsre;
    timing.postamble_in = sheet.t_wpst + sheet.t_wpsth;
    return timing;
}

/// The data cycle becomes `cycle` instead of its minimum.
void stretch(BusTiming& timing, Picoseconds cycle)
{
    const DataSheet& sheet = timing.sheet;
    const bool sdr = sheet.interface == BusInterface::Sdr;
    const Picoseconds least = sdr ? max(sheet.t_rc, sheet.t_wc) : sheet.t_dsc;
    if (cycle < least) {
        throw InputError("onfi.cycle_ns: " + in_ns(cycle) + " is below the minimum of " +
                         name_of(sheet.interface) + " mode " + std::to_string(sheet.mode) + ", " +
                         in_ns(least) + " ns");
    }
    timing.strobe_out = timing.strobe_in = cycle;
    if (sdr) {
        timing.cycle = cycle;
    } else if (sheet.interface == BusInterface::NvDdr && cycle > sheet.t_dsc) {
        // The clock times everything: no two commands within one period, preambles of 1.5 periods.
        timing.cycle = max(sheet.t_cad, cycle);
        timing.preamble_in = timing.postamble_in = Picoseconds(3 * (cycle.value() / 2));
    }
}

/// See gap_before_burst(); inline for segment_time(), which runs for every segment.
inline Picoseconds gap(const Segment& segment, const DataSheet& sheet)
{
    const bool out = segment.direction == DataDirection::Out;
    const u64 commands = segment.command_mask & ((u64{1} << segment.lead) - 1);
    const u8 last =
        commands == 0 ? u8{0} : segment.bytes[63u - static_cast<u32>(__builtin_clzll(commands))];
    if (out) {
        if (commands == 0) {
            return sheet.t_rr; // the ready edge was the cue
        }
        return last == cmd::kChangeReadColumnConfirm ? sheet.t_ccs : sheet.t_whr;
    }
    if (segment.lead == 0 || segment.is_command(segment.lead - 1u)) {
        return Picoseconds(); // more data of an open sequence
    }
    return last == cmd::kChangeWriteColumn ? sheet.t_ccs : sheet.t_adl;
}

} // namespace

BusTiming bus_timing(BusInterface interface, u32 mode)
{
    return resolve(data_sheet(interface, mode));
}

BusTiming bus_timing(const config::Onfi& onfi, const config::Nand& nand)
{
    BusTiming timing = bus_timing(onfi.interface, onfi.mode);
    if (nand.t_adl != Picoseconds()) {
        timing.sheet.t_adl = nand.t_adl;
    }
    if (nand.t_ccs != Picoseconds()) {
        timing.sheet.t_ccs = nand.t_ccs;
    }
    if (onfi.cycle != Picoseconds()) {
        stretch(timing, onfi.cycle);
    }
    timing.width = onfi.width;
    timing.strobe_shift += onfi.width == 16 ? 1 : 0;
    return onfi.timeless ? timeless(timing) : timing;
}

BusTiming timeless(const BusTiming& timing)
{
    BusTiming result;
    result.width = timing.width;
    result.strobe_shift = timing.strobe_shift;
    result.sheet.interface = timing.sheet.interface;
    result.sheet.mode = timing.sheet.mode;
    return result;
}

Picoseconds gap_before_burst(const Segment& segment, const DataSheet& sheet)
{
    return gap(segment, sheet);
}

Picoseconds segment_time(const Segment& segment, const BusTiming& timing)
{
    const u32 cycles = u32{segment.lead} + segment.trail;
    Picoseconds total = timing.sheet.t_cs + cycles * timing.cycle;
    if (segment.direction == DataDirection::Out) {
        total += gap(segment, timing.sheet) + timing.preamble_out +
                 timing.burst_out(segment.data_bytes, segment.narrow) + timing.postamble_out;
        if (segment.trail > 0) {
            total += timing.sheet.t_rhw;
        }
    } else if (segment.direction == DataDirection::In) {
        total += gap(segment, timing.sheet) + timing.preamble_in +
                 timing.burst_in(segment.data_bytes, segment.narrow) + timing.postamble_in;
    }
    return total;
}

} // namespace tlmssd::onfi
