// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: differences of two replays, on records made by hand.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/replay/replay_compare.h"
#include "tb/support/geometry.h"

namespace tlmssd::replay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Geometry geometry()
{
    return tb::make_geometry().channels(2).blocks(4).pages(16); // one die a channel
}

/// Reads that arrive at `arrival`, start at `start`, and take 10, all in microseconds.
struct Read {
    u8 channel;
    u64 arrival;
    u64 start;
};

ReplayRecord record_of(const std::vector<Read>& reads)
{
    ReplayRecord record;
    for (const Read& r : reads) {
        probes::RecordedOp recorded;
        recorded.op.opcode = FLASH_OP_READ;
        recorded.op.channel = r.channel;
        recorded.op.nplanes = 1;
        recorded.op.row[0] = static_cast<u32>(record.ops.size());
        ReplayedOp op;
        op.arrival = microseconds(r.arrival);
        op.started = microseconds(r.start);
        op.ended = op.completed = microseconds(r.start + 10);
        op.die = r.channel;
        const u32 n = static_cast<u32>(record.ops.size());
        record.segments.push_back({n, flash::Phase::Command, op.started, op.started});
        record.stream.push_back(recorded);
        record.ops.push_back(op);
    }
    return record;
}

TEST(ReplayCompare, EqualReplaysDifferInNothing)
{
    const ReplayRecord a = record_of({{0, 0, 0}, {1, 0, 0}, {0, 0, 10}});
    const ReplayDifference d = compare(a, a, geometry(), Picoseconds());
    EXPECT_EQ(d.starts, 3u);
    EXPECT_EQ(d.displaced, 0u);
    EXPECT_EQ(d.moved, 0u);
    EXPECT_FALSE(d.order || d.times);
    EXPECT_EQ(d.total_a, microseconds(20));
    EXPECT_DOUBLE_EQ(d.mean_a, 40e6 / 3); // 10 + 10 + 20 us
    EXPECT_THAT(text_of(d, a, a, "here", "there", geometry()),
                HasSubstr("no operation starts or completes at another time"));
}

/// Die 0 runs operations 0 1 2 in one and 0 2 1 in the other: two of four stand elsewhere, from 10 us on.
TEST(ReplayCompare, ShowsTheFirstDifferenceWithBothTimelines)
{
    const ReplayRecord a = record_of({{0, 0, 0}, {0, 0, 10}, {0, 0, 20}, {1, 0, 3}});
    const ReplayRecord b = record_of({{0, 0, 0}, {0, 0, 20}, {0, 0, 10}, {1, 0, 3}});
    const Geometry g = geometry();
    EXPECT_THAT(order_per_die(b, 2), ElementsAre(ElementsAre(0, 2, 1), ElementsAre(3)));
    const ReplayDifference d = compare(a, b, g, microseconds(1));
    EXPECT_EQ(d.displaced, 2u);
    EXPECT_DOUBLE_EQ(d.displaced_fraction(), 0.5);
    ASSERT_TRUE(d.order);
    EXPECT_EQ(d.order->die, 0u);
    EXPECT_EQ(d.order->position, 1u);
    EXPECT_EQ(d.order->at, microseconds(10));
    const std::string text = text_of(d, a, b, "here", "there", g);
    EXPECT_THAT(text, HasSubstr("2 of 4 operations stand elsewhere"));
    EXPECT_THAT(text, HasSubstr("die 0 (ch0/ce0/lun0), position 1, at 10.000 us"));
    const std::size_t here = text.find("   here, us:"), there = text.find("   there, us:");
    ASSERT_LT(here, there);
    EXPECT_THAT(text.substr(here, there - here),
                HasSubstr("> operation 1 (line 3) read ch0/ce0/lun0 plane 0 block 0 page 1\n"
                          "         arrived 0.000, started 10.000, ended 20.000, completed 20.000\n"
                          "         command 10.000-10.000\n"));
    EXPECT_THAT(text.substr(there), HasSubstr("> operation 2 (line 4)"));
}

TEST(ReplayCompare, TimesWithinTheToleranceAreEqual)
{
    const ReplayRecord a = record_of({{0, 0, 0}, {0, 0, 10}, {1, 0, 50}});
    const ReplayRecord b = record_of({{0, 0, 1}, {0, 0, 12}, {1, 0, 60}});
    EXPECT_EQ(compare(a, b, geometry(), Picoseconds()).moved, 3u);
    const ReplayDifference d = compare(a, b, geometry(), microseconds(1));
    EXPECT_EQ(d.moved, 2u);
    ASSERT_TRUE(d.times);
    EXPECT_EQ(d.times->at, microseconds(10));
    EXPECT_EQ(compare(a, b, geometry(), microseconds(10)).moved, 0u);
    // From the first arrival (0) to the last end: 60 against 70 us; means 90/3 and 103/3 us.
    EXPECT_DOUBLE_EQ(d.total_difference(), 60.0 / 70 - 1);
    EXPECT_NEAR(d.mean_difference(), 90.0 / 103 - 1, 1e-12);
}

TEST(ReplayCompare, RefusesAnotherStream)
{
    const ReplayRecord a = record_of({{0, 0, 0}, {0, 0, 10}});
    const ReplayRecord shorter = record_of({{0, 0, 0}});
    const ReplayRecord other = record_of({{0, 0, 0}, {1, 0, 10}});
    const auto error = [&](const ReplayRecord& b) -> std::string {
        try {
            compare(a, b, geometry(), Picoseconds());
        } catch (const InputError& e) {
            return e.what();
        }
        return "none";
    };
    EXPECT_THAT(error(shorter), HasSubstr("1 operations, this one 2"));
    EXPECT_THAT(error(other), AllOf(HasSubstr("operation 1 is read ch1"), HasSubstr("read ch0")));
}

} // namespace
} // namespace tlmssd::replay
