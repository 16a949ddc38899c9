// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: for each command the earliest legal time: legal at the tick, illegal one ps before.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/onfi/checker/checker.h"
#include "tb/onfi/checker_stream.h"

namespace tlmssd::tb {
namespace {

using onfi::Checker;
using onfi::Rule;

DataCells kCells;

struct Bus {
    config::BusInterface interface;
    u32 mode;
    u32 width;
};

/// One command and the least duration of its segment, ns, on each bus of kBuses.
struct Case {
    const char* name;
    Segment segment;
    std::array<double, 5> ns;
};

/// ns           tCS cycle tADL tCCS tWHR tRR tRHW
/// SDR 0         70   100  400  500  120  40  200, byte 100
/// SDR 5         15    20  400  500   80  20  100, byte 20
/// NV-DDR 5      15    45  400  500   80  20  100, pair 10, out + 65, in + 30
/// NV-DDR2 6     20    25   70  300   80  20  100, pair 6, out + 30, in + 21
/// SDR 5 x16: as SDR 5, two page bytes in one cycle
constexpr Bus kBuses[] = {{BusInterface::Sdr, 0, 8},
                          {BusInterface::Sdr, 5, 8},
                          {BusInterface::NvDdr, 5, 8},
                          {BusInterface::NvDdr2, 6, 8},
                          {BusInterface::Sdr, 5, 16}};

Segment narrow(Segment s)
{
    s.narrow = true;
    return s;
}

const Case kCases[] = {
    // 7 cycles: tCS + 7 cycle
    {"Read", read_command(0), {770, 155, 330, 195, 155}},
    {"ReadMultiPlane", read_command(0, 0, 0x32), {770, 155, 330, 195, 155}},
    {"ReadCacheRandom", read_command(0, 0, 0x31), {770, 155, 330, 195, 155}},
    {"CopybackRead", read_command(0, 0, 0x35), {770, 155, 330, 195, 155}},
    {"CopybackProgram", copyback_program(0, 0, 0, kCells), {770, 155, 330, 195, 155}},
    // 1 cycle
    {"ReadCacheSequential", lone_command(0x31), {170, 35, 60, 45, 35}},
    {"ReadCacheEnd", lone_command(0x3f), {170, 35, 60, 45, 35}},
    {"Reset", lone_command(0xff), {170, 35, 60, 45, 35}},
    {"SynchronousReset", lone_command(0xfc), {170, 35, 60, 45, 35}},
    // 5 cycles
    {"Erase", erase(0), {570, 115, 240, 145, 115}},
    {"EraseMultiPlane", erase(0, 0xd1), {570, 115, 240, 145, 115}},
    // 4 cycles
    {"ResetLun", row_command(0xfa, 0), {470, 95, 195, 120, 95}},
    {"ProgramSuspend", row_command(0x84, 0), {470, 95, 195, 120, 95}},
    {"ProgramResume", row_command(0x13, 0), {470, 95, 195, 120, 95}},
    {"EraseSuspend", row_command(0x61, 0), {470, 95, 195, 120, 95}},
    {"EraseResume", row_command(0xd2, 0), {470, 95, 195, 120, 95}},
    // 2 and 3 cycles
    {"ReadParameterPage", read_register(0xec, 0), {270, 55, 105, 70, 55}},
    {"ReadUniqueId", read_register(0xed, 0), {270, 55, 105, 70, 55}},
    {"GetFeatures", read_register(0xee, 1), {270, 55, 105, 70, 55}},
    {"LunGetFeatures", lun_get_features(0, 0x89), {370, 75, 150, 95, 75}},
    // 100 bytes out without a command: tCS + tRR + 100 byte; DDR: 50 pairs
    {"DataOut", direct_out(100, kCells), {10110, 2035, 600, 370, 1035}},
    // 05h C2 E0h: tCS + 4 cycle + tCCS + data
    {"ChangeReadColumn", column_out(0, 100, kCells), {10970, 2595, 1260, 750, 1595}},
    // 06h C2R3 E0h: tCS + 7 cycle + tCCS + data
    {"ChangeReadColumnEnhanced", enhanced_out(0, 0, 100, kCells), {11270, 2655, 1395, 825, 1655}},
    // 80h C2R3 data 10h: tCS + 7 cycle + tADL + data
    {"Program", program(0, 0, 100, kCells), {11170, 2555, 1260, 586, 1555}},
    {"ProgramMultiPlane", program(0, 0, 100, kCells, 0x11), {11170, 2555, 1260, 586, 1555}},
    {"ProgramCache", program(0, 0, 100, kCells, 0x15), {11170, 2555, 1260, 586, 1555}},
    // 85h C2 data: tCS + 3 cycle + tCCS + data
    {"ChangeWriteColumn", write_column(0, 100, kCells), {10870, 2575, 1180, 716, 1575}},
    // 85h C2R3 data 10h: tCS + 7 cycle + tCCS + data
    {"CopybackProgramWithData", copyback_program(0, 0, 100, kCells),
     {11270, 2655, 1360, 816, 1655}},
    // one byte: tCS + 1 or 4 cycles + tWHR + a strobe
    {"ReadStatus", read_status(kCells), {390, 135, 215, 161, 135}},
    {"ReadStatusEnhanced", read_status_enhanced(0, kCells), {690, 195, 350, 236, 195}},
    // 90h, address, 5 bytes, a strobe each: tCS + 2 cycle + tWHR + 5 strobes
    {"ReadId", read_id(0, 5, kCells), {890, 235, 300, 210, 235}},
    // EFh, address, 4 bytes: tCS + 2 cycle + tADL + 4 strobes
    {"SetFeatures", set_features(1, kCells), {1070, 535, 575, 185, 535}},
    {"LunSetFeatures", lun_set_features(0, 0x89, kCells), {1170, 555, 620, 210, 555}},
    // 256 register bytes, a strobe each: tCS + tRR + 256 strobes
    {"ParameterPageOut", narrow(direct_out(256, kCells)), {25710, 5155, 2660, 1606, 5155}},
};

u64 too_short(const Segment& segment, const Bus& bus, u64 duration)
{
    StreamPart part;
    config::Onfi onfi;
    onfi.interface = bus.interface;
    onfi.mode = bus.mode;
    onfi.width = bus.width;
    Checker checker(part.geometry, onfi, part.nand);
    Segment s = segment;
    s.start = microseconds(1);
    s.end = microseconds(1) + Picoseconds(duration);
    checker.on_observed(0, s); // alone it breaks other rules, which are not looked at
    const std::vector<onfi::Violation>& all = checker.log().first();
    return static_cast<u64>(std::count_if(all.begin(), all.end(), [](const onfi::Violation& v) {
        return v.rule == Rule::SegmentTooShort;
    }));
}

class EarliestEnd : public testing::TestWithParam<Case> {};

TEST_P(EarliestEnd, IsLegalAtTheTickAndNotOnePsBefore)
{
    for (std::size_t i = 0; i < std::size(kBuses); ++i) {
        SCOPED_TRACE("bus " + std::to_string(i));
        const u64 ps = static_cast<u64>(GetParam().ns[i] * 1000 + 0.5);
        EXPECT_EQ(too_short(GetParam().segment, kBuses[i], ps), 0u);
        EXPECT_EQ(too_short(GetParam().segment, kBuses[i], ps - 1), 1u);
    }
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

INSTANTIATE_TEST_SUITE_P(Commands, EarliestEnd, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(EarliestBurst, WaitsForTheCommandOfAnEarlierSegment)
{
    // SDR 5. 05h C2 E0h ends at t; data not before t + tCCS 500. A burst alone: tCS 15 + tRR 20.
    StreamPart part;
    for (const u64 early : {u64{0}, u64{1}}) {
        Checker checker(part.geometry, onfi::data_sheet(BusInterface::Sdr, 5), part.nand);
        Segment column = column_out(0, 1, kCells);
        column.direction = DataDirection::None;
        column.end = nanoseconds(95);
        checker.on_observed(0, column);
        Segment burst = direct_out(10, kCells);
        burst.start = nanoseconds(100);
        burst.end = nanoseconds(95 + 500 + 200) - Picoseconds(early);
        checker.on_observed(0, burst);
        const auto& all = checker.log().first();
        const bool caught = std::any_of(all.begin(), all.end(), [](const onfi::Violation& v) {
            return v.rule == Rule::SegmentTooShort;
        });
        EXPECT_EQ(caught, early == 1);
    }
}

TEST(EarliestBurst, FollowsTheTimesOfThePart)
{
    // NV-DDR2 6 with tADL 100 ns for 70 and tCCS 200 for 300: program 586 + 30, 05h 750 - 100.
    StreamPart part;
    config::Nand nand = part.nand;
    nand.t_adl = nanoseconds(100);
    nand.t_ccs = nanoseconds(200);
    const auto caught = [&](Segment s, u64 ps) {
        Checker checker(part.geometry, onfi::data_sheet(BusInterface::NvDdr2, 6), nand);
        s.end = Picoseconds(ps);
        checker.on_observed(0, s);
        return checker.log().first()[0].rule == Rule::SegmentTooShort;
    };
    EXPECT_FALSE(caught(program(0, 0, 100, kCells), 616000));
    EXPECT_TRUE(caught(program(0, 0, 100, kCells), 615999));
    EXPECT_FALSE(caught(column_out(0, 100, kCells), 650000));
    EXPECT_TRUE(caught(column_out(0, 100, kCells), 649999));
}

} // namespace
} // namespace tlmssd::tb
