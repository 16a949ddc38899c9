// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the data-sheet tables of the ONFI timing modes, row by row.
#pragma once

#include <array>
#include <cstddef>

#include "models/onfi/bus/timing.h"

namespace tlmssd::onfi {

/// One line of a data-sheet table.
struct TimingRow {
    const char* name; ///< "tADL_min", "tREA_max"
    Picoseconds DataSheet::*field;
    std::array<double, 6> ns; ///< by mode
};

struct TimingTable {
    const TimingRow* rows;
    std::size_t size;
    const TimingRow* begin() const { return rows; }
    const TimingRow* end() const { return rows + size; }
};

/// All rows of SDR, modes 0 to 5.
TimingTable sdr_table();

/// All rows of NV-DDR, modes 0 to 5.
TimingTable nv_ddr_table();

/// tDSC of NV-DDR2 (modes 0 to 8) and NV-DDR3 (0 to 10).
inline constexpr std::array<u32, 11> kNvDdr23DscPs{30000, 25000, 15000, 12000, 10000, 7500,
                                                   6000,  5000,  3750,  3000,  2500};
inline constexpr u32 kNvDdr2Modes = 9;
inline constexpr u32 kNvDdr3Modes = 11;

} // namespace tlmssd::onfi
