// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL PHY alone: every primitive in every mode takes the time of docs/explanation/onfi.md to the
// picosecond and breaks no limit; a register below the minimum is found.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/onfi/checker/checker.h"
#include "tb/rtl/phy_bench.h"

namespace tlmssd {
namespace {

using namespace tb;
using Bus = PhyBus;
using Bench = PhyBench;
using Case = PhyCase;
using Ran = PhyRun;

class OnfiPhy : public testing::TestWithParam<Bus> {};

/// tCS, cycles, gap, burst, ... add up as segment_time() says; the bytes are right; nothing is too short.
TEST_P(OnfiPhy, EachPrimitiveTakesTheTimeOfTheTablesAndBreaksNoLimit)
{
    const Bus bus = GetParam();
    Bench bench(config_of(bus));
    bench.boot();
    bench.target.byte = pattern;
    for (const Case& c : phy_cases(bus.interface != BusInterface::Sdr)) {
        const bool in = c.segment.direction == onfi::DataDirection::In;
        std::vector<u8> data(in ? c.segment.data_bytes : 0);
        for (u32 i = 0; i < data.size(); ++i) {
            data[i] = pattern(i + 5);
        }
        const Ran ran = bench.run(c.request, data);
        EXPECT_EQ(ran.time().value(), onfi::segment_time(c.segment, bench.timing).value()) << c.name;
        EXPECT_EQ((ran.fell - ran.start).value(), bench.setup.period.value()) << c.name; // CE# is a flip-flop
        std::vector<std::string> cycles, bytes;
        for (const std::string& cycle : ran.cycles) {
            (cycle[0] == 'c' || cycle[0] == 'a' ? cycles : bytes).push_back(cycle);
        }
        EXPECT_EQ(cycles, c.cycles) << c.name;
        if (in) {
            ASSERT_EQ(bytes.size(), data.size()) << c.name;
            for (u32 i = 0; i < data.size(); ++i) {
                ASSERT_EQ(bytes[i], cycle_name("in", data[i])) << c.name << ", byte " << i;
            }
        } else {
            ASSERT_EQ(ran.out.size(), c.segment.data_bytes) << c.name;
            for (u32 i = 0; i < ran.out.size(); ++i) {
                ASSERT_EQ(ran.out[i], pattern(i)) << c.name << ", byte " << i;
            }
        }
        EXPECT_EQ(bench.violations.count(), 0u) << c.name << ": " << bench.reader.broken().limit;
        bench.rest();
    }
}

/// What the proofs of the pins (tb/formal/prove_onfi.sv) assume of the registers of NV-DDR; onfi_sequencer asserts
/// the others.
TEST_P(OnfiPhy, RegistersAreThoseThatTheProofsAssume)
{
    const Bench bench(config_of(GetParam()));
    const PhySetup& s = bench.setup;
    EXPECT_LT(s[PhyRegister::WeFall], s[PhyRegister::WeRise]);
    EXPECT_LE(s[PhyRegister::WeRise], s[PhyRegister::Cycle]);
    if (GetParam().interface == BusInterface::Sdr) {
        EXPECT_LT(s[PhyRegister::WeRise], s[PhyRegister::Cycle]);
        EXPECT_LT(s[PhyRegister::WeRise], s[PhyRegister::In]);
        return;
    }
    EXPECT_GT(s[PhyRegister::WeFall], 0);
    EXPECT_EQ(s[PhyRegister::In], 2 * s[PhyRegister::Half]);
    EXPECT_EQ(s[PhyRegister::Out], 2 * s[PhyRegister::Half]);
    EXPECT_LT(s[PhyRegister::DqsAt], s[PhyRegister::Half]);
    EXPECT_GT(s[PhyRegister::DqsAt], 0);
    EXPECT_GT(s[PhyRegister::PostIn], 0);
    EXPECT_GT(s[PhyRegister::PostOut], 0);
}

/// Behind a burst out the next command waits until tRHW has passed, and no clock longer.
TEST_P(OnfiPhy, ACommandAfterABurstOutWaitsForTrhw)
{
    Bench bench(config_of(GetParam()));
    bench.boot();
    const onfi::DataSheet& d = bench.timing.sheet;
    const SegmentRequest status = request_of(Phase::Status, FLASH_OP_PROGRAM);
    SegmentRequest other = status;
    other.ce = 0; // no tCEH
    const Ran first = bench.run(status);
    bench.step();
    const Ran second = bench.run(other);
    EXPECT_EQ(first.time(), onfi::segment_time(phy_cases(false)[9].segment, bench.timing));
    // The first cycle, tCS after CE#, is tRHW behind the first segment's end. It was asked for one clock
    // behind it.
    EXPECT_EQ((second.end - first.end).value(),
              (first.time() + max(bench.setup.period, d.t_rhw - d.t_cs)).value());
    EXPECT_EQ(bench.violations.count(), 0u) << bench.reader.broken().limit;
}

/// The same CE# stays high for tCEH, another falls at once.
TEST_P(OnfiPhy, TheSameCeStaysHighForTceh)
{
    for (const u32 ce : {kCe, u32{0}}) {
        Bench bench(config_of(GetParam()));
        bench.boot();
        const SegmentRequest reset = request_of(Phase::Command, FLASH_OP_RESET);
        SegmentRequest next = reset;
        next.ce = static_cast<u8>(ce);
        const Ran first = bench.run(reset);
        bench.step();
        const Ran second = bench.run(next);
        const Picoseconds least = ce == kCe ? bench.timing.sheet.t_ceh : bench.setup.period;
        EXPECT_EQ((second.end - first.end).value(), (first.time() + max(least, bench.setup.period)).value());
        EXPECT_EQ(bench.violations.count(), 0u) << bench.reader.broken().limit;
    }
}

/// One clock less in a sum is a segment that is too short for the checker.
TEST_P(OnfiPhy, AClockLessIsFoundByTheChecker)
{
    for (const PhyRegister r : {PhyRegister::Cs, PhyRegister::Cycle, PhyRegister::Whr, PhyRegister::Out}) {
        const config::Config config = config_of(GetParam());
        Bench bench(config);
        const auto judge = [&](Picoseconds start, Picoseconds end) {
            onfi::Checker checker(config.geometry,
                                  onfi::data_sheet(GetParam().interface, GetParam().mode), config.nand);
            Segment segment = phy_cases(false)[9].segment; // 70h and its byte
            onfi::DataCells cells;
            cells.bytes[0] = 0xe0;
            segment.data = &cells;
            segment.timing = &bench.timing;
            segment.start = start;
            segment.end = end;
            checker.on_observed(0, segment);
            return checker.violations();
        };
        bench.boot();
        const Ran legal = bench.run(request_of(Phase::Status, FLASH_OP_PROGRAM));
        EXPECT_EQ(judge(legal.start, legal.end), 0u);
        bench.rest();
        if (bench.setup[r] < 4) {
            continue; // three clocks are the PHY's own least
        }
        --bench.setup[r];
        bench.boot();
        const Ran fast = bench.run(request_of(Phase::Status, FLASH_OP_PROGRAM));
        EXPECT_EQ(legal.time() - fast.time(), bench.setup.period);
        EXPECT_EQ(judge(fast.start, fast.end), 1u) << "register " << static_cast<int>(r);
    }
}

/// Column and row of any value arrive in the address cycles, lowest byte first; column = sectors x codeword, 16 bits.
TEST_P(OnfiPhy, AddressesAreThoseOfTheSegment)
{
    Bench bench(config_of(GetParam()));
    const auto hex = [](u64 value, u32 byte) { return cycle_name("a", static_cast<u8>(value >> (8 * byte))); };
    for (u64 i = 0; i < 40; ++i) {
        const u64 draw = draw64(33, 4, i);
        bench.setup[PhyRegister::Codeword] = static_cast<u16>(draw);
        bench.boot();
        SegmentRequest r = request_of(Phase::Command, FLASH_OP_READ, 4, static_cast<u8>(draw >> 62));
        r.col = static_cast<u8>(draw >> 16);
        r.len = static_cast<u8>(draw >> 48);
        r.row = static_cast<u32>(draw >> 24) & 0xffffff;
        r.oob = static_cast<u32>(draw64(33, 5, i)); // no burst: of no effect
        const u64 column = u64{r.col} * static_cast<u16>(draw);
        EXPECT_EQ(bench.run(r).cycles,
                  (std::vector<std::string>{"c 00", hex(column, 0), hex(column, 1), hex(r.row, 0), hex(r.row, 1),
                                            hex(r.row, 2), r.plane == 3 ? "c 30" : "c 32"})) << i;
        bench.rest();
        r.phase = Phase::Suspend;
        r.opcode = FLASH_OP_PROGRAM;
        EXPECT_EQ(bench.run(r).cycles,
                  (std::vector<std::string>{"c 84", hex(r.row, 0), hex(r.row, 1), hex(r.row, 2)})) << i;
        bench.rest();
        r.phase = Phase::Feature;
        r.lun = static_cast<u8>(r.oob);
        const std::string in = cycle_name("in", 0x5a); // four register bytes
        EXPECT_EQ(bench.run(r, std::vector<u8>(4, 0x5a)).cycles,
                  (std::vector<std::string>{"c d5", hex(r.lun, 0), "a 89", in, in, in, in})) << i;
        bench.rest();
    }
}

/// Each CE# falls alone, and is high again at the end.
TEST_P(OnfiPhy, EachCeFallsForItsSegmentAlone)
{
    Bench bench(config_of(GetParam()));
    bench.boot();
    const u32 none = bench.model().pins().ce_n;
    for (u32 ce = 0; ce < bench.model().ces(); ++ce) {
        SegmentRequest r = request_of(Phase::Command, FLASH_OP_ERASE);
        r.ce = static_cast<u8>(ce);
        bench.model().request(&r);
        bench.step();
        EXPECT_EQ(bench.model().pins().ce_n, none & ~(u32{1} << r.ce));
        for (u32 i = 0; i < 10000 && !bench.model().done(); ++i) {
            bench.step();
        }
        EXPECT_EQ(bench.model().pins().ce_n, none);
        bench.model().request(nullptr);
        bench.rest();
    }
}

/// The length of a burst has 18 bits: sectors x codeword, and 16 OOB bytes behind the last sector. All bytes come.
TEST(OnfiPhyBursts, OfAnyLengthHaveAllTheirBytes)
{
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr}) {
        for (const auto& [len, codeword] : {std::pair<u8, u16>{0x55, 1024}, {0x55, 514}, {0x55, 342}, {0xff, 514}}) {
            Bench bench(config_of({interface, 5, 8}));
            bench.setup[PhyRegister::Codeword] = codeword;
            bench.setup[PhyRegister::Sectors] = len;
            bench.boot();
            SegmentRequest r = request_of(Phase::DataOut, FLASH_OP_READ);
            r.col = 0;
            r.len = len; // up to the last sector: with the OOB bytes
            const Ran ran = bench.run(r);
            EXPECT_EQ(ran.out.size(), u32{len} * codeword + 16) << codeword;
            bench.rest();
        }
    }
}

