// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: segment times against sums made by hand from the data-sheet tables.
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/onfi/bus/timing.h"
#include "tb/onfi/bytes.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using onfi::BusTiming;
using onfi::bus_timing;
using onfi::segment_time;

constexpr u32 kPage = 8640; // 8192 data, 16 x 27 parity, 16 OOB

struct Expected {
    BusInterface interface;
    u32 mode;
    u64 read_command;  // tCS + 7 cycles
    u64 direct_out;    // tCS + tRR + preamble + page + postamble
    u64 enhanced_out;  // tCS + 7 cycles + tCCS + preamble + page + postamble
    u64 program;       // tCS + 7 cycles + tADL + preamble + page + postamble
    u64 erase;         // tCS + 5 cycles
    u64 status;        // tCS + 1 cycle + tWHR + preamble + 1 byte + postamble
    u64 status_78h;    // tCS + 4 cycles + tWHR + preamble + 1 byte + postamble
};

// All in ns. DDR: a page is 4320 pairs, one byte takes the time of a pair.
constexpr Expected kExpected[] = {
    {BusInterface::Sdr, 5, 15 + 7 * 20, 15 + 20 + 8640 * 20, 15 + 140 + 500 + 172800,
     15 + 140 + 400 + 172800, 15 + 100, 15 + 20 + 80 + 20, 15 + 80 + 80 + 20},
    {BusInterface::Sdr, 0, 70 + 700, 70 + 40 + 864000, 70 + 700 + 500 + 864000,
     70 + 700 + 400 + 864000, 70 + 500, 70 + 100 + 120 + 100, 70 + 400 + 120 + 100},
    // tWRCK 20 + tDQSCK 25 before, tDQSHZ 20 after a burst out; 1.5 tCK = 15 around a burst in
    {BusInterface::NvDdr, 5, 15 + 7 * 45, 15 + 20 + 45 + 43200 + 20,
     15 + 315 + 500 + 45 + 43200 + 20, 15 + 315 + 400 + 15 + 43200 + 15, 15 + 225,
     15 + 45 + 80 + 45 + 10 + 20, 15 + 180 + 80 + 45 + 10 + 20},
    // tRPRE 15 + tDQSRE 15 before a burst out; tWPST 6 + tWPSTH 15 after a burst in
    {BusInterface::NvDdr2, 6, 20 + 7 * 25, 20 + 20 + 30 + 25920, 20 + 175 + 300 + 30 + 25920,
     20 + 175 + 70 + 25920 + 21, 20 + 125, 20 + 25 + 80 + 30 + 6, 20 + 100 + 80 + 30 + 6},
};

class SegmentTime : public testing::TestWithParam<Expected> {};

TEST_P(SegmentTime, IsTheSumOfItsParts)
{
    const Expected& e = GetParam();
    const BusTiming t = bus_timing(e.interface, e.mode);
    DataCells cells;
    EXPECT_EQ(segment_time(read_command(5), t), nanoseconds(e.read_command));
    EXPECT_EQ(segment_time(direct_out(kPage, cells), t), nanoseconds(e.direct_out));
    EXPECT_EQ(segment_time(enhanced_out(5, 0, kPage, cells), t), nanoseconds(e.enhanced_out));
    EXPECT_EQ(segment_time(program(5, 0, kPage, cells), t), nanoseconds(e.program));
    EXPECT_EQ(segment_time(erase(5), t), nanoseconds(e.erase));
    EXPECT_EQ(segment_time(read_status(cells), t), nanoseconds(e.status));
    EXPECT_EQ(segment_time(read_status_enhanced(5, cells), t), nanoseconds(e.status_78h));
}

INSTANTIATE_TEST_SUITE_P(Modes, SegmentTime, testing::ValuesIn(kExpected));

TEST(SegmentTimeCases, DdrMovesPairs)
{
    const BusTiming t = bus_timing(BusInterface::NvDdr2, 8); // tDSC 3.75 ns
    EXPECT_EQ(t.burst_out(2), Picoseconds(3750));
    EXPECT_EQ(t.burst_out(3), Picoseconds(7500));
    EXPECT_EQ(t.burst_in(539), Picoseconds(270 * 3750));
}

