// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one LUN of the checker: busy times, gathered planes and suspended operations.
#include <gtest/gtest.h>

#include "models/onfi/checker/lun_sequence.h"
#include "tb/onfi/observed.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::tb {
namespace {

using onfi::LunSequence;
using onfi::RowAddress;
using onfi::Rule;
using Busy = LunSequence::Busy;
using Rules = std::vector<Rule>;

/// tR 50, tPROG 900, tBERS 3000 us, tDBSY 500 ns, tRCBSY 3, tCBSY 5 us; suspends take 20 and 40 us.
config::Nand part()
{
    config::Nand n = make_part(50, 900, 3000);
    n.t_plane_queue = nanoseconds(500);
    n.t_read_cache = microseconds(3);
    n.t_program_cache = microseconds(5);
    n.t_suspend_program = microseconds(20);
    n.t_suspend_erase = microseconds(40);
    return n;
}

/// LUN 0 of a part of two planes. Each command is one segment of 1 us, answered by R/B# at its end.
struct OneLun : testing::Test, ObservedBus {
    Geometry geometry = small_geometry();
    onfi::PartLimits limits{geometry, part()};
    onfi::PageOrder pages{geometry, 1};
    LunSequence lun{limits, pages, log, {}};
    u64 now = 0;

    template <class Visit> void command(Visit visit, bool answered = true)
    {
        sequence.from = now;
        now += us(1);
        sequence.opened = {onfi::CycleKind::Command, 0x00, Picoseconds(now)};
        if (answered) {
            lun.on_fall(now);
        }
        observe(lone_command(0x30), now - us(1), now, visit);
    }
    void read(u8 byte, const RowAddress& row = {})
    {
        command([&](onfi::ObservedSegment& seen) { lun.read(seen, row, byte); });
    }
    void program(u8 byte, const RowAddress& row = {})
    {
        sequence.opener = 0x80;
        command([&](onfi::ObservedSegment& seen) { lun.program(seen, row, byte); });
    }
    void erase(const RowAddress& row = {}, bool queue = false)
    {
        command([&](onfi::ObservedSegment& seen) { lun.erase(seen, row, queue); });
    }
    void rise(u64 after)
    {
        now += after;
        lun.on_rise(now);
    }
    void burst(u32 bytes)
    {
        DataCells cells;
        observe(direct_out(bytes, cells), now, now + us(1), [&](onfi::ObservedSegment& seen) {
            seen.in_burst = true;
            lun.burst_out(seen);
        });
    }
};

TEST_F(OneLun, ReadIsReadyAfterTrAndHasData)
{
    read(0x30);
    rise(us(50));
    burst(100);
    EXPECT_EQ(rules(), Rules{});
}

TEST_F(OneLun, ReadyOneTickBeforeTr)
{
    read(0x30);
    rise(us(50) - 1);
    EXPECT_EQ(rules(), Rules{Rule::ReadyTooEarly});
    EXPECT_EQ(log.first()[0].first.byte, 0x30);
}

TEST_F(OneLun, ACommandMustBeAnswered)
{
    command([this](onfi::ObservedSegment& seen) { lun.read(seen, {}, 0x30); }, false);
    EXPECT_EQ(rules(), Rules{Rule::ReadyEdge});
}

TEST_F(OneLun, NothingIsTakenWhileBusy)
{
    read(0x30);
    command([this](onfi::ObservedSegment& seen) { lun.read(seen, {}, 0x30); }, false);
    EXPECT_EQ(rules(), Rules{Rule::LunBusy});
}

TEST_F(OneLun, BurstPastThePageAndBurstWithoutData)
{
    read(0x30);
    rise(us(50));
    burst(8640);
    burst(1);
    EXPECT_EQ(rules(), Rules{Rule::BurstLength});
    lun.lose_registers({});
    burst(1);
    EXPECT_EQ(rules(), (Rules{Rule::BurstLength, Rule::NoData}));
}

TEST_F(OneLun, CacheReadHidesTheArrayTimeOfTheNextPage)
{
    read(0x30);
    rise(us(50));
    command([this](onfi::ObservedSegment& seen) { lun.cache_read(seen, 0x31); });
    const u64 fetched = now + us(50);
    rise(us(3)); // tRCBSY
    command([this](onfi::ObservedSegment& seen) { lun.cache_read(seen, 0x3f); });
    rise(fetched - now - 1);
    EXPECT_EQ(rules(), Rules{Rule::ReadyTooEarly});
}

TEST_F(OneLun, CacheReadNeedsAPageInThePageRegister)
{
    command([this](onfi::ObservedSegment& seen) { lun.cache_read(seen, 0x31); }, false);
    command([this](onfi::ObservedSegment& seen) { lun.cache_read(seen, 0x3f); }, false);
    EXPECT_EQ(rules(), (Rules{Rule::CacheState, Rule::CacheState}));
}

TEST_F(OneLun, PlanesOfOneOperationShareThePage)
{
    program(0x11, {0, 0, 2, 0});
    rise(ns(500));
    program(0x10, {0, 1, 3, 0});
    rise(us(900));
    EXPECT_EQ(rules(), Rules{});
    program(0x11, {0, 0, 2, 1});
    rise(ns(500));
    program(0x10, {0, 1, 4, 0});
    EXPECT_EQ(rules(), Rules{Rule::MultiPlane});
}

TEST_F(OneLun, ProgramsGoInOrderAndAnEraseStartsAgain)
{
    program(0x10, {0, 0, 2, 0});
    rise(us(900));
    program(0x10, {0, 0, 2, 2});
    rise(us(900));
    program(0x10, {0, 0, 2, 0});
    rise(us(900));
    EXPECT_EQ(rules(), (Rules{Rule::PageOrder, Rule::NotErased}));
    erase({0, 0, 2, 0});
    rise(us(3000));
    program(0x10, {0, 0, 2, 0});
    EXPECT_EQ(log.count(), 2u);
}

TEST_F(OneLun, CacheProgramWaitsForTheOneBeforeIt)
{
    program(0x15, {0, 0, 2, 0});
    const u64 done = now + us(900);
    rise(us(5)); // tCBSY
    program(0x10, {0, 0, 2, 1});
    rise(done + us(900) - now); // both programs
    EXPECT_EQ(rules(), Rules{});
    program(0x15, {0, 0, 2, 2});
    rise(us(5) - 1);
    EXPECT_EQ(rules(), Rules{Rule::ReadyTooEarly});
}

TEST_F(OneLun, ASuspendedEraseKeepsItsRemainingTimeAndItsBlock)
{
    erase({0, 1, 5, 0});
    const u64 due = now + us(3000);
    now += us(1000);
    command([this](onfi::ObservedSegment& seen) { lun.suspend(seen, Busy::Erase); }, false);
    rise(us(40));
    const u64 left = due - now;
    read(0x30, {0, 0, 5, 0}); // another plane
    rise(us(50));
    EXPECT_EQ(rules(), Rules{});
    command([this](onfi::ObservedSegment& seen) { lun.read(seen, {0, 1, 5, 3}, 0x30); }, false);
    EXPECT_EQ(rules(), Rules{Rule::SuspendState});
    command([this](onfi::ObservedSegment& seen) { lun.resume(seen, Busy::Erase); });
    rise(left - 1);
    EXPECT_EQ(rules(), (Rules{Rule::SuspendState, Rule::ReadyTooEarly}));
}

TEST_F(OneLun, ResetLeavesNoLeastTimeAndNoData)
{
    read(0x30);
    now += us(10);
    command([this](onfi::ObservedSegment& seen) { lun.reset(seen); }, false);
    rise(0);
    burst(1);
    EXPECT_EQ(rules(), Rules{Rule::NoData});
}

TEST_F(OneLun, EdgesWithoutACommandAreReported)
{
    rise(us(1));
    lun.on_fall(us(2));
    lun.on_fall(us(3));
    EXPECT_EQ(rules(), (Rules{Rule::ReadyEdge, Rule::ReadyEdge}));
}

/// R/B# falls up to tWB, 100 ns, after a command.
struct LateLun : OneLun {
    static config::Nand late()
    {
        config::Nand n = part();
        n.ready_falls = config::ReadyFalls::Random;
        return n;
    }
    onfi::PartLimits late_limits{geometry, late()};
    onfi::PartLimits tolerant{geometry, late(), true};
    LunSequence slow{late_limits, pages, log, {}};
    LunSequence silent{tolerant, pages, log, {}};

