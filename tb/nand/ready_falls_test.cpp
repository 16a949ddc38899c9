// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: nand.ready_falls: when R/B# falls, that nothing else moves, and what the checker makes of it.
// NV-DDR2 mode 6: tWB 100 ns.
#include <algorithm>
#include <vector>

#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

using config::ReadyFalls;
using onfi::Rule;

const UnitTag kA{11, 1}, kB{12, 1};

config::Nand falls(ReadyFalls when)
{
    config::Nand n = rig_nand();
    n.ready_falls = when;
    return n;
}

class LateFalls : public testing::TestWithParam<ReadyFalls>, protected Rig {
protected:
    LateFalls() : Rig(rig_geometry(), falls(GetParam())) {}
    /// R/B# of the LUN falls within tWB of the command and rises `time` after it began, tWB after its end.
    void expect_busy(const Segment& s, Picoseconds time, u32 lun = 0)
    {
        const Picoseconds end = send(s);
        wait_ready(lun);
        EXPECT_EQ(edge(lun, true), end + kTwb + time);
        EXPECT_GE(edge(lun, false), end);
        EXPECT_LE(edge(lun, false), end + kTwb);
        EXPECT_TRUE(GetParam() != ReadyFalls::Max || edge(lun, false) == end + kTwb);
    }
};

// Every kind of busy. The times are those of rig_nand(), as with R/B# that falls at once.
TEST_P(LateFalls, ChangeNothingButTheFall)
{
    fill(kA, kB);
    expect_busy(program(row(0, 0, 0, 0), 0, kPhysical, cells), microseconds(900));
    expect_busy(program(row(0, 1, 0, 0), 0, kPhysical, cells), microseconds(900));
    expect_busy(read_command(row(0, 0, 0, 0), 0, 0x32), nanoseconds(500));
    expect_busy(read_command(row(0, 1, 0, 0)), microseconds(50));
    send(direct_out(kPhysical, cells));
    EXPECT_EQ(cells.tags[0], kA);
    expect_busy(read_command(row(0, 0, 0, 0)), microseconds(50));
    expect_busy(lone_command(0x31), microseconds(3)); // tRCBSY; the next page is read behind it
    run_for(microseconds(60));
    expect_busy(lone_command(0x3f), microseconds(3));
    fill(kA, kB);
    expect_busy(program(row(0, 0, 0, 1), 0, kPhysical, cells, 0x15), microseconds(4));
    const Picoseconds programmed = edge(0, true) + microseconds(900);
    send(program(row(0, 0, 0, 2), 0, kPhysical, cells));
    wait_ready(0);
    EXPECT_EQ(edge(0, true), programmed + microseconds(900));
    expect_busy(erase(row(1, 0, 3, 0)), microseconds(3000), 1);
    expect_busy(erase(row(0, 0, 3, 0)), microseconds(3000));
    expect_busy(set_features(0x10, cells), microseconds(1));
    expect_busy(read_register(0xec, 0x00), microseconds(50));
    run_for(microseconds(1));
    expect_busy(lone_command(0xfc), microseconds(5));
    run_for(microseconds(1));
    expect_clean();
}

// Suspended 1 ms of 3 after the command has begun: R/B# rises 700 us later, and 2 ms and tWB after the resume.
TEST_P(LateFalls, SuspendsAreTimedAsEver)
{
    const Picoseconds begun = send(erase(0)) + kTwb;
    run_until(begun + milliseconds(1) - nanoseconds(120));
    const Picoseconds asked = send(row_command(0x61, 0));
    wait_ready(0);
    EXPECT_EQ(edge(0, true), asked + microseconds(700));
    EXPECT_EQ(status(), 0xe4);
    expect_busy(row_command(0xd2, 0), milliseconds(2));
    EXPECT_EQ(status(), 0xe0);
    expect_clean();
}

// A reset during an erase: R/B# stays low. One that comes before it has fallen: it falls for both.
TEST_P(LateFalls, AResetMayComeBeforeTheFall)
{
    const Picoseconds end = send(erase(0)); // FCh: 45 ns, inside tWB
    const Picoseconds reset = send(lone_command(0xfc));
    wait_ready(0);
    wait_ready(1);
    EXPECT_EQ(edge(0, true), reset + kTwb + microseconds(500));
    EXPECT_LE(edge(0, false), end + kTwb);
    EXPECT_EQ(std::count_if(edges.begin(), edges.end(), [](const Edge& e) { return e.lun == 0; }), 2);
    expect_clean();
}

std::string name_of(const testing::TestParamInfo<ReadyFalls>& p)
{
    return p.param == ReadyFalls::Max ? "max" : "random";
}
INSTANTIATE_TEST_SUITE_P(All, LateFalls, testing::Values(ReadyFalls::Max, ReadyFalls::Random), name_of);

// Uniform on 0 to 100 ns: the mean of 200 has a deviation of 100 / sqrt(12 x 200) = 2 ns.
TEST(RandomFalls, AreSpreadOverTwb)
{
    Rig rig(rig_geometry(), falls(ReadyFalls::Random));
    std::vector<u64> delays;
    u64 sum = 0;
    for (u32 i = 0; i < 200; ++i) {
        const Picoseconds end = rig.send(read_command(0));
        rig.wait_ready(0);
        delays.push_back((rig.edge(0, false) - end).value());
        sum += delays.back();
    }
    EXPECT_LT(*std::min_element(delays.begin(), delays.end()), 5000u);
    EXPECT_GT(*std::max_element(delays.begin(), delays.end()), 95000u);
    EXPECT_LE(*std::max_element(delays.begin(), delays.end()), 100000u);
    EXPECT_NEAR(static_cast<double>(sum) / 200e3, 50, 8);
    rig.expect_clean();
}

// The line is high for tWB after the command, and nothing may be made of it: neither data ...
TEST(LateFall, DataTakenOnTheGroundsOfAHighLineAreOfABusyLun)
{
    Rig rig(rig_geometry(), falls(ReadyFalls::Max));
    rig.program_page(0, kA, kB);
    rig.send(read_command(0));
    EXPECT_TRUE(rig.channel.ready(0));
    rig.send(direct_out(16, rig.cells));
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, Rule::LunBusy);
    ASSERT_EQ(rig.checker.log().count(), 1u);
    EXPECT_EQ(rig.checker.log().first()[0].rule, Rule::LunBusy);
}

// ... nor the status of a program, whose FAIL is not valid yet. After the fall a status read is a poll.
TEST(LateFall, AStatusReadOnTheGroundsOfAHighLineIsReported)
{
    Rig rig(rig_geometry(), falls(ReadyFalls::Max));
    rig.fill(kA, kB);
    rig.send(program(0, 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.status(), 0x80);
    ASSERT_EQ(rig.checker.log().count(), 1u);
    EXPECT_EQ(rig.checker.log().first()[0].rule, Rule::StatusTooEarly);
    EXPECT_EQ(rig.checker.log().first()[0].first.byte, 0x10);
    EXPECT_EQ(rig.status(), 0x80);
    EXPECT_EQ(rig.checker.log().count(), 1u);
    EXPECT_EQ(rig.die_log.count(), 0u);
}

} // namespace
} // namespace tlmssd::tb