TEST(SegmentTimeCases, ClosingCycleAfterABurstOutWaitsForTurnaround)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 5);
    DataCells cells;
    Segment s = direct_out(10, cells);
    s.command(0x00); // tCS 15 + tRR 20 + 10 x 20 + tRHW 100 + 1 cycle 20
    EXPECT_EQ(segment_time(s, t), nanoseconds(355));
}

TEST(SegmentTimeCases, DataThatContinueAProgramNeedNoAddressDelay)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 4);
    DataCells cells;
    Segment s;
    s.burst(DataDirection::In, 100, &cells); // tCS 20 + 100 x 25
    EXPECT_EQ(segment_time(s, t), nanoseconds(2520));
}

TEST(Modes, EveryModeIsFasterThanTheOneBefore)
{
    struct Range {
        BusInterface interface;
        u32 modes;
    };
    for (const Range r :
         {Range{BusInterface::Sdr, 6}, {BusInterface::NvDdr, 6}, {BusInterface::NvDdr2, 9},
          {BusInterface::NvDdr3, 11}}) {
        for (u32 mode = 1; mode < r.modes; ++mode) {
            EXPECT_LT(bus_timing(r.interface, mode).burst_out(4096),
                      bus_timing(r.interface, mode - 1).burst_out(4096));
        }
        EXPECT_THROW(bus_timing(r.interface, r.modes), InputError);
    }
}

TEST(Modes, PageRatesAreThoseOfTheTables)
{
    // 4096 B at MB/s: SDR 1: 20 out, 22.2 in; NV-DDR 3: 133.3; NV-DDR2 5: 266.7.
    EXPECT_EQ(bus_timing(BusInterface::Sdr, 1).burst_out(4096), nanoseconds(4096 * 50));
    EXPECT_EQ(bus_timing(BusInterface::Sdr, 1).burst_in(4096), nanoseconds(4096 * 45));
    EXPECT_EQ(bus_timing(BusInterface::NvDdr, 3).burst_out(4096), nanoseconds(2048 * 15));
    EXPECT_EQ(bus_timing(BusInterface::NvDdr2, 5).burst_in(4096), Picoseconds(2048 * 7500));
}

TEST(Modes, WrongModeIsNamedInTheMessage)
{
    try {
        bus_timing(BusInterface::NvDdr2, 9);
        FAIL();
    } catch (const InputError& e) {
        EXPECT_STREQ(e.what(), "onfi.mode: NV-DDR2 has modes 0 to 8, not 9");
    }
}

/// 85h C2 (or C2R3) and a burst in
Segment change_write_column(u32 addresses, u32 bytes, DataCells& cells)
{
    Segment s;
    s.command(0x85);
    for (u32 i = 0; i < addresses; ++i) {
        s.address(0);
    }
    s.burst(DataDirection::In, bytes, &cells);
    return s;
}

/// A command, one address and a burst of register bytes
Segment registers(u8 command, DataDirection direction, u32 bytes, DataCells& cells)
{
    Segment s;
    s.command(command);
    s.address(0x01);
    s.burst(direction, bytes, &cells);
    s.narrow = true;
    return s;
}

TEST(SegmentTimeCases, ChangeWriteColumnWaitsForColumnChangeNotForAddressToData)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 5); // tADL 400, tCCS 500
    DataCells cells;
    EXPECT_EQ(segment_time(change_write_column(2, 100, cells), t),
              nanoseconds(15 + 3 * 20 + 500 + 100 * 20));
    EXPECT_EQ(segment_time(change_write_column(5, 100, cells), t),
              nanoseconds(15 + 6 * 20 + 500 + 100 * 20));
}

TEST(SegmentTimeCases, SetFeaturesWaitsForAddressToData)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 5);
    DataCells cells;
    for (const u8 command : {u8{0xef}, u8{0xd5}}) {
        EXPECT_EQ(segment_time(registers(command, DataDirection::In, 4, cells), t),
                  nanoseconds(15 + 2 * 20 + 400 + 4 * 20));
    }
}