/// A page whose OOB bytes have no place in DRAM is read and written without them: the burst ends with the last sector.
TEST(OnfiPhyBursts, WithoutAPlaceForOobBytesTheyAreOfSectorsAlone)
{
    constexpr u32 kSector = 512 + 16; // with its parity
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr}) {
        Bench bench(config_of({interface, 5, 8}));
        bench.boot();
        bench.target.byte = pattern;
        for (const u32 oob : {FLASH_NO_OOB, u32{0}}) {
            const u32 bytes = kSector + (oob == FLASH_NO_OOB ? 0 : 16);
            SegmentRequest r = request_of(Phase::DataOut, FLASH_OP_READ); // sector 1 of 2
            r.oob = oob;
            EXPECT_EQ(bench.run(r).out.size(), bytes);
            bench.rest();
            r = request_of(Phase::DataIn, FLASH_OP_PROGRAM);
            r.oob = oob;
            const Ran ran = bench.run(r, std::vector<u8>(bytes, 0x5a));
            EXPECT_EQ(std::count(ran.cycles.begin(), ran.cycles.end(), cycle_name("in", 0x5a)), bytes);
            bench.rest();
        }
    }
}

struct Wrong {
    PhyRegister reg;
    u16 value;
    const char* limit; ///< that the pin reader names
};