    /// 30h of the first page in [from, from + 1 us).
    void read_of(LunSequence& of, u64 from)
    {
        sequence.from = from;
        observe(lone_command(0x30), from, from + us(1),
                [&](onfi::ObservedSegment& seen) { of.read(seen, {}, 0x30); });
    }
};

TEST_F(LateLun, TheFallMayComeUpToTwbAfterTheCommand)
{
    read_of(slow, 0);
    slow.settle(us(1) + ns(100));
    slow.on_fall(us(1) + ns(100));
    slow.on_rise(us(51));
    EXPECT_EQ(rules(), Rules{});
    read_of(slow, us(60));
    slow.on_fall(us(61) + ns(100) + 1);
    EXPECT_EQ(rules(), Rules{Rule::ReadyEdge});
    EXPECT_EQ(log.first()[0].first.byte, 0x30);
}

TEST_F(LateLun, IsBusyFromTheCommandOn)
{
    read_of(slow, 0);
    read_of(slow, us(1));
    EXPECT_EQ(rules(), Rules{Rule::LunBusy});
}

TEST_F(LateLun, AFallThatDoesNotComeIsReportedWhenItIsMissed)
{
    read_of(slow, 0);
    EXPECT_EQ(rules(), Rules{});
    slow.settle(us(1) + ns(100) + 1);
    EXPECT_EQ(rules(), Rules{Rule::ReadyEdge});
    read_of(slow, us(2)); // not busy with anything
    EXPECT_EQ(rules(), Rules{Rule::ReadyEdge});
}

TEST_F(LateLun, ARiseWithoutAFallIsReported)
{
    read_of(slow, 0);
    slow.on_rise(us(1) + ns(50));
    EXPECT_EQ(rules(), Rules{Rule::ReadyEdge});
}

TEST_F(LateLun, ASilentLunIsUnknownFromTheMissedFallToTheNextFall)
{
    read_of(silent, 0);
    EXPECT_FALSE(silent.unknown());
    silent.settle(us(2));
    EXPECT_TRUE(silent.unknown());
    read_of(silent, us(2));
    EXPECT_TRUE(silent.unknown());
    silent.on_fall(us(3) + ns(20));
    EXPECT_FALSE(silent.unknown());
    EXPECT_EQ(rules(), Rules{});
}

// A status read that starts before the fall takes the high line for a ready LUN; afterwards it is a poll.
TEST_F(LateLun, AStatusReadMayNotStartBeforeTheFall)
{
    const auto status = [this](u64 from) {
        observe(lone_command(0x70), from, from + ns(200),
                [this](onfi::ObservedSegment& seen) { slow.judge_status_start(seen); });
    };
    read_of(slow, 0);
    slow.on_fall(us(1) + ns(90));
    status(us(1) + ns(89));
    EXPECT_EQ(rules(), Rules{Rule::StatusTooEarly});
    status(us(1) + ns(90));
    EXPECT_EQ(rules(), Rules{Rule::StatusTooEarly});
}

TEST_F(OneLun, ASilentLunIsNotJudgedUntilItAnswers)
{
    onfi::PartLimits tolerant(geometry, part(), true);
    LunSequence silent(tolerant, pages, log, {});
    observe(lone_command(0x30), 0, us(1),
            [&](onfi::ObservedSegment& seen) { silent.read(seen, {}, 0x30); });
    EXPECT_TRUE(silent.unknown());
    silent.on_fall(us(3));
    observe(lone_command(0x30), us(2), us(3),
            [&](onfi::ObservedSegment& seen) { silent.read(seen, {}, 0x30); });
    EXPECT_FALSE(silent.unknown());
    EXPECT_EQ(rules(), Rules{});
}

} // namespace
} // namespace tlmssd::tb
