// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's own sums over data-sheet times.
#include "models/onfi/checker/checker_minima.h"

#include <algorithm>

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

/// Least of times that spread around `typical`; one picosecond for the die's rounding.
u64 least(Picoseconds typical, double factor)
{
    if (factor == 1.0) {
        return typical.value();
    }
    const double low = static_cast<double>(typical.value()) * factor;
    return low < 1.0 ? 0 : static_cast<u64>(low) - 1;
}

/// Shortest of the part's page types; a type without a time of its own has the part's.
template <class Get>
Picoseconds shortest(const config::Nand& nand, Picoseconds typical, Get get)
{
    static constexpr u32 kUsed[] = {0b0001, 0b0101, 0b0111, 0b1111}; // by bits per cell
    const bool uniform = nand.pairing == config::Pairing::Uniform;
    const u32 bits = std::clamp(nand.bits_per_cell, 1u, 4u);
    const u32 used = uniform ? 1u : kUsed[bits - 1];
    Picoseconds result = uniform ? typical : kTimeNever;
    for (u32 type = 0; type < nand.types.size(); ++type) {
        if ((used >> type) & 1) {
            const Picoseconds t = get(nand.types[type]);
            result = min(result, t == Picoseconds() ? typical : t);
        }
    }
    return result;
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

ArrayMinima array_minima(const config::Nand& nand)
{
    constexpr double kMostWear = 2; // erases / endurance, config::NandWear
    const double die = 1.0 - nand.die_variation;
    const double page = die * (1.0 - nand.array_variation);
    const auto worn = [](double change) { return 1.0 + std::min(0.0, kMostWear * change); };
    const Picoseconds read =
        shortest(nand, nand.t_read, [](const config::PageType& t) { return t.t_read; });
    const Picoseconds program =
        shortest(nand, nand.t_program, [](const config::PageType& t) { return t.t_program; });
    ArrayMinima m;
    m.read = least(read, page * worn(nand.wear.read_change));
    m.program = least(program, page * worn(nand.wear.program_change));
    m.erase = least(nand.t_erase, die * worn(nand.wear.erase_change));
    m.queue = nand.t_plane_queue.value();
    m.read_cache = nand.t_read_cache.value();
    m.program_cache = nand.t_program_cache.value();
    m.feature = nand.t_feature.value();
    m.parameter = std::min(m.read, nand.t_read.value());
    m.suspend_program = nand.t_suspend_program.value();
    m.suspend_erase = nand.t_suspend_erase.value();
    return m;
}

} // namespace tlmssd::onfi