void expect_found(const Bus& bus, const std::vector<Wrong>& all)
{
    for (const Wrong& wrong : all) {
        Bench bench(config_of(bus));
        bench.setup[wrong.reg] = wrong.value;
        bench.boot();
        const std::vector<u8> data(kBurst, 0x5a);
        for (const Case& c : phy_cases(bus.interface != BusInterface::Sdr)) {
            bench.run(c.request, c.segment.direction == onfi::DataDirection::In ? data : std::vector<u8>{});
            bench.rest();
        }
        EXPECT_EQ(bench.broken().count(wrong.limit), 1u)
            << wrong.limit << " of register " << static_cast<int>(wrong.reg);
    }
}

/// SDR mode 5 with 5 ns: tWC 4 clocks, WE# falls at 1 and rises at 3, RE# low 2, tWHR 16, tADL 80, tCCS 100.
TEST(OnfiPhyRegisters, TooSmallOnesAreFoundAtThePinsSdr)
{
    expect_found({BusInterface::Sdr, 5, 8},
                 {{PhyRegister::Cycle, 3, "tWH"}, // high for one clock of 5 ns, 7 ns are asked for
                  {PhyRegister::WeFall, 2, "tWP"},
                  {PhyRegister::WeRise, 4, "tDS"}, // DQ changes with the edge
                  {PhyRegister::ReRise, 1, "tRP"},
                  {PhyRegister::ReRise, 3, "tREH"},
                  {PhyRegister::Out, 3, "tRC"},
                  {PhyRegister::Whr, 14, "tWHR"},
                  {PhyRegister::Ccs, 98, "tCCS"},
                  {PhyRegister::Adl, 75, "tADL"}});
}

