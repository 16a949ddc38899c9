// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker against scripted cycles and edges, legal at the tick and illegal before it.
#include <gtest/gtest.h>

#include "models/onfi/checker/checker.h"
#include "tb/onfi/bytes.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::tb {
namespace {

using onfi::Checker;
using onfi::Rule;

/// SDR mode 5: tCS 15, cycle 20, tRC 20, tRR 20, tCCS 500, tADL 400, tWHR 80, tRHW 100.
struct Script : testing::Test {
    Geometry geometry = small_geometry().channels(2).ways(2);
    config::Nand nand = make_nand();
    Checker checker{geometry, onfi::data_sheet(config::BusInterface::Sdr, 5), nand};
    Picoseconds now;
    DataCells cells;

    static config::Nand make_nand()
    {
        config::Nand n = make_part(50, 900, 3000);
        n.t_plane_queue = nanoseconds(500);
        n.array_variation = 0.1;
        return n;
    }
    /// The segment occupies [now, now + ps); a falling edge answers it where `falls`.
    void observe(Segment s, Picoseconds duration, bool falls = false, u32 channel = 0)
    {
        s.start = now;
        s.end = now + duration;
        now = s.end;
        if (falls) {
            checker.on_ready_edge(channel, s.ce, 0, false, now);
        }
        checker.on_observed(channel, s);
    }
    void rise_after(Picoseconds t)
    {
        now += t;
        checker.on_ready_edge(0, 0, 0, true, now);
    }
    void expect_only(Rule rule)
    {
        ASSERT_EQ(checker.violations(), 1u);
        EXPECT_EQ(checker.log().first()[0].rule, rule) << to_string(checker.log().first()[0]);
    }
    void expect_clean() { EXPECT_EQ(checker.violations(), 0u); }
};

constexpr Picoseconds kTick{1};
constexpr Picoseconds kReadCommand = nanoseconds(155); // 15 + 7 x 20

TEST_F(Script, ReadAtTheMinimaIsLegal)
{
    observe(read_command(0), kReadCommand, true);
    rise_after(microseconds(45)); // 50 us - 10 %
    observe(direct_out(100, cells), nanoseconds(15 + 20 + 2000));
    now += nanoseconds(85); // the next command cycle at the end + tRHW 100 = start + tCS 15
    observe(read_command(0), kReadCommand, true);
    expect_clean();
}

TEST_F(Script, CommandOneTickTooShort)
{
    observe(read_command(0), kReadCommand - kTick, true);
    expect_only(Rule::SegmentTooShort);
}

TEST_F(Script, BurstOutOneTickTooShort)
{
    observe(read_command(0), kReadCommand, true);
    rise_after(microseconds(50));
    observe(direct_out(100, cells), nanoseconds(2035) - kTick);
    expect_only(Rule::SegmentTooShort);
}

TEST_F(Script, BurstOutAfterE0hNeedsTccs)
{
    observe(read_command(0), kReadCommand, true);
    rise_after(microseconds(50));
    observe(column_out(0, 100, cells), nanoseconds(15 + 4 * 20 + 500 + 2000));
    expect_clean();
    now += nanoseconds(85);
    observe(column_out(0, 100, cells), nanoseconds(2595) - kTick);
    expect_only(Rule::SegmentTooShort);
}

TEST_F(Script, StatusNeedsTwhr)
{
    observe(read_status(cells), nanoseconds(15 + 20 + 80 + 20));
    expect_clean();
    now += nanoseconds(85);
    observe(read_status(cells), nanoseconds(135) - kTick);
    expect_only(Rule::SegmentTooShort);
}

TEST_F(Script, ProgramNeedsTadl)
{
    observe(program(0, 0, 100, cells), nanoseconds(15 + 140 + 400 + 2000) - kTick, true);
    expect_only(Rule::SegmentTooShort);
}

TEST_F(Script, CommandOneTickBeforeTurnaround)
{
    observe(read_command(0), kReadCommand, true);
    rise_after(microseconds(50));
    observe(direct_out(100, cells), nanoseconds(2035));
    now += nanoseconds(85) - kTick;
    observe(read_command(0), kReadCommand, true);
    expect_only(Rule::SegmentTooShort);
}

TEST_F(Script, SegmentsOfOneChannelMustNotOverlap)
{
    observe(read_status(cells), nanoseconds(135));
    now = now - kTick;
    Segment other = read_status(cells);
    other.ce = 1;
    observe(other, nanoseconds(1000));
    expect_only(Rule::BusOverlap);
}

TEST_F(Script, SegmentsOfTwoChannelsMayOverlap)
{
    observe(read_command(0), kReadCommand, true);
    now = Picoseconds(0);
    observe(read_command(0), kReadCommand, true, 1);
    expect_clean();
}

TEST_F(Script, ReadyAfterAReadNotBeforeTheFastestPage)
{
    observe(read_command(0), kReadCommand, true);
    rise_after(microseconds(45) - nanoseconds(1));
    expect_only(Rule::ReadyTooEarly);
}

TEST_F(Script, ReadyAfterAProgramNotBeforeTheFastestPage)
{
    observe(program(0, 0, 100, cells), nanoseconds(2555), true);
    rise_after(microseconds(810) - nanoseconds(1));
    expect_only(Rule::ReadyTooEarly);
}

TEST_F(Script, ReadyAfterAnEraseNotBeforeTbers)
{
    observe(erase(0), nanoseconds(115), true);
    rise_after(microseconds(3000));
    expect_clean();
    observe(erase(0), nanoseconds(115), true);
    rise_after(microseconds(3000) - kTick);
    expect_only(Rule::ReadyTooEarly);
}

TEST_F(Script, ReadyAfterAQueuedPlaneNotBeforeTdbsy)
{
    observe(read_command(0, 0, 0x32), kReadCommand, true);
    rise_after(nanoseconds(500) - kTick);
    expect_only(Rule::ReadyTooEarly);
}

TEST_F(Script, MissingBusyEdge)
{
    observe(read_command(0), kReadCommand, false);
    expect_only(Rule::ReadyEdge);
}

TEST_F(Script, ReadyEdgeWithoutAnOperation)
{
    rise_after(microseconds(1));
    expect_only(Rule::ReadyEdge);
}

TEST_F(Script, SecondFallingEdge)
{
    observe(read_command(0), kReadCommand, true);
    checker.on_ready_edge(0, 0, 0, false, now);
    expect_only(Rule::ReadyEdge);
}

TEST_F(Script, BusyFromAnEdgeThatNothingExplains)
{
    checker.on_ready_edge(0, 0, 0, false, now);
    now += nanoseconds(10);
    observe(direct_out(100, cells), nanoseconds(2035));
    expect_only(Rule::LunBusy);
}

TEST_F(Script, EraseTakesEffectAtItsReadyEdge)
{
    checker.learn(0, 0, 0, 4);
    observe(erase(0), nanoseconds(115), true);
    rise_after(microseconds(3000));
    observe(program(0, 0, 100, cells), nanoseconds(2555), true);
    expect_clean();
}

TEST_F(Script, InterruptedEraseLeavesTheBlockProgrammed)
{
    checker.learn(0, 0, 0, 4);
    observe(erase(0), nanoseconds(115), true);
    observe(lone_command(0xff), nanoseconds(35));
    rise_after(microseconds(500));
    observe(program(0, 0, 100, cells), nanoseconds(2555), true);
    expect_only(Rule::NotErased);
}

TEST(Log, CountsAllAndKeepsTheFirstHundred)
{
    onfi::ViolationLog log;
    for (u32 i = 0; i < 150; ++i) {
        log.on_violation({nanoseconds(i), 1, 2, i, Rule::NoData});
    }
    EXPECT_EQ(log.count(), 150u);
    ASSERT_EQ(log.first().size(), 100u);
    EXPECT_EQ(log.first()[99].lun, 99u);
    EXPECT_EQ(to_string(log.first()[3]),
              "0.003000 us: channel 1 CE 2 LUN 3: burst out without data in the page register");
}

} // namespace
} // namespace tlmssd::tb
