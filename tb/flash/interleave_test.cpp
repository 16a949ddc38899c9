// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: interleaving against closed forms: n ways reach min(n x die rate, bus rate) in every
// timing mode; n dies of m planes give n x m where the bus allows.
#include "tb/flash/lane.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using config::Config;

constexpr u32 kPhysicalBytes = 8624; ///< 16 codewords of 539 bytes

/// Interface, timing mode and what a page costs there, from the data sheet by its own sums.
struct Bus {
    BusInterface interface;
    u32 mode;

    onfi::DataSheet sheet() const { return onfi::data_sheet(interface, mode); }
    double cycle() const
    {
        const onfi::DataSheet s = sheet();
        return ps(interface == BusInterface::NvDdr ? s.t_cad : s.t_wc);
    }
    double out(u32 bytes) const
    {
        const onfi::DataSheet s = sheet();
        switch (interface) {
        case BusInterface::Sdr:
            return bytes * ps(s.t_rc);
        case BusInterface::NvDdr:
            return ps(s.t_wrck) + ps(s.t_dqsck) + (bytes + 1) / 2 * ps(s.t_dsc) + ps(s.t_dqshz);
        default:
            return ps(s.t_rpre) + ps(s.t_dqsre) + (bytes + 1) / 2 * ps(s.t_dsc);
        }
    }
    double in(u32 bytes) const
    {
        const onfi::DataSheet s = sheet();
        switch (interface) {
        case BusInterface::Sdr:
            return bytes * ps(s.t_wc);
        case BusInterface::NvDdr: // preamble and postamble 1.5 tCK each
            return (bytes + 1) / 2 * ps(s.t_dsc) + 3 * ps(s.t_dsc);
        default:
            return (bytes + 1) / 2 * ps(s.t_dsc) + ps(s.t_wpst) + ps(s.t_wpsth);
        }
    }
    /// CE# low again after a burst out: the first command cycle waits for tRHW.
    double turn() const { return std::max(0.0, ps(sheet().t_rhw) - ps(sheet().t_cs)); }

    /// 00h, five addresses, 30h; then CE#, tRR and the burst.
    double read_on_bus() const
    {
        const onfi::DataSheet s = sheet();
        return ps(s.t_cs) + 7 * cycle() + ps(s.t_cs) + ps(s.t_rr) + out(kPhysicalBytes) + turn();
    }
    /// 80h, five addresses, tADL, the burst, 10h; then 70h, tWHR and the status byte.
    double program_on_bus() const
    {
        const onfi::DataSheet s = sheet();
        return ps(s.t_cs) + 7 * cycle() + ps(s.t_adl) + in(kPhysicalBytes) + ps(s.t_cs) + cycle() +
               ps(s.t_whr) + out(1) + turn();
    }
    double wb() const { return ps(sheet().t_wb); }
    static double ps(Picoseconds t) { return static_cast<double>(t.value()); }
};

std::vector<Bus> all_modes()
{
    std::vector<Bus> modes;
    const auto add = [&modes](BusInterface interface, u32 count) {
        for (u32 mode = 0; mode < count; ++mode) {
            modes.push_back({interface, mode});
        }
    };
    add(BusInterface::Sdr, 6);
    add(BusInterface::NvDdr, 6);
    add(BusInterface::NvDdr2, 9);
    add(BusInterface::NvDdr3, 11);
    return modes;
}

Config device(const Bus& bus, u32 ways, u32 dies, u32 planes, const std::string& nand)
{
    return config::load_text(
        "nand: {page_bytes: 8192, spare_bytes: 448, " + nand + "}\n" +
            "geometry: {channels: 1, ways: " + std::to_string(ways) +
            ", dies: " + std::to_string(dies) + ", planes: " + std::to_string(planes) +
            ", blocks: 16, pages: 64}\n" + "onfi: {interface: " + to_string(bus.interface) +
            ", mode: " + std::to_string(bus.mode) + "}\nftl: {over_provisioning: 1.0}\n" +
            "buffer: {size_mib: 1}\n",
        "test", {});
}

