// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: data-sheet tables of the ONFI timing modes, and the sum that makes a segment's time.
#include "models/onfi/timing.h"

#include <string>

#include "models/common/error.h"

namespace tlmssd::onfi {

namespace {

using config::BusInterface;

// All tables in ns. SDR and NV-DDR: ONFI 4.0 worst cases as in nand_timings.c of Linux and barebox.
struct SdrRow {
    u32 cs, wc, rc, adl, ccs, whr, rr, rhw, wb;
};
constexpr SdrRow kSdr[] = {
    {70, 100, 100, 400, 500, 120, 40, 200, 200}, // mode 0
    {35, 45, 50, 400, 500, 80, 20, 100, 100},    // mode 1
    {25, 35, 35, 400, 500, 80, 20, 100, 100},    // mode 2
    {25, 30, 30, 400, 500, 80, 20, 100, 100},    // mode 3
    {20, 25, 25, 400, 500, 80, 20, 100, 100},    // mode 4
    {15, 20, 20, 400, 500, 80, 20, 100, 100},    // mode 5
};

struct NvDdrRow {
    u32 cs, ck;
};
constexpr NvDdrRow kNvDdr[] = {{35, 50}, {25, 30}, {15, 20}, {15, 15}, {15, 12}, {15, 10}};
constexpr u32 kNvDdrCad = 45, kNvDdrAdl = 400, kNvDdrCcs = 500, kNvDdrWhr = 80, kNvDdrRr = 20;
constexpr u32 kNvDdrRhw = 100, kNvDdrWb = 100, kNvDdrWrck = 20, kNvDdrDqsck = 25, kNvDdrDqshz = 20;
// From memory, to be checked against ONFI 2.3: tWPRE and tWPST are 1.5 tCK.
constexpr u64 kNvDdrWritePreambleHalfClocks = 3;
constexpr u64 kNvDdrWritePostambleHalfClocks = 3;

// NV-DDR2: rates from SimpleSSD's sample.cfg (67 ... 533 MT/s); tDSC = 2000 / rate is from memory.
constexpr u32 kNvDdr2DscPs[] = {30000, 25000, 15000, 12000, 10000, 7500, 6000, 5000, 3750};
// MQSim, ONFI_Channel_NVDDR2.h, the same in each mode.
constexpr u32 kNvDdr2Cs = 20, kNvDdr2Wc = 25, kNvDdr2Adl = 70, kNvDdr2Ccs = 300, kNvDdr2Rr = 20;
constexpr u32 kNvDdr2Rhw = 100, kNvDdr2Wb = 100, kNvDdr2Rpre = 15, kNvDdr2Dqsre = 15;
constexpr u32 kNvDdr2Wpst = 6, kNvDdr2Wpsth = 15;
// MQSim has no status read; taken from the NV-DDR table.
constexpr u32 kNvDdr2Whr = 80;

[[noreturn]] void bad_mode(const char* name, u32 mode, std::size_t modes)
{
    throw InputError("onfi.mode: " + std::string(name) + " has modes 0 to " +
                     std::to_string(modes - 1) + ", not " + std::to_string(mode));
}

template <class Row, std::size_t N>
const Row& row_of(const Row (&table)[N], const char* name, u32 mode)
{
    if (mode >= N) {
        bad_mode(name, mode, N);
    }
    return table[mode];
}

void fill_sdr(DataSheet& d)
{
    const SdrRow& row = row_of(kSdr, "SDR", d.mode);
    d.t_cs = nanoseconds(row.cs);
    d.t_wc = nanoseconds(row.wc);
    d.t_rc = nanoseconds(row.rc);
    d.t_adl = nanoseconds(row.adl);
    d.t_ccs = nanoseconds(row.ccs);
    d.t_whr = nanoseconds(row.whr);
    d.t_rr = nanoseconds(row.rr);
    d.t_rhw = nanoseconds(row.rhw);
    d.t_wb = nanoseconds(row.wb);
}

void fill_nv_ddr(DataSheet& d)
{
    const NvDdrRow& row = row_of(kNvDdr, "NV-DDR", d.mode);
    d.t_cs = nanoseconds(row.cs);
    d.t_cad = nanoseconds(kNvDdrCad);
    d.t_dsc = nanoseconds(row.ck);
    d.t_adl = nanoseconds(kNvDdrAdl);
    d.t_ccs = nanoseconds(kNvDdrCcs);
    d.t_whr = nanoseconds(kNvDdrWhr);
    d.t_rr = nanoseconds(kNvDdrRr);
    d.t_rhw = nanoseconds(kNvDdrRhw);
    d.t_wb = nanoseconds(kNvDdrWb);
    d.t_wrck = nanoseconds(kNvDdrWrck);
    d.t_dqsck = nanoseconds(kNvDdrDqsck);
    d.t_dqshz = nanoseconds(kNvDdrDqshz);
    const Picoseconds half_clock(d.t_dsc.value() / 2);
    d.t_wpre = kNvDdrWritePreambleHalfClocks * half_clock;
    d.t_wpst = kNvDdrWritePostambleHalfClocks * half_clock;
}

void fill_nv_ddr2(DataSheet& d)
{
    d.t_dsc = Picoseconds(row_of(kNvDdr2DscPs, "NV-DDR2", d.mode));
    d.t_cs = nanoseconds(kNvDdr2Cs);
    d.t_wc = nanoseconds(kNvDdr2Wc);
    d.t_adl = nanoseconds(kNvDdr2Adl);
    d.t_ccs = nanoseconds(kNvDdr2Ccs);
    d.t_whr = nanoseconds(kNvDdr2Whr);
    d.t_rr = nanoseconds(kNvDdr2Rr);
    d.t_rhw = nanoseconds(kNvDdr2Rhw);
    d.t_wb = nanoseconds(kNvDdr2Wb);
    d.t_rpre = nanoseconds(kNvDdr2Rpre);
    d.t_dqsre = nanoseconds(kNvDdr2Dqsre);
    d.t_wpst = nanoseconds(kNvDdr2Wpst);
    d.t_wpsth = nanoseconds(kNvDdr2Wpsth);
}

/// From the last lead cycle (or ready) to the first byte out.
Picoseconds gap_before_out(const Segment& segment, const DataSheet& sheet)
{
    const u64 commands = segment.command_mask & ((u64{1} << segment.lead) - 1);
    if (commands == 0) {
        return sheet.t_rr;
    }
    const u8 last = segment.bytes[63u - static_cast<u32>(__builtin_clzll(commands))];
    return last == cmd::kChangeReadColumnConfirm ? sheet.t_ccs : sheet.t_whr;
}

} // namespace

DataSheet data_sheet(BusInterface interface, u32 mode)
{
    DataSheet sheet;
    sheet.interface = interface;
    sheet.mode = mode;
    switch (interface) {
    case BusInterface::Sdr:
        fill_sdr(sheet);
        break;
    case BusInterface::NvDdr:
        fill_nv_ddr(sheet);
        break;
    case BusInterface::NvDdr2:
        fill_nv_ddr2(sheet);
        break;
    }
    return sheet;
}

BusTiming bus_timing(BusInterface interface, u32 mode)
{
    BusTiming timing;
    timing.sheet = data_sheet(interface, mode);
    const DataSheet& sheet = timing.sheet;
    if (interface == BusInterface::Sdr) {
        timing.cycle = sheet.t_wc;
        timing.strobe_out = sheet.t_rc;
        timing.strobe_in = sheet.t_wc;
        return timing;
    }
    timing.cycle = interface == BusInterface::NvDdr ? sheet.t_cad : sheet.t_wc;
    timing.strobe_out = sheet.t_dsc;
    timing.strobe_in = sheet.t_dsc;
    timing.strobe_shift = 1;
    timing.preamble_out = sheet.t_wrck + sheet.t_dqsck + sheet.t_rpre + sheet.t_dqsre;
    timing.postamble_out = sheet.t_dqshz;
    timing.preamble_in = sheet.t_wpre;
    timing.postamble_in = sheet.t_wpst + sheet.t_wpsth;
    return timing;
}

Picoseconds segment_time(const Segment& segment, const BusTiming& timing)
{
    const u32 cycles = u32{segment.lead} + segment.trail;
    Picoseconds total = timing.sheet.t_cs + cycles * timing.cycle;
    if (segment.direction == DataDirection::Out) {
        total += gap_before_out(segment, timing.sheet) + timing.preamble_out +
                 timing.burst_out(segment.data_bytes) + timing.postamble_out;
        if (segment.trail > 0) {
            total += timing.sheet.t_rhw;
        }
    } else if (segment.direction == DataDirection::In) {
        if (segment.lead > 0 && !segment.is_command(segment.lead - 1u)) {
            total += timing.sheet.t_adl;
        }
        total += timing.preamble_in + timing.burst_in(segment.data_bytes) + timing.postamble_in;
    }
    return total;
}

} // namespace tlmssd::onfi
