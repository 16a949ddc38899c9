// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: R/B# edges to the picosecond, and the seeded spread of array times.
#include "tb/nand/rig.h"

#include <set>

#include "models/common/hash.h"

namespace tlmssd::tb {
namespace {

const UnitTag kA{11, 1}, kB{12, 1};

Picoseconds last_busy(const Rig& rig, u32 lun) { return rig.last_busy(lun); }

TEST(ArrayTime, ReadIsBusyFromTheSegmentsEndForTwbAndTr)
{
    Rig rig;
    const Picoseconds end = rig.send(read_command(0));
    EXPECT_EQ(end, nanoseconds(195)); // tCS 20 + 7 x 25
    ASSERT_EQ(rig.edges.size(), 1u);
    EXPECT_EQ(rig.edges[0].when, end);
    EXPECT_FALSE(rig.edges[0].ready);
    rig.run_for(kTwb + microseconds(50) - Picoseconds(1));
    EXPECT_EQ(rig.edges.size(), 1u);
    rig.run_for(Picoseconds(1));
    ASSERT_EQ(rig.edges.size(), 2u);
    EXPECT_TRUE(rig.edges[1].ready);
    EXPECT_EQ(rig.edges[1].when, nanoseconds(195 + 100 + 50000));
    rig.expect_clean();
}

TEST(ArrayTime, ProgramEraseAndQueueTakeTheirTimes)
{
    Rig rig;
    rig.program_page(0, kA, kB);
    EXPECT_EQ(last_busy(rig, 0), kTwb + microseconds(900));
    rig.send_and_wait(erase(0));
    EXPECT_EQ(last_busy(rig, 0), kTwb + microseconds(3000));
    rig.send_and_wait(erase(rig.row(0, 0, 2, 0), 0xd1));
    EXPECT_EQ(last_busy(rig, 0), kTwb + nanoseconds(500));
    rig.send_and_wait(erase(rig.row(0, 1, 2, 0)));
    EXPECT_EQ(last_busy(rig, 0), kTwb + microseconds(3000)); // two blocks, one tBERS
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x32));
    EXPECT_EQ(last_busy(rig, 0), kTwb + nanoseconds(500));
    rig.send_and_wait(read_command(rig.row(0, 1, 2, 0)));
    EXPECT_EQ(last_busy(rig, 0), kTwb + microseconds(50));
    rig.expect_clean();
}

TEST(ArrayTime, ResetTakesLongerTheMoreItInterrupts)
{
    Rig rig;
    rig.send_and_wait(lone_command(0xfc));
    rig.wait_ready(1);
    EXPECT_EQ(last_busy(rig, 0), kTwb + microseconds(5));
    EXPECT_EQ(last_busy(rig, 1), kTwb + microseconds(5));

    // R/B# falls at the end of the erase; FCh, 1 cycle after tCS, ends 45 ns later.
    rig.send(erase(0));
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(last_busy(rig, 0), nanoseconds(45) + kTwb + microseconds(500));

    rig.fill(kA, kB);
    rig.send(program(0, 0, kPhysical, rig.cells));
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(last_busy(rig, 0), nanoseconds(45) + kTwb + microseconds(10));
    rig.expect_clean();
}

config::Nand spread(double v)
{
    config::Nand n = rig_nand();
    n.array_variation = v;
    return n;
}

TEST(ArrayTime, SpreadStaysInItsBoundsAndDiffersFromPageToPage)
{
    Rig rig(rig_geometry(), spread(0.1));
    std::set<u64> seen;
    u64 sum = 0;
    for (u32 plane = 0; plane < 2; ++plane) {
        for (u32 block = 0; block < 8; ++block) {
            for (u32 page = 0; page < 4; ++page) {
                rig.send_and_wait(read_command(rig.row(0, plane, block, page)));
                const Picoseconds t = last_busy(rig, 0) - kTwb;
                EXPECT_GE(t, microseconds(45));
                EXPECT_LE(t, microseconds(55));
                seen.insert(t.value());
                sum += t.value();
            }
        }
    }
    EXPECT_EQ(seen.size(), 64u);
    // Uniform on 50 us +- 5 us: the mean of 64 has a deviation of 5 / sqrt(3 x 64) = 0.36 us.
    EXPECT_NEAR(static_cast<double>(sum) / 64e6, 50.0, 1.5);
    rig.expect_clean();
}

TEST(ArrayTime, SpreadIsAPropertyOfThePageAndItsWear)
{
    Rig rig(rig_geometry(), spread(0.1));
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 2)));
    const Picoseconds first = last_busy(rig, 0);
    rig.send_and_wait(read_command(rig.row(0, 0, 4, 1)));
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 2)));
    EXPECT_EQ(last_busy(rig, 0), first);
    rig.send_and_wait(erase(rig.row(0, 0, 1, 0)));
    EXPECT_EQ(last_busy(rig, 0), kTwb + microseconds(3000)); // erase does not vary
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 2)));
    EXPECT_NE(last_busy(rig, 0), first);
}

TEST(ArrayTime, MultiPlaneWaitsForTheSlowerPlane)
{
    Rig rig(rig_geometry(), spread(0.1));
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 2)));
    const Picoseconds a = last_busy(rig, 0);
    rig.send_and_wait(read_command(rig.row(0, 1, 6, 2)));
    const Picoseconds b = last_busy(rig, 0);
    ASSERT_NE(a, b);
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 2), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 6, 2)));
    EXPECT_EQ(last_busy(rig, 0), max(a, b));
    rig.expect_clean();
}

TEST(ArrayTime, SeedMakesAnotherDevice)
{
    Picoseconds t;
    Rig rig(rig_geometry(), spread(0.1), 2);
    rig.send_and_wait(read_command(0));
    t = last_busy(rig, 0) - kTwb;
    // The draw of the die under test, made here from the definition in docs/explanation/nand-cells.md.
    const auto draw = [](u64 seed) {
        const double u = draw_unit(draw64(seed, 0x7252, 0));
        return Picoseconds(static_cast<u64>(50e6 * (1.0 + 0.1 * (2.0 * u - 1.0)) + 0.5));
    };
    EXPECT_EQ(t, draw(2));
    EXPECT_NE(t, draw(1));
}

TEST(ArrayTime, OneUnitReadAtDepthOneIsTheSumOfItsParts)
{
    Rig rig;
    rig.program_page(0, kA, kB);
    const Picoseconds t0 = rig.event_queue.now();
    rig.send(read_command(0));
    rig.run_for(kTwb + microseconds(50));
    const Picoseconds end = rig.send(direct_out(kUnitColumns, rig.cells));
    // command 195, tWB 100, tR 50000, tCS 20, tRR 20, tRPRE + tDQSRE 30, 2156 pairs of 6 ns
    EXPECT_EQ(end - t0, nanoseconds(195 + 100 + 50000 + 20 + 20 + 30 + 2156 * 6));
    rig.expect_clean();
}

} // namespace
} // namespace tlmssd::tb