/// All modes with 1 to 16 ways at once, each lane against its closed form.
void expect_min_of_dies_and_bus(u8 opcode, const std::string& nand, double array_ps,
                                double (Bus::*on_bus)() const)
{
    EventQueue event_queue("event_queue");
    std::vector<std::unique_ptr<Lane>> lanes;
    std::vector<double> expected;
    u32 bus_bound = 0;
    for (const Bus& bus : all_modes()) {
        for (const u32 ways : {1u, 2u, 3u, 4u, 8u, 16u}) {
            Lane::Load load;
            load.opcode = opcode;
            load.operations = 24 * ways;
            lanes.push_back(std::make_unique<Lane>(sc_core::sc_gen_unique_name("lane"), event_queue,
                                                   device(bus, ways, 1, 1, nand), load));
            const double held = (bus.*on_bus)();
            const double die = (held + bus.wb() + array_ps) / ways;
            expected.push_back(std::max(die, held)); // the longer period is the lower rate
            bus_bound += held > die;
        }
    }
    run_lanes(event_queue, lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Config& c = lanes[i]->config;
        EXPECT_NEAR(lanes[i]->period_ps() / expected[i], 1.0, 0.01)
            << to_string(c.onfi.interface) << " mode " << c.onfi.mode << ", " << c.geometry.ways
            << " ways";
        lanes[i]->expect_clean();
    }
    EXPECT_GT(bus_bound, 32u); // both sides of the minimum are there
    EXPECT_LT(bus_bound, lanes.size() - 32);
}

TEST(Interleaving, ReadsReachTheSmallerOfAllDiesAndTheBusInEveryMode)
{
    expect_min_of_dies_and_bus(FLASH_OP_READ, "t_read_us: 150", 150e6, &Bus::read_on_bus);
}

TEST(Interleaving, ProgramsReachTheSmallerOfAllDiesAndTheBusInEveryMode)
{
    expect_min_of_dies_and_bus(FLASH_OP_PROGRAM, "t_program_us: 400", 400e6, &Bus::program_on_bus);
}

/// Rate with n dies of m planes, relative to one die and plane, on a bus that is hardly used.
void expect_n_times_m(u8 opcode, u8 sectors, const std::string& nand)
{
    const Bus fast{BusInterface::NvDdr3, 10};
    EventQueue event_queue("event_queue");
    std::vector<std::unique_ptr<Lane>> lanes;
    for (const u32 dies : {1u, 2u, 4u}) {
        for (const u32 planes : {1u, 2u, 4u}) {
            Lane::Load load;
            load.opcode = opcode;
            load.planes = planes;
            load.sectors = sectors;
            load.operations = 24 * dies;
            lanes.push_back(std::make_unique<Lane>(sc_core::sc_gen_unique_name("lane"), event_queue,
                                                   device(fast, 1, dies, planes, nand), load));
        }
    }
    run_lanes(event_queue, lanes);
    const double one = lanes[0]->mb_per_s();
    for (const auto& lane : lanes) {
        const double n_m = lane->config.geometry.dies * lane->load.planes;
        EXPECT_NEAR(lane->mb_per_s() / one / n_m, 1.0, 0.02) << n_m;
        lane->expect_clean();
    }
}

// Page allocation paper, section 2: die interleaving "about n times", plane sharing "about m times",
// together "about n * m times". Programs of 5 ms against 11 us a page on the bus: at most 4 x 11 us
// more for four planes, under 1 percent; reads of one sector and 1 ms: 1.3 us a plane.
TEST(DieInterleavingWithMultiplane, MultipliesProgramsByDiesTimesPlanes)
{
    expect_n_times_m(FLASH_OP_PROGRAM, 16, "t_program_us: 5000");
}

TEST(DieInterleavingWithMultiplane, MultipliesReadsByDiesTimesPlanes)
{
    expect_n_times_m(FLASH_OP_READ, 1, "t_read_us: 1000");
}

} // namespace
} // namespace tlmssd::tb
