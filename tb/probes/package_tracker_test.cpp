// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what packages do, on timelines by hand (picoseconds).
#include <gtest/gtest.h>

#include <numeric>

#include "firmware/core/fw.h"
#include "models/probes/stages/package_tracker.h"
#include "tb/support/geometry.h"

namespace tlmssd::probes {
namespace {

using flash::Phase;

Picoseconds ps(u64 n) { return Picoseconds(n); }

/// One channel of two packages of two dies with two planes.
Geometry geometry()
{
    return tb::make_geometry().ways(2).dies(2).planes(2);
}

class Packages : public testing::Test {
protected:
    static flash_op op(u8 opcode, u8 way, u8 lun, u8 planes)
    {
        flash_op o{};
        o.opcode = opcode;
        o.ce = way;
        o.lun = lun;
        o.nplanes = planes;
        return o;
    }
    void committed(u32 tag, bool joined, u64 at)
    {
        packages.on_probe(FW_PROBE_FLASH_TAG, joined ? tag | FW_FLASH_JOINED : tag, ps(at), ps(at));
    }
    void segment(u32 tag, Phase phase, u64 start, u64 end)
    {
        packages.on_bus(tag, 0, ps(start));
        packages.on_phase(tag, 0, phase, ps(start), ps(end));
    }
    void head_held(u32 value, u64 at)
    {
        packages.on_probe(FW_PROBE_SCHED_CONFLICT, value, ps(0), ps(at));
    }
    void expect_times(u64 now, u64 bus, u64 cell, u64 wait_channel, u64 wait_die) const
    {
        const PackageCounters c = packages.counters(ps(now));
        EXPECT_EQ(c.times[0].value(), bus) << "bus";
        EXPECT_EQ(c.times[1].value(), cell) << "cell";
        EXPECT_EQ(c.times[2].value(), wait_channel) << "wait_channel";
        EXPECT_EQ(c.times[3].value(), wait_die) << "wait_die";
        Picoseconds sum;
        for (const Picoseconds t : c.times) {
            sum += t;
        }
        EXPECT_EQ(sum.value(), 2 * now) << "two packages";
    }
    void expect_operations(u64 none, u64 die, u64 plane, u64 both) const
    {
        const PackageCounters c = packages.counters(ps(1'000'000));
        EXPECT_EQ(c.operations, (std::array<u64, 4>{none, die, plane, both}));
    }