TEST(SegmentTimeCases, ReadIdWaitsForWriteToRead)
{
    const BusTiming t = bus_timing(BusInterface::Sdr, 5);
    DataCells cells;
    EXPECT_EQ(segment_time(registers(0x90, DataDirection::Out, 5, cells), t),
              nanoseconds(15 + 2 * 20 + 80 + 5 * 20));
}

TEST(SegmentTimeCases, RegisterBytesTakeAWholeClockEachOnDdr)
{
    DataCells cells;
    // NV-DDR 5: tCS 15, tCAD 45, tADL 400, 1.5 tCK = 15 on both sides, tCK 10 a byte.
    EXPECT_EQ(segment_time(registers(0xef, DataDirection::In, 4, cells),
                           bus_timing(BusInterface::NvDdr, 5)),
              nanoseconds(15 + 2 * 45 + 400 + 15 + 4 * 10 + 15));
    // NV-DDR2 6: tCS 20, tWC 25, tWHR 80, tRPRE + tDQSRE 30, tDSC 6 a byte.
    EXPECT_EQ(segment_time(registers(0x90, DataDirection::Out, 5, cells),
                           bus_timing(BusInterface::NvDdr2, 6)),
              nanoseconds(20 + 2 * 25 + 80 + 30 + 5 * 6));
}

config::Onfi onfi_of(BusInterface interface, u32 mode, u32 width, u64 cycle_ps)
{
    config::Onfi onfi;
    onfi.interface = interface;
    onfi.mode = mode;
    onfi.width = width;
    onfi.cycle = Picoseconds(cycle_ps);
    return onfi;
}

TEST(ConfiguredBus, DefaultsAreTheModeItself)
{
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr,
                                         BusInterface::NvDdr2, BusInterface::NvDdr3}) {
        const BusTiming a = bus_timing(interface, 4);
        const BusTiming b = bus_timing(onfi_of(interface, 4, 8, 0), config::Nand{});
        DataCells cells;
        for (const Segment& s : {read_command(5), direct_out(kPage, cells), erase(5),
                                 program(5, 0, kPage, cells), read_status(cells)}) {
            EXPECT_EQ(segment_time(s, a), segment_time(s, b));
        }
    }
}

TEST(ConfiguredBus, SixteenLinesMoveTwoPageBytesAStrobe)
{
    const BusTiming sdr = bus_timing(onfi_of(BusInterface::Sdr, 5, 16, 0), config::Nand{});
    EXPECT_EQ(sdr.burst_out(8640), nanoseconds(4320 * 20));
    EXPECT_EQ(sdr.burst_in(8641), nanoseconds(4321 * 20)); // the last word is half full
    const BusTiming ddr = bus_timing(onfi_of(BusInterface::NvDdr2, 7, 16, 0), config::Nand{});
    EXPECT_EQ(ddr.burst_in(8640), nanoseconds(2160 * 5)); // four bytes in tDSC
}

TEST(ConfiguredBus, RegisterBytesTakeAStrobeEachOnSixteenLines)
{
    DataCells cells;
    const Segment s = registers(0x90, DataDirection::Out, 5, cells);
    EXPECT_EQ(segment_time(s, bus_timing(onfi_of(BusInterface::Sdr, 5, 16, 0), config::Nand{})),
              nanoseconds(15 + 2 * 20 + 80 + 5 * 20));
    EXPECT_EQ(segment_time(s, bus_timing(onfi_of(BusInterface::NvDdr3, 10, 16, 0), config::Nand{})),
              Picoseconds(1000 * (20 + 2 * 25 + 80 + 30) + 5 * 2500));
}

