// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: data-sheet tables of the ONFI timing modes.
#include "models/onfi/bus/timing_tables.h"

#include <string>

#include "models/common/error.h"

namespace tlmssd::onfi {

namespace {

using config::BusInterface;
using Sheet = DataSheet;

// ns. SDR and NV-DDR: ONFI 4.0 worst cases as in nand_timings.c of Linux and barebox. tPROG and
// tBERS are place holders there (65535 us); tRST of SDR mode 0 is the bound of EZ-NAND.
constexpr TimingRow kSdr[] = {
    {"tCCS_min", &Sheet::t_ccs, {500, 500, 500, 500, 500, 500}},
    {"tR_max", &Sheet::t_r, {200000, 200000, 200000, 200000, 200000, 200000}},
    {"tPROG_max", &Sheet::t_prog, {65535000, 65535000, 65535000, 65535000, 65535000, 65535000}},
    {"tBERS_max", &Sheet::t_bers, {65535000, 65535000, 65535000, 65535000, 65535000, 65535000}},
    {"tADL_min", &Sheet::t_adl, {400, 400, 400, 400, 400, 400}},
    {"tALH_min", &Sheet::t_alh, {20, 10, 10, 5, 5, 5}},
    {"tALS_min", &Sheet::t_als, {50, 25, 15, 10, 10, 10}},
    {"tAR_min", &Sheet::t_ar, {25, 10, 10, 10, 10, 10}},
    {"tCEA_max", &Sheet::t_cea, {100, 45, 30, 25, 25, 25}},
    {"tCEH_min", &Sheet::t_ceh, {20, 20, 20, 20, 20, 20}},
    {"tCH_min", &Sheet::t_ch, {20, 10, 10, 5, 5, 5}},
    {"tCHZ_max", &Sheet::t_chz, {100, 50, 50, 50, 30, 30}},
    {"tCLH_min", &Sheet::t_clh, {20, 10, 10, 5, 5, 5}},
    {"tCLR_min", &Sheet::t_clr, {20, 10, 10, 10, 10, 10}},
    {"tCLS_min", &Sheet::t_cls, {50, 25, 15, 10, 10, 10}},
    {"tCOH_min", &Sheet::t_coh, {0, 15, 15, 15, 15, 15}},
    {"tCS_min", &Sheet::t_cs, {70, 35, 25, 25, 20, 15}},
    {"tDH_min", &Sheet::t_dh, {20, 10, 5, 5, 5, 5}},
    {"tDS_min", &Sheet::t_ds, {40, 20, 15, 10, 10, 7}},
    {"tFEAT_max", &Sheet::t_feat, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tIR_min", &Sheet::t_ir, {10, 0, 0, 0, 0, 0}},
    {"tITC_max", &Sheet::t_itc, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tRC_min", &Sheet::t_rc, {100, 50, 35, 30, 25, 20}},
    {"tREA_max", &Sheet::t_rea, {40, 30, 25, 20, 20, 16}},
    {"tREH_min", &Sheet::t_reh, {30, 15, 15, 10, 10, 7}},
    {"tRHOH_min", &Sheet::t_rhoh, {0, 15, 15, 15, 15, 15}},
    {"tRHW_min", &Sheet::t_rhw, {200, 100, 100, 100, 100, 100}},
    {"tRHZ_max", &Sheet::t_rhz, {200, 100, 100, 100, 100, 100}},
    {"tRLOH_min", &Sheet::t_rloh, {0, 0, 0, 0, 5, 5}},
    {"tRP_min", &Sheet::t_rp, {50, 25, 17, 15, 12, 10}},
    {"tRR_min", &Sheet::t_rr, {40, 20, 20, 20, 20, 20}},
    {"tRST_max", &Sheet::t_rst, {250000000, 500000, 500000, 500000, 500000, 500000}},
    {"tWB_max", &Sheet::t_wb, {200, 100, 100, 100, 100, 100}},
    {"tWC_min", &Sheet::t_wc, {100, 45, 35, 30, 25, 20}},
    {"tWH_min", &Sheet::t_wh, {30, 15, 15, 10, 10, 7}},
    {"tWHR_min", &Sheet::t_whr, {120, 80, 80, 80, 80, 80}},
    {"tWP_min", &Sheet::t_wp, {50, 25, 17, 15, 12, 10}},
    {"tWW_min", &Sheet::t_ww, {100, 100, 100, 100, 100, 100}},
};

constexpr TimingRow kNvDdr[] = {
    {"tCCS_min", &Sheet::t_ccs, {500, 500, 500, 500, 500, 500}},
    {"tR_max", &Sheet::t_r, {200000, 200000, 200000, 200000, 200000, 200000}},
    {"tPROG_max", &Sheet::t_prog, {65535000, 65535000, 65535000, 65535000, 65535000, 65535000}},
    {"tBERS_max", &Sheet::t_bers, {65535000, 65535000, 65535000, 65535000, 65535000, 65535000}},
    {"tAC_min", &Sheet::t_ac_min, {3, 3, 3, 3, 3, 3}},
    {"tAC_max", &Sheet::t_ac, {25, 25, 25, 25, 25, 25}},
    {"tADL_min", &Sheet::t_adl, {400, 400, 400, 400, 400, 400}},
    {"tCAD_min", &Sheet::t_cad, {45, 45, 45, 45, 45, 45}},
    {"tCAH_min", &Sheet::t_cah, {10, 5, 4, 3, 2.5, 2}},
    {"tCALH_min", &Sheet::t_calh, {10, 5, 4, 3, 2.5, 2}},
    {"tCALS_min", &Sheet::t_cals, {10, 5, 4, 3, 2.5, 2}},
    {"tCAS_min", &Sheet::t_cas, {10, 5, 4, 3, 2.5, 2}},
    {"tCEH_min", &Sheet::t_ceh, {20, 20, 20, 20, 20, 20}},
    {"tCH_min", &Sheet::t_ch, {10, 5, 4, 3, 2.5, 2}},
    {"tCK_min", &Sheet::t_ck, {50, 30, 20, 15, 12, 10}},
    {"tCS_min", &Sheet::t_cs, {35, 25, 15, 15, 15, 15}},
    {"tDH_min", &Sheet::t_dh, {5, 2.5, 1.7, 1.3, 1.1, 0.9}},
    {"tDQSCK_min", &Sheet::t_dqsck_min, {3, 3, 3, 3, 3, 3}},
    {"tDQSCK_max", &Sheet::t_dqsck, {25, 25, 25, 25, 25, 25}},
    {"tDQSD_min", &Sheet::t_dqsd_min, {0, 0, 0, 0, 0, 0}},
    {"tDQSD_max", &Sheet::t_dqsd, {18, 18, 18, 18, 18, 18}},
    {"tDQSHZ_max", &Sheet::t_dqshz, {20, 20, 20, 20, 20, 20}},
    {"tDQSQ_max", &Sheet::t_dqsq, {5, 2.5, 1.7, 1.3, 1, 0.85}},
    {"tDS_min", &Sheet::t_ds, {5, 3, 2, 1.5, 1.1, 0.9}},
    {"tDSC_min", &Sheet::t_dsc, {50, 30, 20, 15, 12, 10}},
    {"tFEAT_max", &Sheet::t_feat, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tITC_max", &Sheet::t_itc, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tQHS_max", &Sheet::t_qhs, {6, 3, 2, 1.5, 1.2, 1}},
    {"tRHW_min", &Sheet::t_rhw, {100, 100, 100, 100, 100, 100}},
    {"tRR_min", &Sheet::t_rr, {20, 20, 20, 20, 20, 20}},
    {"tRST_max", &Sheet::t_rst, {500000, 500000, 500000, 500000, 500000, 500000}},
    {"tWB_max", &Sheet::t_wb, {100, 100, 100, 100, 100, 100}},
    {"tWHR_min", &Sheet::t_whr, {80, 80, 80, 80, 80, 80}},
    {"tWRCK_min", &Sheet::t_wrck, {20, 20, 20, 20, 20, 20}},
    {"tWW_min", &Sheet::t_ww, {100, 100, 100, 100, 100, 100}},
};

// From memory, to be checked against ONFI 2.3: tWPRE and tWPST of NV-DDR are 1.5 tCK.
constexpr u64 kNvDdrPreambleHalfClocks = 3;
constexpr u64 kNvDdrPostambleHalfClocks = 3;

// NV-DDR2 and NV-DDR3, ns, the same in each mode: MQSim, ONFI_Channel_NVDDR2.h.
constexpr u32 kCs = 20, kWc = 25, kAdl = 70, kCcs = 300, kRr = 20, kRhw = 100, kWb = 100;
constexpr u32 kRpre = 15, kDqsre = 15, kWpst = 6, kWpsth = 15, kCals = 15;
// MQSim has no status read: tWHR, tWW, tCEH, tFEAT and tITC are those of NV-DDR.
constexpr u32 kWhr = 80, kWw = 100, kCeh = 20, kFeat = 1000, kItc = 1000;
// From memory, to be checked against ONFI 3.1: the pulses and windows of asynchronous cycles, and
// the time until DQ is released.
constexpr u32 kWp = 11, kWh = 11, kCas = 5, kCah = 5, kCalh = 5, kCh = 5, kChz = 30;
// Assumed: tDS = tDH = tDSC / 8, half of a bit time in all.
constexpr u32 kDscToWindow = 8;

[[noreturn]] void bad_mode(const char* name, u32 mode, u32 modes)
{
    throw InputError("onfi.mode: " + std::string(name) + " has modes 0 to " +
                     std::to_string(modes - 1) + ", not " + std::to_string(mode));
}

Picoseconds from_ns(double ns) { return Picoseconds(static_cast<u64>(ns * 1000 + 0.5)); }

void fill(DataSheet& sheet, TimingTable table, const char* name)
{
    constexpr u32 kModes = std::tuple_size_v<decltype(TimingRow::ns)>;
    if (sheet.mode >= kModes) {
        bad_mode(name, sheet.mode, kModes);
    }
    for (const TimingRow& row : table) {
        sheet.*row.field = from_ns(row.ns[sheet.mode]);
    }
}

void fill_nv_ddr(DataSheet& d)
{
    fill(d, nv_ddr_table(), "NV-DDR");
    const Picoseconds half_clock(d.t_dsc.value() / 2);
    d.t_wpre = kNvDdrPreambleHalfClocks * half_clock;
    d.t_wpst = kNvDdrPostambleHalfClocks * half_clock;
}

void fill_nv_ddr23(DataSheet& d, const char* name, u32 modes)
{
    if (d.mode >= modes) {
        bad_mode(name, d.mode, modes);
    }
    d.t_dsc = Picoseconds(kNvDdr23DscPs[d.mode]);
    d.t_cs = nanoseconds(kCs);
    d.t_wc = nanoseconds(kWc);
    d.t_adl = nanoseconds(kAdl);
    d.t_ccs = nanoseconds(kCcs);
    d.t_whr = nanoseconds(kWhr);
    d.t_rr = nanoseconds(kRr);
    d.t_rhw = nanoseconds(kRhw);
    d.t_wb = nanoseconds(kWb);
    d.t_rpre = nanoseconds(kRpre);
    d.t_dqsre = nanoseconds(kDqsre);
    d.t_wpst = nanoseconds(kWpst);
    d.t_wpsth = nanoseconds(kWpsth);
    d.t_cals = nanoseconds(kCals);
    d.t_calh = nanoseconds(kCalh);
    d.t_wp = nanoseconds(kWp);
    d.t_wh = nanoseconds(kWh);
    d.t_cas = nanoseconds(kCas);
    d.t_cah = nanoseconds(kCah);
    d.t_ch = nanoseconds(kCh);
    d.t_chz = nanoseconds(kChz);
    d.t_ceh = nanoseconds(kCeh);
    d.t_ww = nanoseconds(kWw);
    d.t_feat = nanoseconds(kFeat);
    d.t_itc = nanoseconds(kItc);
    d.t_ds = Picoseconds(d.t_dsc.value() / kDscToWindow);
    d.t_dh = d.t_ds;
}

} // namespace

TimingTable sdr_table() { return {kSdr, std::size(kSdr)}; }

TimingTable nv_ddr_table() { return {kNvDdr, std::size(kNvDdr)}; }

DataSheet data_sheet(BusInterface interface, u32 mode)
{
    DataSheet sheet;
    sheet.interface = interface;
    sheet.mode = mode;
    switch (interface) {
    case BusInterface::Sdr:
        fill(sheet, sdr_table(), "SDR");
        break;
    case BusInterface::NvDdr:
        fill_nv_ddr(sheet);
        break;
    case BusInterface::NvDdr2:
        fill_nv_ddr23(sheet, "NV-DDR2", kNvDdr2Modes);
        break;
    case BusInterface::NvDdr3:
        fill_nv_ddr23(sheet, "NV-DDR3", kNvDdr3Modes);
        break;
    }
    return sheet;
}

} // namespace tlmssd::onfi