    PackageTracker packages{geometry(), 8};
};

/// 100 command 110, array to 160, the bus is another's to 170, data 170 to 200, in DRAM at 210.
TEST_F(Packages, AReadIsBusCellAWaitAndBus)
{
    committed(0, false, 90);
    packages.on_issue(0, op(FLASH_OP_READ, 0, 0, 1), ps(100));
    segment(0, Phase::Command, 100, 110);
    packages.on_wait(0, ps(160));
    segment(0, Phase::DataOut, 170, 200);
    expect_times(200, 10 + 30, 50, 10, 0);
    packages.on_complete(0, {}, ps(210));
    expect_times(300, 10 + 30, 50, 10, 0);
    EXPECT_EQ(packages.counters(ps(300)).occupied[0].value(), 110u); // 100 to 210
    expect_operations(1, 0, 0, 0);
}

/// Die 1's command runs (120 to 130) while die 0's array works (110 to 160): the bus counts.
TEST_F(Packages, OfTwoDiesTheBusCountsBeforeTheCellAndTheCellBeforeAWait)
{
    committed(0, false, 100);
    packages.on_issue(0, op(FLASH_OP_READ, 0, 0, 1), ps(100));
    segment(0, Phase::Command, 100, 110);
    committed(1, false, 115);
    packages.on_issue(1, op(FLASH_OP_READ, 0, 1, 1), ps(115)); // waits until 120: die 0's cell counts
    segment(1, Phase::Command, 120, 130);
    segment(0, Phase::DataOut, 160, 180); // die 1's array works until 185
    packages.on_complete(0, {}, ps(180));
    segment(1, Phase::DataOut, 185, 205);
    packages.on_complete(1, {}, ps(205));
    // bus 100-110, 120-130, 160-180, 185-205; cell 110-120, 130-160, 180-185
    expect_times(250, 10 + 10 + 20 + 20, 10 + 30 + 5, 0, 0);
    EXPECT_EQ(packages.counters(ps(250)).occupied[0].value(), 105u);
}

/// Data in of two planes with a short busy time between, array to 400, status 400 to 402.
TEST_F(Packages, AProgramEndsWithItsStatus)
{
    committed(3, false, 0);
    packages.on_issue(3, op(FLASH_OP_PROGRAM, 1, 1, 2), ps(0));
    segment(3, Phase::DataIn, 0, 40);
    segment(3, Phase::DataIn, 45, 85);
    segment(3, Phase::Status, 400, 402);
    packages.on_complete(3, {}, ps(402));
    expect_times(500, 40 + 40 + 2, 5 + 315, 0, 0);
    expect_operations(0, 0, 1, 0);
}

/// While the program of die 0 is suspended nothing of it counts; die 0's read runs meanwhile.
TEST_F(Packages, WhatIsSuspendedDoesNothing)
{
    committed(0, false, 0);
    packages.on_issue(0, op(FLASH_OP_PROGRAM, 0, 0, 1), ps(0));
    segment(0, Phase::DataIn, 0, 40);
    segment(0, Phase::Suspend, 100, 102);
    segment(0, Phase::Status, 110, 112);
    segment(0, Phase::Resume, 200, 202);
    segment(0, Phase::Status, 300, 302);
    packages.on_complete(0, {}, ps(302));
    // bus 40, 4 segments of 2; cell 40-100, 102-110, 202-300
    expect_times(400, 40 + 8, 60 + 8 + 98, 0, 0);
}

TEST_F(Packages, HeldHeadCountsWhereItsPackageRests)
{
    head_held(3, 50); // die 2, package 1
    committed(0, false, 60);
    packages.on_issue(0, op(FLASH_OP_READ, 1, 0, 1), ps(60)); // collection's, say
    segment(0, Phase::Command, 60, 70);
    EXPECT_EQ(packages.counters(ps(80)).conflict_wait.value(), 30u);
    segment(0, Phase::DataOut, 120, 150);
    packages.on_complete(0, {}, ps(150));
    head_held(0, 190);
    expect_times(200, 10 + 30, 50, 0, 10 + 40); // 50 to 60, 150 to 190
    EXPECT_EQ(packages.counters(ps(200)).conflict_wait.value(), 140u);
}

/// The bus is granted at 100 for 120; whoever looks at 110 sees what has passed.
TEST_F(Packages, ASegmentThatIsAnnouncedDoesNotCountTwice)
{
    committed(0, false, 100);
    packages.on_issue(0, op(FLASH_OP_READ, 0, 0, 1), ps(100));
    packages.on_bus(0, 0, ps(120));
    expect_times(110, 0, 0, 10, 0);
    packages.on_phase(0, 0, Phase::Command, ps(120), ps(130));
    expect_times(140, 10, 10, 20, 0);
}

TEST_F(Packages, WhatIsCommittedTogetherIsOneOperationOfEachPackage)
{
    // Package 0: both dies, one of them with two planes. Package 1: one die.
    committed(0, false, 0);
    committed(1, true, 0);
    committed(2, true, 0);
    packages.on_issue(0, op(FLASH_OP_READ, 0, 0, 1), ps(0));
    expect_operations(1, 0, 0, 0);
    packages.on_issue(2, op(FLASH_OP_READ, 1, 0, 1), ps(0));
    packages.on_issue(1, op(FLASH_OP_READ, 0, 1, 2), ps(1));
    expect_operations(1, 0, 0, 1);
    // The next group: both dies of package 1; a read and a program are two operations.
    committed(3, false, 2);
    committed(4, true, 2);
    committed(5, true, 2);
    packages.on_issue(3, op(FLASH_OP_READ, 1, 0, 1), ps(2));
    packages.on_issue(4, op(FLASH_OP_READ, 1, 1, 1), ps(2));
    packages.on_issue(5, op(FLASH_OP_PROGRAM, 0, 0, 2), ps(2));
    expect_operations(1, 1, 1, 1);
    committed(6, false, 3); // alone, though the package is at work
    packages.on_issue(6, op(FLASH_OP_READ, 1, 0, 1), ps(3));
    expect_operations(2, 1, 1, 1);
}

TEST_F(Packages, DifferencesLeaveOutWhatWasBefore)
{
    committed(0, false, 0);
    packages.on_issue(0, op(FLASH_OP_ERASE, 0, 0, 1), ps(0));
    segment(0, Phase::Command, 0, 10);
    const PackageCounters before = packages.counters(ps(50));
    segment(0, Phase::Status, 90, 92);
    packages.on_complete(0, {}, ps(92));
    const PackageCounters c = packages.counters(ps(100)).since(before);
    EXPECT_EQ(c.times[0].value(), 2u);
    EXPECT_EQ(c.times[1].value(), 40u);
    EXPECT_EQ(c.occupied[0].value(), 42u);
    EXPECT_EQ(c.all_operations(), 0u);
}

} // namespace
} // namespace tlmssd::probes