TEST(ConfiguredBus, LongerCycleStretchesStrobesAndSdrCommands)
{
    DataCells cells;
    // SDR 5 at 30 ns: commands too, tRC = tWC = 30.
    const BusTiming sdr = bus_timing(onfi_of(BusInterface::Sdr, 5, 8, 30000), config::Nand{});
    EXPECT_EQ(segment_time(read_command(5), sdr), nanoseconds(15 + 7 * 30));
    EXPECT_EQ(segment_time(direct_out(100, cells), sdr), nanoseconds(15 + 20 + 100 * 30));
    // NV-DDR 5 at 16 ns: tCAD 45 stays, preamble and postamble 24 each.
    const BusTiming clocked = bus_timing(onfi_of(BusInterface::NvDdr, 5, 8, 16000), config::Nand{});
    EXPECT_EQ(segment_time(program(5, 0, 100, cells), clocked),
              nanoseconds(15 + 7 * 45 + 400 + 24 + 50 * 16 + 24));
    // NV-DDR 5 at 60 ns: no more than one command a clock.
    const BusTiming slow = bus_timing(onfi_of(BusInterface::NvDdr, 5, 8, 60000), config::Nand{});
    EXPECT_EQ(segment_time(erase(5), slow), nanoseconds(15 + 5 * 60));
    // NV-DDR2 6 at 7 ns: commands are asynchronous.
    const BusTiming ddr2 = bus_timing(onfi_of(BusInterface::NvDdr2, 6, 8, 7000), config::Nand{});
    EXPECT_EQ(segment_time(erase(5), ddr2), nanoseconds(20 + 5 * 25));
    EXPECT_EQ(ddr2.burst_out(100), nanoseconds(50 * 7));
    EXPECT_EQ(ddr2.sheet.t_dsc, nanoseconds(6)); // the data sheet keeps its minimum
}

TEST(ConfiguredBus, TimelessTakesNoTimeForAnySegment)
{
    DataCells cells;
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr, BusInterface::NvDdr2,
                                         BusInterface::NvDdr3}) {
        config::Onfi onfi = onfi_of(interface, 5, 8, 0);
        onfi.timeless = true;
        const BusTiming bus = bus_timing(onfi, config::Nand{});
        for (const Segment& s : {read_command(5), direct_out(4096, cells), program(5, 0, 4096, cells), erase(5)}) {
            EXPECT_EQ(segment_time(s, bus), Picoseconds());
        }
        EXPECT_EQ(bus.sheet.t_wb, Picoseconds()) << "busy begins with the last cycle";
        EXPECT_EQ(bus.sheet.interface, interface);
    }
}

TEST(ConfiguredBus, CycleBelowTheMinimumIsAnInputError)
{
    struct Case {
        BusInterface interface;
        u32 mode;
        u64 least_ps;
        const char* message;
    };
    const Case cases[] = {
        {BusInterface::Sdr, 1, 50000,
         "onfi.cycle_ns: 49.999 is below the minimum of SDR mode 1, 50 ns"},
        {BusInterface::NvDdr, 4, 12000,
         "onfi.cycle_ns: 11.999 is below the minimum of NV-DDR mode 4, 12 ns"},
        {BusInterface::NvDdr2, 5, 7500,
         "onfi.cycle_ns: 7.499 is below the minimum of NV-DDR2 mode 5, 7.5 ns"},
        {BusInterface::NvDdr3, 10, 2500,
         "onfi.cycle_ns: 2.499 is below the minimum of NV-DDR3 mode 10, 2.5 ns"},
    };
    for (const Case& c : cases) {
        EXPECT_NO_THROW(bus_timing(onfi_of(c.interface, c.mode, 8, c.least_ps), config::Nand{}));
        try {
            bus_timing(onfi_of(c.interface, c.mode, 8, c.least_ps - 1), config::Nand{});
            ADD_FAILURE() << c.message;
        } catch (const InputError& e) {
            EXPECT_STREQ(e.what(), c.message);
        }
    }
}

TEST(ConfiguredBus, PartsOwnDelaysReplaceTheTables)
{
    config::Nand nand;
    nand.t_adl = nanoseconds(70);
    nand.t_ccs = nanoseconds(200);
    const BusTiming t = bus_timing(onfi_of(BusInterface::Sdr, 5, 8, 0), nand);
    DataCells cells;
    EXPECT_EQ(segment_time(program(5, 0, 100, cells), t), nanoseconds(15 + 140 + 70 + 2000));
    EXPECT_EQ(segment_time(column_out(5, 100, cells), t), nanoseconds(15 + 80 + 200 + 2000));
    EXPECT_EQ(segment_time(change_write_column(2, 100, cells), t),
              nanoseconds(15 + 60 + 200 + 2000));
}

} // namespace
} // namespace tlmssd::tb
