// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI timing modes, and the time that one segment takes on the bus.
#pragma once

#include "models/common/picoseconds.h"
#include "models/config/config.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::onfi {

/// Facts of one timing mode under their ONFI names; zero where the interface has no such time.
/// Minima unless said otherwise; where a name has both, `_min` is the minimum and the plain name
/// the maximum. Sources stand beside the tables in timing_tables.cpp.
struct DataSheet {
    config::BusInterface interface = config::BusInterface::Sdr;
    u32 mode = 0;
    // Members that segment_time() reads lie together.
    Picoseconds t_cs;  ///< CE# low to the first cycle
    Picoseconds t_rr;  ///< ready to data out
    Picoseconds t_whr; ///< command or address to status out
    Picoseconds t_ccs; ///< change column to data
    Picoseconds t_adl; ///< last address cycle to data in
    Picoseconds t_rhw; ///< data out to the next command

    Picoseconds t_wc;    ///< write cycle: command, address; data in (SDR)
    Picoseconds t_cad;   ///< command/address cycle of NV-DDR
    Picoseconds t_rc;    ///< read cycle (SDR)
    Picoseconds t_dsc;   ///< two edges of a DDR burst: tCK of NV-DDR, tDSC of NV-DDR2 and 3
    Picoseconds t_wb;    ///< confirm cycle to busy (maximum)
    Picoseconds t_wrck;  ///< NV-DDR: W/R# low to the clock that starts the burst
    Picoseconds t_dqsck; ///< NV-DDR: clock to first DQS edge (maximum)
    Picoseconds t_dqshz; ///< NV-DDR: W/R# high to DQS released (maximum)
    Picoseconds t_rpre;  ///< NV-DDR2: read preamble
    Picoseconds t_dqsre; ///< NV-DDR2: RE# to DQS
    Picoseconds t_wpre;  ///< NV-DDR: DQS preamble of a burst in
    Picoseconds t_wpst;  ///< DQS postamble of a burst in
    Picoseconds t_wpsth; ///< NV-DDR2: hold after the postamble

    // Pins. "Edge": rising WE#, of NV-DDR rising CLK; of DDR data the DQS edge.
    Picoseconds t_wp;    ///< WE# low
    Picoseconds t_wh;    ///< WE# high
    Picoseconds t_rp;    ///< RE# low
    Picoseconds t_reh;   ///< RE# high
    Picoseconds t_rea;   ///< RE# low to data (maximum)
    Picoseconds t_rhoh;  ///< data held after RE# high
    Picoseconds t_rloh;  ///< data held after RE# low (EDO)
    Picoseconds t_rhz;   ///< RE# high to DQ released (maximum)
    Picoseconds t_cea;   ///< CE# low to data (maximum)
    Picoseconds t_chz;   ///< CE# high to DQ released (maximum)
    Picoseconds t_coh;   ///< data held after CE# high
    Picoseconds t_ceh;   ///< CE# high
    Picoseconds t_ch;    ///< CE# held after the edge
    Picoseconds t_cls;   ///< CLE set up
    Picoseconds t_clh;   ///< CLE held
    Picoseconds t_clr;   ///< CLE low to RE# low
    Picoseconds t_als;   ///< ALE set up
    Picoseconds t_alh;   ///< ALE held
    Picoseconds t_ar;    ///< ALE low to RE# low
    Picoseconds t_ir;    ///< DQ released to RE# low
    Picoseconds t_ds;    ///< DQ set up: SDR all cycles, DDR data
    Picoseconds t_dh;    ///< DQ held: SDR all cycles, DDR data
    Picoseconds t_cas;   ///< DDR: DQ set up, command and address
    Picoseconds t_cah;   ///< DDR: DQ held, command and address
    Picoseconds t_cals;  ///< DDR: CLE, ALE, W/R# set up
    Picoseconds t_calh;  ///< DDR: CLE, ALE, W/R# held
    Picoseconds t_ck;    ///< NV-DDR: clock period
    Picoseconds t_ac;    ///< NV-DDR: clock to DQ (maximum)
    Picoseconds t_ac_min;
    Picoseconds t_dqsck_min;
    Picoseconds t_dqsd;  ///< NV-DDR: W/R# low to DQS driven (maximum)
    Picoseconds t_dqsd_min;
    Picoseconds t_dqsq;  ///< DQS to DQ skew (maximum)
    Picoseconds t_qhs;   ///< data hold skew (maximum)
    Picoseconds t_ww;    ///< WP# edge to the first cycle

    // Maxima of the part in general; the part's own are in config::Nand.
    Picoseconds t_r;
    Picoseconds t_prog;
    Picoseconds t_bers;
    Picoseconds t_rst;
    Picoseconds t_feat;
    Picoseconds t_itc; ///< interface and mode change
};

/// Timing of a bus, resolved so that a segment's time needs no decision about the interface.
struct BusTiming {
    Picoseconds cycle;        ///< one command or address cycle
    Picoseconds strobe_out;   ///< one strobe of a burst out
    Picoseconds strobe_in;    ///< one strobe of a burst in
    Picoseconds preamble_out; ///< DDR, before a burst out
    Picoseconds postamble_out;
    Picoseconds preamble_in;
    Picoseconds postamble_in;
    u32 strobe_shift = 0; ///< log2 of the page bytes a strobe moves: 0 SDR, 1 DDR; one more on x16
    u32 width = 8;        ///< DQ lines
    DataSheet sheet;      ///< minima; the fields above may be longer (onfi.cycle_ns)

    /// Time of the bytes alone; a last strobe that is not full takes its whole time.
    /// `narrow`: register bytes, one a strobe (Segment::narrow).
    Picoseconds burst_out(u64 bytes, bool narrow = false) const
    {
        return strobes(bytes, narrow) * strobe_out;
    }
    Picoseconds burst_in(u64 bytes, bool narrow = false) const
    {
        return strobes(bytes, narrow) * strobe_in;
    }
    u64 strobes(u64 bytes, bool narrow = false) const
    {
        const u32 shift = narrow ? 0 : strobe_shift;
        return (bytes + (1u << shift) - 1) >> shift;
    }
};

/// Facts of mode `mode`: SDR and NV-DDR 0 to 5, NV-DDR2 0 to 8, NV-DDR3 0 to 10. Throws InputError
/// beyond.
DataSheet data_sheet(config::BusInterface interface, u32 mode);

/// The same, ready for segment_time(): x8, cycles at their minimum.
BusTiming bus_timing(config::BusInterface interface, u32 mode);

/// Timing of a configured bus: width, the part's tADL and tCCS where it has its own, and data
/// cycles of onfi.cycle_ns. Throws InputError where that is below the mode's minimum.
BusTiming bus_timing(const config::Onfi& onfi, const config::Nand& nand);

/// Of a bus on which nothing takes time (onfi.timeless); interface and mode stay what they are.
BusTiming timeless(const BusTiming& timing);

/// Time from CE# low to the end of the segment's last cycle. Equations in docs/explanation/onfi.md.
/// The wait of a command for the end of an earlier burst (tRHW) is the channel's.
Picoseconds segment_time(const Segment& segment, const BusTiming& timing);

/// Part of it: from the last lead cycle (or ready, or CE# low) to the burst's preamble.
Picoseconds gap_before_burst(const Segment& segment, const DataSheet& sheet);

} // namespace tlmssd::onfi