/// NV-DDR mode 5 with 2.5 ns: tCAD 18 clocks, tCK 4, tWRCK 8.
TEST(OnfiPhyRegisters, TooSmallOnesAreFoundAtThePinsNvDdr)
{
    expect_found({BusInterface::NvDdr, 5, 8},
                 {{PhyRegister::Cycle, 17, "tCAD"},
                  {PhyRegister::WeFall, 0, "tCAS"}, // DQ, CLE and ALE change with CLK
                  {PhyRegister::Wrck, 7, "tWRCK"},
                  {PhyRegister::Whr, 20, "tWHR"},
                  {PhyRegister::Ccs, 180, "tCCS"}});
}

/// The longest clock that divides everything: by hand from the tables of timing_tables.cpp.
TEST(OnfiPhyRegisters, TheClockIsTheLongestThatDividesTheTables)
{
    const auto period = [](BusInterface interface, u32 mode, u32 controller_mhz) {
        config::Config c = config_of({interface, mode, 8});
        c.controller.clock_mhz = controller_mhz;
        return flash::phy_setup(c.controller, c.geometry, c.onfi.ready, c.operations_fail(),
                                onfi::bus_timing(c.onfi, c.nand)).period.value();
    };
    // Controller: 200 MHz, 5 ns. Everything of SDR is a multiple of 5 ns.
    for (u32 mode = 0; mode < 6; ++mode) {
        EXPECT_EQ(period(BusInterface::Sdr, mode, 200), 5000u) << mode;
    }
    // NV-DDR: half a tCK is 25, 15, 10, 7.5, 6, 5 ns and takes two clocks or more; tCAD is 45 ns.
    const u64 nvddr[] = {5000, 5000, 5000, 2500, 1000, 2500};
    for (u32 mode = 0; mode < 6; ++mode) {
        EXPECT_EQ(period(BusInterface::NvDdr, mode, 200), nvddr[mode]) << mode;
    }
    // 80 MHz, 12.5 ns. tRR is 20 ns, so with a multiple of 5 ns it leaves 2.5 ns; mode 4 leaves 0.5 ns and is alone.
    const u64 slow[] = {2500, 2500, 2500, 2500, 1000, 2500};
    for (u32 mode = 0; mode < 6; ++mode) {
        EXPECT_EQ(period(BusInterface::Sdr, mode, 80), 2500u) << mode;
        EXPECT_EQ(period(BusInterface::NvDdr, mode, 80), slow[mode]) << mode;
    }
}

