// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each limit of the pins is broken one picosecond below its minimum and kept at it.
#include <gtest/gtest.h>

#include <cstdint>

#include "tb/onfi/pin_waves.h"

namespace tlmssd::tb {
namespace {

/// 90h, 20h, two bytes of ID, 70h, with 14 ns strobes and much time between.
Wave read_id()
{
    return {{"wp", ns(500), wp_0},      {"ce fall", ns(1000), select},
            {"cle rise", ns(1100), cle_1}, {"dq1 on", ns(1150), dq<0x90>},
            {"we1 fall", ns(1286), we_0},  {"we1 rise", ns(1300), we_1},
            {"dq1 off", ns(1350), dq_off}, {"cle fall", ns(1360), cle_0},
            {"ale rise", ns(1400), ale_1}, {"dq2 on", ns(1450), dq<0x20>},
            {"we2 fall", ns(1586), we_0},  {"we2 rise", ns(1600), we_1},
            {"dq2 off", ns(1650), dq_off}, {"ale fall", ns(1660), ale_0},
            {"re1 fall", ns(1900), re_0},  {"re1 rise", ns(1914), re_1},
            {"re2 fall", ns(2100), re_0},  {"re2 rise", ns(2114), re_1},
            {"cle2 rise", ns(2400), cle_1}, {"dq3 on", ns(2420), dq<0x70>},
            {"we3 fall", ns(2536), we_0},  {"we3 rise", ns(2550), we_1},
            {"dq3 off", ns(2600), dq_off}, {"cle2 fall", ns(2610), cle_0},
            {"ce rise", ns(2700), deselect}, {"ce2 fall", ns(2900), select},
            {"ce2 rise", ns(3000), deselect}};
}

/// Two address cycles with one level of ALE and DQ.
Wave two_addresses()
{
    return {{"ce fall", ns(1000), select},  {"ale rise", ns(1100), ale_1},
            {"dq on", ns(1100), dq<0x00>},  {"we1 fall", ns(1286), we_0},
            {"we1 rise", ns(1300), we_1},   {"we2 fall", ns(1386), we_0},
            {"we2 rise", ns(1400), we_1},   {"dq off", ns(1500), dq_off},
            {"ale fall", ns(1510), ale_0},  {"ce rise", ns(1600), deselect}};
}

template <u16 Opener, u16 Last>
Wave opener_and_cycle(bool last_is_command)
{
    return {{"ce fall", ns(1000), select},
            {"cle rise", ns(1100), cle_1},
            {"dq1 on", ns(1100), dq<Opener>},
            {"we1 fall", ns(1286), we_0},
            {"we1 rise", ns(1300), we_1},
            {"dq1 off", ns(1310), dq_off},
            {"cle fall", ns(1310), cle_0},
            {"latch on", ns(1400), last_is_command ? cle_1 : ale_1},
            {"dq2 on", ns(1400), dq<Last>},
            {"we2 fall", ns(1486), we_0},
            {"we2 rise", ns(1500), we_1},
            {"dq2 off", ns(1510), dq_off},
            {"latch off", ns(1510), last_is_command ? cle_0 : ale_0}};
}

/// An opener and one address cycle, then a byte in.
template <u16 Opener>
Wave data_in()
{
    Wave w = opener_and_cycle<Opener, 0x01>(false);
    const Wave rest{{"dq3 on", ns(1700), dq<0x55>}, {"we3 fall", ns(2986), we_0},
                    {"we3 rise", ns(3000), we_1},   {"dq3 off", ns(3010), dq_off},
                    {"ce rise", ns(3100), deselect}};
    w.insert(w.end(), rest.begin(), rest.end());
    return w;
}

/// 05h E0h (no matter the column), then a byte out.
Wave change_column()
{
    Wave w = opener_and_cycle<0x05, 0xe0>(true);
    const Wave rest{{"re fall", ns(3000), re_0}, {"re rise", ns(3014), re_1},
                    {"ce rise", ns(3100), deselect}};
    w.insert(w.end(), rest.begin(), rest.end());
    return w;
}

/// NV-DDR: two addresses, then (W/R# high) two clocks of data in, four DQS edges.
Wave clocked_in()
{
    return {{"clk rest", ns(900), we_0},
            {"ce fall", ns(1000), select},
            {"ale rise", ns(1100), ale_1},
            {"dq1 on", ns(1150), dq<0x11>},
            {"clk1 rise", ns(1300), we_1},
            {"clk1 fall", ns(1305), we_0},
            {"dq1 off", ns(1350), dq_off},
            {"dq2 on", ns(1370), dq<0x22>},
            {"clk2 rise", ns(1400), we_1},
            {"clk2 fall", ns(1405), we_0},
            {"dq2 off", ns(1450), dq_off},
            {"ale fall", ns(1460), ale_0},
            {"data on", ns(2000), strobe_and_latches},
            {"dqs on", ns(2010), dqs_on},
            {"clk3 rise", ns(2100), we_1},
            {"clk3 fall", ns(2105), we_0},
            {"d1 on", ns(2106), dq<0xa1>},
            {"dqs1 rise", ns(2110), dqs_1},
            {"d1 off", ns(2130), dq_off},
            {"d2 on", ns(2140), dq<0xa2>},
            {"dqs1 fall", ns(2150), dqs_0},
            {"clk4 rise", ns(2145), we_1},
            {"clk4 fall", ns(2148), we_0},
            {"dqs2 rise", ns(2170), dqs_1},
            {"dqs2 fall", ns(2200), dqs_0},
            {"d2 off", ns(2210), dq_off},
            {"dqs off", ns(2220), dqs_off},
            {"data off", ns(2230), latches_0},
            {"ce rise", ns(2300), deselect}};
}

/// NV-DDR: W/R# low and two clocks of data out.
Wave clocked_out()
{
    return {{"clk rest", ns(900), we_0},       {"ce fall", ns(1000), select},
            {"wr fall", ns(1100), re_0},       {"data on", ns(1105), strobe_and_latches},
            {"clk1 rise", ns(1200), we_1},     {"clk1 fall", ns(1205), we_0},
            {"clk2 rise", ns(1300), we_1},     {"clk2 fall", ns(1305), we_0},
            {"data off", ns(1310), latches_0}, {"wr rise", ns(1310), re_1},
            {"ce rise", ns(1400), deselect}};
}

/// NV-DDR2: 80h (its column does not matter), four bytes in.
Wave toggled_in()
{
    return {{"ce fall", ns(1000), select},    {"cle rise", ns(1100), cle_1},
            {"dq1 on", ns(1150), dq<0x80>},   {"we fall", ns(1286), we_0},
            {"we rise", ns(1300), we_1},      {"dq1 off", ns(1350), dq_off},
            {"cle fall", ns(1360), cle_0},    {"dqs on", ns(2010), dqs_on},
            {"d1 on", ns(2106), dq<0xa1>},    {"dqs1 rise", ns(2110), dqs_1},
            {"d1 off", ns(2130), dq_off},     {"d2 on", ns(2140), dq<0xa2>},
            {"dqs1 fall", ns(2150), dqs_0},   {"dqs2 rise", ns(2170), dqs_1},
            {"dqs2 fall", ns(2200), dqs_0},   {"d2 off", ns(2210), dq_off},
            {"dqs off", ns(2220), dqs_off},   {"ce rise", ns(2300), deselect}};
}

/// NV-DDR2: a preamble and four bytes out.
Wave toggled_out()
{
    return {{"ce fall", ns(1000), select},  {"pre", ns(1100), re_0},
            {"re1 rise", ns(1200), re_1},   {"re1 fall", ns(1230), re_0},
            {"re2 rise", ns(1260), re_1},   {"re2 fall", ns(1290), re_0},
            {"ce rise", ns(1400), deselect}};
}

/// `moved` stands `least` after `from` (before it where `before`); what else has to move with it
/// stands in `along`, as an offset in ps from `moved`.
struct Case {
    const char* limit;
    BusInterface interface;
    u32 mode;
    Wave (*wave)();
    const char* moved;
    const char* from;
    bool before;
    u64 least_ps;
    const char* along = nullptr;
    std::int64_t along_ps = 0;
};

// The least times are those of the data sheets: SDR 5, SDR 0, NV-DDR 5, NV-DDR2 6.
const Case kCases[] = {
    {"tWP", kSdr, 5, read_id, "we1 fall", "we1 rise", true, 10000},
    {"tCS", kSdr, 5, read_id, "ce fall", "we1 rise", true, 15000},
    {"tCLS", kSdr, 5, read_id, "cle rise", "we1 rise", true, 10000},
    {"tALS", kSdr, 5, read_id, "ale rise", "we2 rise", true, 10000},
    {"tDS", kSdr, 5, read_id, "dq1 on", "we1 rise", true, 7000},
    {"tDH", kSdr, 5, read_id, "dq1 off", "we1 rise", false, 5000},
    {"tCLH", kSdr, 5, read_id, "cle fall", "we1 rise", false, 5000},
    {"tALH", kSdr, 5, read_id, "ale fall", "we2 rise", false, 5000},
    {"tWW", kSdr, 5, read_id, "wp", "we1 rise", true, 100000},
    {"tWHR", kSdr, 5, read_id, "re1 fall", "we2 rise", false, 80000, "re1 rise", 14000},
    {"tAR", kSdr, 5, read_id, "ale fall", "re1 fall", true, 10000},
    {"tRP", kSdr, 5, read_id, "re1 rise", "re1 fall", false, 10000},
    {"tREH", kSdr, 5, read_id, "re2 fall", "re1 rise", false, 7000, "re2 rise", 14000},
    {"tRC", kSdr, 5, read_id, "re2 fall", "re1 fall", false, 20000, "re1 rise", -9000},
    {"tRHW", kSdr, 5, read_id, "we3 fall", "re2 rise", false, 100000},
    {"tCH", kSdr, 5, read_id, "ce rise", "we3 rise", false, 5000},
    {"tCEH", kSdr, 5, read_id, "ce2 fall", "ce rise", false, 20000},
    {"tWC", kSdr, 5, two_addresses, "we2 rise", "we1 rise", false, 20000, "we2 fall", -10500},
    {"tWH", kSdr, 5, two_addresses, "we2 fall", "we1 rise", false, 7000},
    {"tCLR", kSdr, 5, read_status_wave, "cle fall", "re fall", true, 10000},
    {"tADL", kSdr, 5, data_in<0x80>, "we3 rise", "we2 rise", false, 400000, "we3 fall", -14000},
    {"tADL", kSdr, 5, data_in<0xef>, "we3 rise", "we2 rise", false, 400000, "we3 fall", -14000},
    {"tCCS", kSdr, 5, data_in<0x85>, "we3 rise", "we2 rise", false, 500000, "we3 fall", -14000},
    {"tCCS", kSdr, 5, change_column, "re fall", "we2 rise", false, 500000},
    {"tIR", kSdr, 0, read_status_wave, "dq off", "re fall", true, 10000},
    {"tCAD", kClk, 5, clocked_in, "clk2 rise", "clk1 rise", false, 45000, "dq2 on", -8000},
    {"tCAS", kClk, 5, clocked_in, "dq1 on", "clk1 rise", true, 2000},
    {"tCAH", kClk, 5, clocked_in, "dq1 off", "clk1 rise", false, 2000},
    {"tCALS", kClk, 5, clocked_in, "ale rise", "clk1 rise", true, 2000},
    {"tCALH", kClk, 5, clocked_in, "ale fall", "clk2 rise", false, 2000},
    {"tCK", kClk, 5, clocked_in, "clk4 rise", "clk3 rise", false, 10000, "clk4 fall", 2000},
    {"tDS", kClk, 5, clocked_in, "d1 on", "dqs1 rise", true, 900},
    {"tDH", kClk, 5, clocked_in, "d1 off", "dqs1 rise", false, 900},
    {"tDSC", kClk, 5, clocked_in, "dqs2 fall", "dqs1 fall", false, 10000, "dqs2 rise", -5000},
    {"tWRCK", kClk, 5, clocked_out, "wr fall", "clk1 rise", true, 20000, "data on", 5000},
    {"tCK", kClk, 5, clocked_out, "clk2 rise", "clk1 rise", false, 10000, "clk2 fall", 5000},
    {"tCALS", kTog, 6, toggled_in, "cle rise", "we rise", true, 15000},
    {"tCAS", kTog, 6, toggled_in, "dq1 on", "we rise", true, 5000},
    {"tWP", kTog, 6, toggled_in, "we fall", "we rise", true, 11000},
    {"tDSC", kTog, 6, toggled_in, "dqs2 fall", "dqs1 fall", false, 6000, "dqs2 rise", -3000},
    {"tDS", kTog, 6, toggled_in, "d1 on", "dqs1 rise", true, 750}, // tDSC / 8
    {"tDH", kTog, 6, toggled_in, "d1 off", "dqs1 rise", false, 750},
    {"tRPRE", kTog, 6, toggled_out, "pre", "re1 rise", true, 15000},
    {"tRC", kTog, 6, toggled_out, "re2 rise", "re1 rise", false, 6000, "re1 fall", -3000},
};

class PinLimit : public testing::TestWithParam<Case> {
protected:
    static Wave at_distance(u64 ps)
    {
        const Case& c = GetParam();
        Wave wave = c.wave();
        const u64 from = edge(wave, c.from).ps;
        const u64 moved = c.before ? from - ps : from + ps;
        edge(wave, c.moved).ps = moved;
        if (c.along != nullptr) {
            edge(wave, c.along).ps = moved + static_cast<u64>(c.along_ps);
        }
        return wave;
    }
};

TEST_P(PinLimit, IsKeptAtTheMinimum)
{
    Bench bench(GetParam().interface, GetParam().mode);
    bench.play(at_distance(GetParam().least_ps));
    EXPECT_EQ(bench.log.count(), 0u)
        << bench.reader.broken().limit << " " << bench.reader.broken().was.value();
    EXPECT_FALSE(bench.target.cycles.empty());
}

TEST_P(PinLimit, IsBrokenOnePicosecondBelow)
{
    Bench kept(GetParam().interface, GetParam().mode);
    kept.play(at_distance(GetParam().least_ps));
    Bench bench(GetParam().interface, GetParam().mode);
    bench.play(at_distance(GetParam().least_ps - 1));
    ASSERT_EQ(bench.log.count(), 1u);
    const onfi::Violation& v = bench.log.first()[0];
    EXPECT_EQ(v.rule, onfi::Rule::PinTiming);
    EXPECT_EQ(v.second.at - v.first.at, Picoseconds(GetParam().least_ps - 1));
    EXPECT_STREQ(bench.reader.broken().limit, GetParam().limit);
    EXPECT_EQ(bench.reader.broken().least, Picoseconds(GetParam().least_ps));
    EXPECT_EQ(bench.target.cycles, kept.target.cycles); // reported, and read all the same
}

INSTANTIATE_TEST_SUITE_P(Limits, PinLimit, testing::ValuesIn(kCases), [](const auto& test) {
    return std::string(test.param.limit) + "_" + std::to_string(test.index);
});

} // namespace
} // namespace tlmssd::tb
