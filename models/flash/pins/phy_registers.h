// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the clock of the ONFI PHY and the values of its registers, from the timing-mode tables.
#pragma once

#include <array>

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/onfi/bus/timing.h"

namespace tlmssd::flash {

/// Registers of rtl/onfi/onfi_timing.sv (rtl/onfi/onfi_pkg.sv); times in clocks of the PHY.
enum class PhyRegister : u8 {
    Control = 0,
    Codeword = 1,
    Sectors = 2,
    Cs = 3,
    Cycle = 4,
    WeFall = 5,
    WeRise = 6,
    In = 7,
    Out = 8,
    Half = 9,
    ReRise = 10,
    Sample = 11,
    DqsAt = 12,
    Rr = 13,
    Whr = 14,
    Ccs = 15,
    Adl = 16,
    Rhw = 17,
    Ceh = 18,
    PreIn = 19,
    PostIn = 20,
    Wrck = 21,
    PreOut = 22,
    PostOut = 23,
};
inline constexpr u32 kPhyRegisters = 24;

/// Bits of PhyRegister::Control.
inline constexpr u16 kPhyDdr = 1, kPhyX16 = 2, kPhyEnhanced = 4, kPhyFails = 8, kPhyPolled = 16;

struct PhySetup {
    Picoseconds period; ///< of the PHY's clock
    std::array<u16, kPhyRegisters> registers{};
    u16& operator[](PhyRegister r) { return registers[static_cast<std::size_t>(r)]; }
    u16 operator[](PhyRegister r) const { return registers[static_cast<std::size_t>(r)]; }
};

/// The PHY's clock: the longest period of which every time that adds up on the bus (and half a strobe of
/// NV-DDR) is a whole multiple, and with which pulses, set-up and hold times fit into their cycles; the
/// controller's period too is a multiple of it where that leaves 1 ns or more. docs/explanation/rtl-pins-clock.md has the
/// equations. controller.phy_mhz other than 0 must have the same property. Throws InputError with the nearest
/// value where it has not, for interfaces that the PHY does not have, and where no clock up to 2 GHz does.
/// `operations_fail`: programs and erases may.
PhySetup phy_setup(const config::Controller& config, const Geometry& geometry, config::ReadySense ready,
                   bool operations_fail, const onfi::BusTiming& timing);

} // namespace tlmssd::flash
