// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the time of segments on one channel, without dies and without a decoder.
#include <gtest/gtest.h>

#include "models/onfi/checker/bus_timing_check.h"
#include "tb/onfi/observed.h"

namespace tlmssd::tb {
namespace {

using onfi::BusTimingCheck;
using onfi::Rule;
using Rules = std::vector<Rule>;

/// One channel of two chip enables in SDR 5; see ObservedBus for the times.
struct OneBus : testing::Test, ObservedBus {
    BusTimingCheck bus{2};
    DataCells cells;

    void pass(const Segment& s, u64 start_ps, u64 end_ps)
    {
        observe(s, start_ps, end_ps, [this](onfi::ObservedSegment& seen) {
            bus.check(seen);
            seen.remember();
        });
        bus.close(sequence.last);
    }
};

TEST_F(OneBus, SevenCyclesTakeTcsAndSevenTwc)
{
    pass(read_command(0), 0, ns(155)); // 15 + 7 x 20
    EXPECT_EQ(rules(), Rules{});
    pass(read_command(0), ns(200), ns(355) - 1);
    EXPECT_EQ(rules(), Rules{Rule::SegmentTooShort});
}

TEST_F(OneBus, FirstCycleFollowsTcs)
{
    observe(read_command(0), ns(10), ns(165), [this](onfi::ObservedSegment& seen) {
        bus.check(seen);
        EXPECT_EQ(seen.first_cycle, ns(25));
        EXPECT_EQ(seen.cycle(0).at.value(), ns(45));
        EXPECT_EQ(seen.cycle(6).at.value(), ns(165));
    });
}

TEST_F(OneBus, SegmentsMayTouchButNotOverlap)
{
    pass(read_command(0), 0, ns(155));
    pass(lone_command(0x70), ns(155), ns(190));
    EXPECT_EQ(rules(), Rules{});
    pass(lone_command(0x70), ns(190) - 1, ns(300));
    ASSERT_EQ(rules(), Rules{Rule::BusOverlap});
    const onfi::Violation& v = log.first()[0];
    EXPECT_EQ(v.when.value(), ns(190) - 1);
    EXPECT_EQ(v.first.kind, onfi::CycleKind::Command); // 70h of the segment before
    EXPECT_EQ(v.first.byte, 0x70);
    EXPECT_EQ(v.first.at.value(), ns(190));
    EXPECT_EQ(v.second.kind, onfi::CycleKind::Select);
}

TEST_F(OneBus, ACommandWaitsForTrhwAfterABurstOutOfAnyChipEnable)
{
    pass(direct_out(10, cells), 0, ns(235)); // 15 + tRR 20 + 10 x 20
    Segment other = lone_command(0x70);
    other.ce = 1;
    pass(other, ns(240), ns(355)); // 235 + tRHW 100 + 20
    EXPECT_EQ(rules(), Rules{});
    pass(direct_out(10, cells), ns(400), ns(635));
    pass(other, ns(640), ns(755) - 1);
    ASSERT_EQ(rules(), Rules{Rule::SegmentTooShort});
    EXPECT_EQ(log.first()[0].first.kind, onfi::CycleKind::DataOut);
}

TEST_F(OneBus, ABurstWaitsForTheCommandOfAnEarlierSegmentOfItsChipEnable)
{
    Segment column = column_out(0, 1, cells);
    column.direction = DataDirection::None; // 05h C2 E0h alone: 15 + 4 x 20
    pass(column, 0, ns(95));
    Segment other = direct_out(1, cells);
    other.ce = 1;
    pass(other, ns(100), ns(155)); // 15 + 20 + 20: no tCCS for the other one
    EXPECT_EQ(rules(), Rules{});
    pass(direct_out(1, cells), ns(300), ns(615) - 1); // 95 + tCCS 500 + 20
    EXPECT_EQ(rules(), Rules{Rule::SegmentTooShort});
}

TEST_F(OneBus, DataInWaitForTadlAndDataOutAfterStatusForTwhr)
{
    pass(program(0, 0, 10, cells), 0, ns(15 + 6 * 20 + 400 + 200 + 20));
    pass(read_status(cells), ns(1000), ns(1000 + 15 + 20 + 80 + 20));
    EXPECT_EQ(rules(), Rules{});
    pass(program(0, 0, 10, cells), ns(2000), ns(2755) - 1);
    EXPECT_EQ(rules(), Rules{Rule::SegmentTooShort});
}

} // namespace
} // namespace tlmssd::tb
