// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's own sums over the data-sheet times of the bus.
#include "models/onfi/checker/bus_minima.h"

namespace tlmssd::onfi {

namespace {

using config::BusInterface;

constexpr u32 kModeCount[MinimaTable::kInterfaces] = {6, 6, 9, 11};

BusMinima row_of(const DataSheet& sheet, const config::Nand& nand, u32 width)
{
    BusMinima m;
    m.cs = sheet.t_cs.value();
    m.adl = (nand.t_adl == Picoseconds() ? sheet.t_adl : nand.t_adl).value();
    m.ccs = (nand.t_ccs == Picoseconds() ? sheet.t_ccs : nand.t_ccs).value();
    m.whr = sheet.t_whr.value();
    m.rr = sheet.t_rr.value();
    m.rhw = sheet.t_rhw.value();
    m.wb = sheet.t_wb.value();
    m.cycle = (sheet.interface == BusInterface::NvDdr ? sheet.t_cad : sheet.t_wc).value();
    m.shift = width == 16 ? 1 : 0;
    if (sheet.interface == BusInterface::Sdr) {
        m.strobe_out = sheet.t_rc.value();
        m.strobe_in = sheet.t_wc.value();
        return m;
    }
    m.strobe_out = m.strobe_in = sheet.t_dsc.value();
    ++m.shift; // both edges of DQS carry data
    if (sheet.interface == BusInterface::NvDdr) {
        m.frame_out = (sheet.t_wrck + sheet.t_dqsck + sheet.t_dqshz).value();
        m.frame_in = (sheet.t_wpre + sheet.t_wpst).value();
    } else {
        m.frame_out = (sheet.t_rpre + sheet.t_dqsre).value();
        m.frame_in = (sheet.t_wpst + sheet.t_wpsth).value();
    }
    return m;
}

} // namespace

MinimaTable::MinimaTable(const config::Nand& nand, u32 width, bool timeless)
{
    if (timeless) {
        return; // all rows are zero
    }
    for (u32 i = 0; i < kInterfaces; ++i) {
        for (u32 mode = 0; mode < kModeCount[i]; ++mode) {
            rows_[i * kModes + mode] =
                row_of(data_sheet(static_cast<BusInterface>(i), mode), nand, width);
        }
    }
}

u8 MinimaTable::index(BusInterface interface, u32 mode)
{
    const u32 i = static_cast<u32>(interface);
    if (i >= kInterfaces || mode >= kModeCount[i]) {
        return kNoIndex;
    }
    return static_cast<u8>(i * kModes + mode);
}

} // namespace tlmssd::onfi
