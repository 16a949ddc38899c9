// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI timing modes, and the time that one segment takes on the bus.
#pragma once

#include "models/common/picoseconds.h"
#include "models/config/config.h"
#include "models/onfi/segment.h"

namespace tlmssd::onfi {

/// Facts of one timing mode under their ONFI names; zero where the interface has no such time.
/// Sources stand beside the tables in timing.cpp.
struct DataSheet {
    config::BusInterface interface = config::BusInterface::Sdr;
    u32 mode = 0;
    Picoseconds t_cs;    ///< CE# low to the first cycle
    Picoseconds t_wc;    ///< write cycle: command, address; data in (SDR)
    Picoseconds t_cad;   ///< command/address cycle of NV-DDR
    Picoseconds t_rc;    ///< read cycle (SDR)
    Picoseconds t_dsc;   ///< two bytes of a DDR burst: tCK of NV-DDR, tDSC of NV-DDR2
    Picoseconds t_adl;   ///< last address cycle to data in
    Picoseconds t_ccs;   ///< change column (E0h) to data
    Picoseconds t_whr;   ///< command or address to status out
    Picoseconds t_rr;    ///< ready to data out
    Picoseconds t_rhw;   ///< data out to the next command
    Picoseconds t_wb;    ///< confirm cycle to busy
    Picoseconds t_wrck;  ///< NV-DDR: W/R# low to the clock that starts the burst
    Picoseconds t_dqsck; ///< NV-DDR: clock to first DQS edge
    Picoseconds t_dqshz; ///< NV-DDR: W/R# high to DQS released
    Picoseconds t_rpre;  ///< NV-DDR2: read preamble
    Picoseconds t_dqsre; ///< NV-DDR2: RE# to DQS
    Picoseconds t_wpre;  ///< NV-DDR: DQS preamble of a burst in
    Picoseconds t_wpst;  ///< DQS postamble of a burst in
    Picoseconds t_wpsth; ///< NV-DDR2: hold after the postamble
};

/// Timing of a bus, resolved so that a segment's time needs no decision about the interface.
struct BusTiming {
    DataSheet sheet;
    Picoseconds cycle;        ///< one command or address cycle
    Picoseconds strobe_out;   ///< one strobe of a burst out
    Picoseconds strobe_in;    ///< one strobe of a burst in
    u32 strobe_shift = 0;     ///< log2 of the bytes a strobe moves: 0 SDR, 1 DDR
    Picoseconds preamble_out; ///< DDR, before a burst out
    Picoseconds postamble_out;
    Picoseconds preamble_in;
    Picoseconds postamble_in;

    /// Time of the bytes alone; DDR moves whole pairs, an odd last byte takes a pair's time.
    Picoseconds burst_out(u64 bytes) const { return strobes(bytes) * strobe_out; }
    Picoseconds burst_in(u64 bytes) const { return strobes(bytes) * strobe_in; }

private:
    u64 strobes(u64 bytes) const { return (bytes + (1u << strobe_shift) - 1) >> strobe_shift; }
};

/// Facts of mode `mode`: SDR 0 to 5, NV-DDR 0 to 5, NV-DDR2 0 to 8. Throws InputError beyond.
DataSheet data_sheet(config::BusInterface interface, u32 mode);

/// The same, ready for segment_time().
BusTiming bus_timing(config::BusInterface interface, u32 mode);

/// Time from CE# low to the end of the segment's last cycle. Equations in docs/onfi.md.
/// The wait of a command for the end of an earlier burst (tRHW) is the channel's.
Picoseconds segment_time(const Segment& segment, const BusTiming& timing);

} // namespace tlmssd::onfi
