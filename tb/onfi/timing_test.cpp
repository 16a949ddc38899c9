// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: segment times against sums made by hand from the data-sheet tables.
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/onfi/timing.h"
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
         {Range{BusInterface::Sdr, 6}, {BusInterface::NvDdr, 6}, {BusInterface::NvDdr2, 9}}) {
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

} // namespace
} // namespace tlmssd::tb
