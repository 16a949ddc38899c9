// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: least times that the protocol checker holds a bus to, for each timing mode.
#pragma once

#include <array>

#include "models/common/picoseconds.h"
#include "models/config/config.h"
#include "models/onfi/bus/timing.h"

namespace tlmssd::onfi {

/// The demands of one timing mode on a segment, picoseconds. Made from its data sheet alone.
struct BusMinima {
    u64 cs = 0;         ///< CE# low to the first cycle
    u64 cycle = 0;      ///< command or address cycle
    u64 strobe_out = 0; ///< SDR: a read cycle; DDR: two edges of DQS
    u64 strobe_in = 0;
    u64 frame_out = 0; ///< preamble and postamble of a burst
    u64 frame_in = 0;
    u64 adl = 0;
    u64 ccs = 0;
    u64 whr = 0;
    u64 rr = 0;
    u64 rhw = 0;
    u64 wb = 0;    ///< greatest, last cycle of a command to the fall of R/B#
    u32 shift = 0; ///< log2 of the page bytes that a strobe moves
};

/// Minima of every timing mode of every data interface, for a part on a bus of `width` lines.
class MinimaTable {
public:
    static constexpr u32 kModes = 11; ///< rows of an interface
    static constexpr u32 kInterfaces = 4;
    static constexpr u8 kNoIndex = 0xff;

    /// `timeless`: a bus that owes no time (onfi.timeless); order and addresses are judged all the same.
    MinimaTable(const config::Nand& nand, u32 width, bool timeless = false);

    /// Row of a mode; kNoIndex where the interface has no such mode.
    static u8 index(config::BusInterface interface, u32 mode);
    const BusMinima& operator[](u8 index) const { return rows_[index]; }

private:
    std::array<BusMinima, kModes * kInterfaces> rows_{};
};

} // namespace tlmssd::onfi