/// tWHR of a status read, longer than any in the tables.
TEST(OnfiPhyRegisters, TimesHaveSixteenBits)
{
    const SegmentRequest status = request_of(Phase::Status, FLASH_OP_PROGRAM);
    Bench tables(config_of({BusInterface::Sdr, 5, 8}));
    tables.boot();
    const Picoseconds least = tables.run(status).time();
    for (const u16 clocks : {u16{0x5555}, u16{0xaaaa}}) {
        Bench bench(config_of({BusInterface::Sdr, 5, 8}));
        const u16 before = bench.setup[PhyRegister::Whr];
        bench.setup[PhyRegister::Whr] = clocks;
        bench.boot();
        EXPECT_EQ(bench.run(status).time(), least + (clocks - before) * bench.setup.period);
    }
}

std::string error_of(const config::Config& c)
{
    try {
        flash::phy_setup(c.controller, c.geometry, c.onfi.ready, c.operations_fail(),
                                onfi::bus_timing(c.onfi, c.nand));
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

TEST(OnfiPhyRegisters, AClockThatDoesNotFitIsRefusedWithTheNearest)
{
    config::Config c = config_of({BusInterface::NvDdr, 5, 8});
    c.controller.phy_mhz = 400;
    EXPECT_EQ(error_of(c), "");
    c.controller.phy_mhz = 333;
    EXPECT_NE(error_of(c).find("controller.phy_mhz: with 333"), std::string::npos) << error_of(c);
    EXPECT_NE(error_of(c).find("nearest is 400"), std::string::npos) << error_of(c);
    c.controller.phy_mhz = 0;
    c.onfi.cycle = Picoseconds(10007); // half of it is no whole picosecond
    EXPECT_NE(error_of(c).find("onfi.cycle_ns"), std::string::npos) << error_of(c);
    c = config_of({BusInterface::NvDdr2, 0, 8});
    EXPECT_NE(error_of(c).find("onfi.interface"), std::string::npos) << error_of(c);
}

TEST(OnfiPhyRegisters, CanBeReadBack)
{
    Bench bench(config_of({BusInterface::Sdr, 0, 8}));
    bench.boot();
    for (u32 i = 0; i < flash::kPhyRegisters; ++i) {
        EXPECT_EQ(bench.model().read_register(i), bench.setup.registers[i]) << i;
    }
}

std::vector<Bus> buses()
{
    std::vector<Bus> all;
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr}) {
        for (u32 mode = 0; mode < 6; ++mode) {
            all.push_back({interface, mode, 8});
            all.push_back({interface, mode, 16});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(AllModes, OnfiPhy, testing::ValuesIn(buses()), [](const auto& bench_of) {
    const Bus& bus = bench_of.param;
    return std::string(bus.interface == BusInterface::Sdr ? "Sdr" : "NvDdr") + std::to_string(bus.mode) +
           "x" + std::to_string(bus.width);
});

} // namespace
} // namespace tlmssd
