// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: nanoseconds of the data sheet to clocks of the PHY.
#include "models/flash/pins/phy_registers.h"

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "models/common/error.h"

namespace tlmssd::flash {

namespace {

using config::BusInterface;
using onfi::BusTiming;
using onfi::DataSheet;

constexpr u64 kShortest = 500;        ///< ps: 2 GHz
constexpr u64 kShortestShared = 1000; ///< ps: so far the clock goes to share the controller's edges
constexpr u64 kMostClocks = 65535;    ///< registers have 16 bits
constexpr u64 kPsMhz = 1000000;

u64 clocks(Picoseconds time, u64 period) { return (time.value() + period - 1) / period; }

std::string in_ns(u64 ps)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", static_cast<double>(ps) / 1000);
    return text;
}

struct Named {
    const char* name;
    Picoseconds time;
};

/// What the time of a segment is the sum of.
std::vector<Named> sums(const BusTiming& t)
{
    const DataSheet& d = t.sheet;
    std::vector<Named> all = {{"tCS", d.t_cs},   {"tRR", d.t_rr},   {"tWHR", d.t_whr},
                              {"tCCS", d.t_ccs}, {"tADL", d.t_adl}, {"tRHW", d.t_rhw}};
    if (d.interface == BusInterface::Sdr) {
        all.push_back({"tWC", t.cycle});
        all.push_back({"tRC", t.strobe_out});
    } else {
        all.push_back({"tCAD", t.cycle});
        all.push_back({"tCK / 2", Picoseconds(t.strobe_out.value() / 2)});
        all.push_back({"tWPRE", t.preamble_in});
        all.push_back({"tWPST", t.postamble_in});
        all.push_back({"tWRCK", d.t_wrck});
        all.push_back({"tWRCK + tDQSCK", t.preamble_out});
        all.push_back({"tDQSHZ", t.postamble_out});
    }
    return all;
}

/// Registers for `period`; false: a pulse, a set-up or a hold time does not fit.
bool fill(PhySetup& s, const BusTiming& t, u64 p)
{
    const DataSheet& d = t.sheet;
    const auto put = [&](PhyRegister r, u64 value) { s[r] = static_cast<u16>(std::min(value, kMostClocks)); };
    const auto time = [&](PhyRegister r, Picoseconds value) { put(r, clocks(value, p)); };
    s.period = Picoseconds(p);
    time(PhyRegister::Cs, d.t_cs);
    time(PhyRegister::Cycle, t.cycle);
    time(PhyRegister::In, t.strobe_in);
    time(PhyRegister::Out, t.strobe_out);
    time(PhyRegister::Rr, d.t_rr);
    time(PhyRegister::Whr, d.t_whr);
    time(PhyRegister::Ccs, d.t_ccs);
    time(PhyRegister::Adl, d.t_adl);
    time(PhyRegister::Rhw, d.t_rhw);
    time(PhyRegister::Ceh, d.t_ceh);
    const u64 cycle = clocks(t.cycle, p);
    if (clocks(d.t_cs, p) < 3) {
        return false;
    }
    if (d.interface == BusInterface::Sdr) {
        const u64 hold = clocks(max(max(d.t_clh, d.t_alh), max(d.t_dh, d.t_ch)), p);
        const u64 wp = clocks(d.t_wp, p);
        const u64 rp = clocks(d.t_rp, p);
        const u64 out = clocks(t.strobe_out, p);
        const u64 sample = clocks(d.t_rea, p);
        if (cycle < hold + wp || cycle < wp + clocks(d.t_wh, p) || out < rp + clocks(d.t_reh, p) ||
            (cycle - hold) * p < max(max(d.t_cls, d.t_als), d.t_ds).value() || sample > out || sample == 0) {
            return false;
        }
        // Data stand tRHOH after RE# rises, with tRLOH (EDO) until it has fallen again, too.
        const u64 stands = d.t_rloh.value() != 0 ? std::max(out * p, rp * p + d.t_rhoh.value())
                                                 : rp * p + d.t_rhoh.value();
        if (sample * p > stands) {
            return false;
        }
        put(PhyRegister::WeFall, cycle - hold - wp);
        put(PhyRegister::WeRise, cycle - hold);
        put(PhyRegister::ReRise, rp);
        put(PhyRegister::Sample, sample);
        return true;
    }
    const u64 half = t.strobe_in.value() / 2 / p;
    const u64 rise = cycle / 2;
    const u64 dqs_at = std::max<u64>(1, clocks(d.t_ds, p));
    if (half < 2 || rise * p < max(d.t_cals, d.t_cas).value() ||
        (cycle - rise) * p < max(max(d.t_calh, d.t_cah), d.t_ch).value() ||
        half < dqs_at + clocks(d.t_dh, p)) {
        return false;
    }
    put(PhyRegister::WeFall, rise);
    put(PhyRegister::WeRise, std::min(rise + half, cycle));
    put(PhyRegister::Half, half);
    put(PhyRegister::DqsAt, dqs_at);
    time(PhyRegister::PreIn, t.preamble_in);
    time(PhyRegister::PostIn, t.postamble_in);
    time(PhyRegister::Wrck, d.t_wrck);
    time(PhyRegister::PreOut, t.preamble_out);
    time(PhyRegister::PostOut, t.postamble_out);
    return true;
}

/// The longest period that divides `all` (ps) and fits; 0: none.
u64 longest(PhySetup& s, const BusTiming& timing, u64 all)
{
    for (u64 k = 1; all / k >= kShortest; ++k) {
        if (all % k == 0 && fill(s, timing, all / k)) {
            return all / k;
        }
    }
    return 0;
}

/// In whole MHz, nearest to `wanted`; 0: none.
u64 nearest_mhz(const BusTiming& timing, u64 all, u64 wanted)
{
    u64 best = 0;
    PhySetup scratch;
    for (u64 k = 1; all / k >= kShortest; ++k) {
        if (all % k != 0 || kPsMhz % (all / k) != 0 || !fill(scratch, timing, all / k)) {
            continue;
        }
        const u64 mhz = kPsMhz / (all / k);
        const auto away = [wanted](u64 f) { return f > wanted ? f - wanted : wanted - f; };
        if (best == 0 || away(mhz) < away(best)) {
            best = mhz;
        }
    }
    return best;
}

} // namespace

