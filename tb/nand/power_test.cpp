// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a cut of the supply leaves: torn pages, torn blocks, and dies that work again.
#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

constexpr UnitTag kA{11, 1};
constexpr UnitTag kB{12, 1};

/// A program of plane 0, block 0, page 0 takes 900 us, an erase 3 ms.
struct Power : Rig {
    void cut() { target.power_off(event_queue.now()); }
    bool torn(u32 block, u32 page) const { return store.torn({0, 0, block, page}); }
    u32 next(u32 block) const { return store.next_page({0, 0, block, 0}); }
    Picoseconds start_program(u32 page, u8 end = 0x10)
    {
        fill(kA, kB);
        return send(program(row(0, 0, 0, page), 0, kPhysical, cells, end));
    }
};

TEST(PowerOff, TearsThePageOfARunningProgramAndNoOther)
{
    Power rig;
    rig.program_page(0, kA, kB);
    rig.start_program(1);
    rig.run_for(microseconds(500));
    ASSERT_TRUE(rig.busy(0));
    rig.cut();
    EXPECT_FALSE(rig.target.lun(0).busy());
    EXPECT_FALSE(rig.torn(0, 0));
    EXPECT_TRUE(rig.torn(0, 1));
    EXPECT_EQ(rig.next(0), 2u);
    // All of it is lost on the bus, and the die works on.
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 1)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kLostUnit);
    EXPECT_EQ(rig.cells.tags[1], kLostUnit);
    EXPECT_EQ(rig.cells.oob[0], nand::kTornByte);
    rig.program_page(rig.row(0, 0, 0, 2), kB, kA);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.send_and_wait(erase(0));
    EXPECT_EQ(rig.next(0), 0u);
    EXPECT_FALSE(rig.torn(0, 1));
    EXPECT_EQ(rig.die_log.count(), 0u);
}

TEST(PowerOff, LeavesAProgramThatHasEndedByThen)
{
    Power rig;
    const Picoseconds sent = rig.start_program(0);
    rig.run_until(sent + kTwb + microseconds(900) - Picoseconds(1));
    rig.event_queue.set_limit(rig.event_queue.now());
    rig.target.power_off(sent + kTwb + microseconds(900)); // the cut comes with the end
    EXPECT_FALSE(rig.torn(0, 0));
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
}

TEST(PowerOff, TearsOnePicosecondBeforeTheEnd)
{
    Power rig;
    const Picoseconds sent = rig.start_program(0);
    rig.run_until(sent + kTwb + microseconds(900) - Picoseconds(1));
    rig.cut();
    EXPECT_TRUE(rig.torn(0, 0));
}

TEST(PowerOff, TearsAllPagesOfABlockWhoseEraseIsCut)
{
    Power rig;
    rig.program_page(0, kA, kB);
    rig.send(erase(0));
    rig.run_for(microseconds(1000));
    rig.cut();
    for (u32 page = 0; page < 4; ++page) {
        EXPECT_TRUE(rig.torn(0, page)) << page;
    }
    EXPECT_FALSE(rig.torn(1, 0)) << "another block";
    EXPECT_EQ(rig.store.erase_count({0, 0, 0, 0}), 0u);
    // Nothing can be programmed before the block is erased again.
    rig.program_page(0, kA, kB);
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, onfi::Rule::NotErased);
    EXPECT_EQ(rig.status(), 0xe1);
    rig.send_and_wait(erase(0));
    EXPECT_EQ(rig.store.erase_count({0, 0, 0, 0}), 1u);
    rig.program_page(0, kA, kB);
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
}

TEST(PowerOff, TearsTheCachedProgramAndSparesTheOneInTheRegister)
{
    Power rig;
    rig.start_program(0, 0x15);
    rig.wait_ready(0); // page 0 is programmed behind a ready R/B#
    rig.start_program(1, 0x10); // waits in its register
    rig.run_for(microseconds(100));
    rig.cut();
    EXPECT_TRUE(rig.torn(0, 0));
    EXPECT_EQ(rig.next(0), 1u) << "page 1 is still erased";
    rig.program_page(rig.row(0, 0, 0, 1), kA, kB);
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.die_log.count(), 0u);
}

TEST(PowerOff, TearsASuspendedProgram)
{
    Power rig;
    rig.start_program(0);
    rig.run_for(microseconds(100));
    rig.send_and_wait(row_command(0x84, 0));
    ASSERT_EQ(rig.target.lun(0).suspended(), nand::ArrayOp::Program);
    rig.cut();
    EXPECT_EQ(rig.target.lun(0).suspended(), nand::ArrayOp::None);
    EXPECT_TRUE(rig.torn(0, 0));
}

TEST(PowerOff, IsHarmlessForAReadAndForAnIdleDie)
{
    Power rig;
    rig.program_page(0, kA, kB);
    rig.send(read_command(0));
    rig.run_for(microseconds(10));
    ASSERT_TRUE(rig.busy(0));
    rig.cut();
    rig.cut();
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
    rig.send(direct_out(16, rig.cells)); // the registers are empty
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, onfi::Rule::NoData);
}

} // namespace
} // namespace tlmssd::tb