PhySetup phy_setup(const config::Controller& config, const Geometry& geometry, config::ReadySense ready,
                   bool operations_fail, const BusTiming& timing)
{
    const DataSheet& sheet = timing.sheet;
    const bool ddr = sheet.interface == BusInterface::NvDdr;
    if (!ddr && sheet.interface != BusInterface::Sdr) {
        throw InputError(std::string("onfi.interface: controller.kind: rtl_pins has sdr and nvddr, not ") +
                         to_string(sheet.interface) + "; the nearest is nvddr");
    }
    PhySetup s;
    u64 all = 0;
    for (const Named& n : sums(timing)) {
        all = std::gcd(all, n.time.value());
    }
    if (ddr && timing.strobe_out.value() % 2 != 0) {
        all = 0; // half a picosecond
    }
    const u64 wanted = config.phy_mhz;
    const u64 controller = (kPsMhz + config.clock_mhz / 2) / config.clock_mhz;
    u64 period = 0;
    if (wanted != 0) {
        const u64 asked = (kPsMhz + wanted / 2) / wanted;
        period = all != 0 && all % asked == 0 && fill(s, timing, asked) ? asked : 0;
    } else if (all != 0) {
        const u64 shared = std::gcd(all, controller);
        period = shared >= kShortestShared ? longest(s, timing, shared) : 0;
        period = period != 0 ? period : longest(s, timing, all);
    }
    if (period == 0 && wanted != 0) {
        const u64 nearest = nearest_mhz(timing, all, wanted);
        throw InputError("controller.phy_mhz: with " + std::to_string(wanted) +
                         " the times of the bus are no whole numbers of clocks, or its pulses do not "
                         "fit; the nearest is " +
                         (nearest != 0 ? std::to_string(nearest) : std::string("0 (chosen)")));
    }
    if (period == 0) {
        const u64 cycle = timing.strobe_out.value();
        throw InputError("controller.kind: rtl_pins: no clock up to 2 GHz divides all times of the bus "
                         "(a strobe is " + in_ns(cycle) + " ns); onfi.cycle_ns: the nearest that it can is " +
                         in_ns((cycle + 4999) / 5000 * 5000));
    }
    fill(s, timing, period);
    for (const Named& n : sums(timing)) {
        if (n.time.value() / period > kMostClocks) {
            throw InputError(std::string("controller.kind: rtl_pins: ") + n.name + " of " +
                             in_ns(n.time.value()) +
                             " ns is more than the PHY's 65535 clocks of " + in_ns(period) +
                             " ns; the nearest is " + in_ns(kMostClocks * period));
        }
    }
    s[PhyRegister::Codeword] = static_cast<u16>(geometry.codeword_bytes());
    s[PhyRegister::Sectors] = static_cast<u16>(geometry.sectors_per_page());
    const bool polled = ready == config::ReadySense::Status ||
                        (ready == config::ReadySense::Target && geometry.luns_per_ce() > 1);
    s[PhyRegister::Control] =
        static_cast<u16>((ddr ? kPhyDdr : 0) | (timing.width == 16 ? kPhyX16 : 0) |
                         (geometry.luns_per_ce() > 1 ? kPhyEnhanced : 0) | (operations_fail ? kPhyFails : 0) |
                         (polled ? kPhyPolled : 0));
    return s;
}

} // namespace tlmssd::flash
