// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what each ONFI command does to pages, registers and the status byte.
#include "tb/nand/rig.h"

#include "models/common/error.h"

namespace tlmssd::tb {
namespace {

const UnitTag kA{11, 1}, kB{12, 1}, kC{13, 1}, kD{14, 1};

TEST(Program, ReadBringsBackTagsAndOob)
{
    Rig rig;
    rig.program_page(rig.row(0, 1, 3, 0), kA, kB, 0x77);
    rig.clear_cells();
    rig.send_and_wait(read_command(rig.row(0, 1, 3, 0)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    EXPECT_EQ(rig.cells.tags[1], kB);
    EXPECT_EQ(rig.cells.oob[0], 0x77);
    EXPECT_EQ(rig.cells.oob[15], 0x77);
    rig.expect_clean();
}

TEST(Program, CellsChangeOnlyWhenTheArrayIsDone)
{
    Rig rig;
    rig.fill(kA, kB);
    rig.send(program(rig.row(0, 0, 0, 0), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 0u);
    rig.wait_ready(0);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
}

TEST(Program, PartOfAPageLeavesTheOtherTagZero)
{
    Rig rig;
    rig.fill(kA, kB, 0x77); // tags[0] is the unit at the burst's column: unit 1
    rig.send_and_wait(program(rig.row(0, 0, 0, 0), kUnitColumns, kUnitColumns, rig.cells));
    const nand::PageView page = rig.store.read({0, 0, 0, 0});
    ASSERT_NE(page.tags, nullptr);
    EXPECT_EQ(page.tags[0], UnitTag{});
    EXPECT_EQ(page.tags[1], kA);
    EXPECT_EQ(page.oob[0], 0xff); // not sent: erased bytes
    rig.expect_clean();
}

TEST(Program, DataMayComeInTwoBurstsBeforeTheConfirm)
{
    Rig rig;
    rig.fill(kA, kB);
    Segment first = program(rig.row(0, 0, 0, 0), 0, kUnitColumns, rig.cells);
    first.trail = 0;
    rig.send(first);
    rig.fill(kC, kD, 0x31);
    Segment second;
    second.burst(DataDirection::In, kPhysical - kUnitColumns, &rig.cells);
    rig.send(second);
    rig.send_and_wait(lone_command(0x10));
    const nand::PageView page = rig.store.read({0, 0, 0, 0});
    ASSERT_NE(page.tags, nullptr);
    EXPECT_EQ(page.tags[0], kA);
    EXPECT_EQ(page.tags[1], kC);
    EXPECT_EQ(page.oob[7], 0x31);
    rig.expect_clean();
}

TEST(Read, ErasedPageGivesNoTagsAndOnes)
{
    Rig rig;
    rig.clear_cells();
    rig.send_and_wait(read_command(rig.row(1, 0, 0, 3)), 1);
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], UnitTag{});
    EXPECT_EQ(rig.cells.tags[1], UnitTag{});
    EXPECT_EQ(rig.cells.oob[0], 0xff);
    rig.expect_clean();
}

TEST(Read, ColumnOfTheCommandChoosesTheFirstUnit)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.clear_cells();
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0), 9 * 539)); // sector 9, in unit 1
    rig.send(direct_out(539, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kB);
    EXPECT_EQ(rig.cells.tags[1], (UnitTag{0xdead, 0xbeef}));
    EXPECT_EQ(rig.cells.oob[0], 0x5a); // not covered: untouched
    rig.expect_clean();
}

TEST(Read, BurstOverAUnitBoundaryCarriesBothTags)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0), 7 * 539));
    rig.clear_cells();
    rig.send(direct_out(2 * 539, rig.cells)); // sectors 7 and 8
    EXPECT_EQ(rig.cells.tags[0], kA);
    EXPECT_EQ(rig.cells.tags[1], kB);
    rig.expect_clean();
}

TEST(Read, DirectBurstsContinueWhereTheLastOneEnded)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB, 0x21);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.clear_cells();
    rig.send(direct_out(kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    rig.send(direct_out(kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kB);
    EXPECT_EQ(rig.cells.oob[0], 0x5a);
    rig.send(direct_out(16, rig.cells)); // OOB alone
    EXPECT_EQ(rig.cells.tags[0], kB);
    EXPECT_EQ(rig.cells.oob[0], 0x21);
    rig.expect_clean();
}

TEST(ChangeReadColumn, MovesInTheSameRegister)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB, 0x44);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.clear_cells();
    rig.send(column_out(kOobColumn, 16, rig.cells));
    EXPECT_EQ(rig.cells.oob[15], 0x44);
    rig.send(column_out(kUnitColumns, kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kB);
    rig.expect_clean();
}

TEST(MultiPlane, ReadFillsBothRegistersAnd06hChooses)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 2, 0), kA, kB);
    rig.program_page(rig.row(0, 1, 5, 0), kC, kD); // other block, same page offset
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 5, 0)));
    rig.clear_cells();
    rig.send(enhanced_out(rig.row(0, 0, 2, 0), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    EXPECT_EQ(rig.cells.tags[1], kB);
    rig.send(enhanced_out(rig.row(0, 1, 5, 0), kUnitColumns, kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kD);
    rig.expect_clean();
}

TEST(MultiPlane, DirectBurstDeliversThePlaneNamedLast)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 2, 0), kA, kB);
    rig.program_page(rig.row(0, 1, 2, 0), kC, kD);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 2, 0)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kC);
    rig.expect_clean();
}

TEST(MultiPlane, ProgramWritesBothPagesAtTheConfirm)
{
    Rig rig;
    rig.fill(kA, kB);
    rig.send_and_wait(program(rig.row(1, 0, 1, 0), 0, kPhysical, rig.cells, 0x11), 1);
    EXPECT_EQ(rig.store.next_page({1, 0, 1, 0}), 0u);
    rig.fill(kC, kD);
    rig.send_and_wait(program(rig.row(1, 1, 4, 0), 0, kPhysical, rig.cells), 1);
    ASSERT_NE(rig.store.read({1, 0, 1, 0}).tags, nullptr);
    ASSERT_NE(rig.store.read({1, 1, 4, 0}).tags, nullptr);
    EXPECT_EQ(rig.store.read({1, 0, 1, 0}).tags[0], kA);
    EXPECT_EQ(rig.store.read({1, 1, 4, 0}).tags[1], kD);
    rig.expect_clean();
}

TEST(MultiPlane, EraseEmptiesBothBlocks)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 1, 0), kA, kB);
    rig.program_page(rig.row(0, 1, 6, 0), kC, kD);
    rig.send_and_wait(erase(rig.row(0, 0, 1, 0), 0xd1));
    rig.send_and_wait(erase(rig.row(0, 1, 6, 0)));
    EXPECT_EQ(rig.store.read({0, 0, 1, 0}).tags, nullptr);
    EXPECT_EQ(rig.store.read({0, 1, 6, 0}).tags, nullptr);
    EXPECT_EQ(rig.store.erase_count({0, 1, 6, 0}), 1u);
    rig.program_page(rig.row(0, 0, 1, 0), kC, kD); // page 0 may be programmed again
    EXPECT_EQ(rig.store.read({0, 0, 1, 0}).tags[0], kC);
    rig.expect_clean();
}

TEST(Status, ShowsBusyThenReady)
{
    Rig rig;
    rig.send(read_command(rig.row(0, 0, 0, 0)));
    EXPECT_EQ(rig.status(), 0x80);
    rig.wait_ready(0);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.expect_clean();
}

TEST(Status, BareReadCommandReturnsToData)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    EXPECT_EQ(rig.status(), 0xe0);
    rig.clear_cells();
    rig.send(direct_out(1, rig.cells)); // still status
    EXPECT_EQ(rig.cells.bytes[0], 0xe0);
    EXPECT_EQ(rig.cells.tags[0], (UnitTag{0xdead, 0xbeef}));
    Segment s = lone_command(0x00);
    s.burst(DataDirection::Out, kPhysical, &rig.cells);
    rig.send(s);
    EXPECT_EQ(rig.cells.tags[0], kA);
    rig.expect_clean();
}

TEST(Status, EnhancedNamesTheLun)
{
    Rig rig;
    rig.send(read_command(rig.row(1, 0, 0, 0)));
    EXPECT_EQ(rig.status_of(rig.row(0, 0, 0, 0)), 0xe0);
    EXPECT_EQ(rig.status_of(rig.row(1, 0, 0, 0)), 0x80);
    EXPECT_EQ(rig.status(), 0x80); // 70h: the LUN named last
    rig.wait_ready(1);
    rig.expect_clean();
}

TEST(Status, EnhancedTellsTheFailedPlane)
{
    Rig rig;
    rig.fill(kA, kB);
    rig.send_and_wait(program(rig.row(0, 0, 0, 1), 0, kPhysical, rig.cells, 0x11)); // out of order
    rig.send_and_wait(program(rig.row(0, 1, 0, 1), 0, kPhysical, rig.cells));       // as well
    EXPECT_EQ(rig.status(), 0xe1);
    rig.program_page(rig.row(0, 1, 0, 0), kA, kB);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.fill(kA, kB);
    rig.send_and_wait(program(rig.row(0, 0, 0, 1), 0, kPhysical, rig.cells, 0x11)); // out of order
    rig.send_and_wait(program(rig.row(0, 1, 0, 1), 0, kPhysical, rig.cells));       // in order
    EXPECT_EQ(rig.status(), 0xe1);
    EXPECT_EQ(rig.status_of(rig.row(0, 0, 0, 0)), 0xe1);
    EXPECT_EQ(rig.status_of(rig.row(0, 1, 0, 0)), 0xe0);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 0u);
    EXPECT_EQ(rig.store.next_page({0, 1, 0, 0}), 2u);
}

TEST(Interleave, TwoLunsWorkAtTheSameTime)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.program_page(rig.row(1, 0, 0, 0), kC, kD);
    rig.send(read_command(rig.row(0, 0, 0, 0)));
    rig.send(read_command(rig.row(1, 0, 0, 0)));
    EXPECT_TRUE(rig.busy(0));
    EXPECT_TRUE(rig.busy(1));
    rig.wait_ready(1);
    rig.send(enhanced_out(rig.row(0, 0, 0, 0), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    rig.send(enhanced_out(rig.row(1, 0, 0, 0), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kC);
    rig.expect_clean();
}

TEST(Reset, EndsAProgramAndSpendsItsPage)
{
    Rig rig;
    rig.fill(kA, kB);
    rig.send(program(rig.row(0, 0, 0, 0), 0, kPhysical, rig.cells));
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    const nand::PageView page = rig.store.read({0, 0, 0, 0});
    ASSERT_NE(page.tags, nullptr);
    EXPECT_TRUE(rig.store.torn({0, 0, 0, 0}));
    rig.wait_ready(1);
    rig.program_page(rig.row(0, 0, 0, 1), kC, kD); // the next page in order is page 1
    rig.expect_clean();
}

TEST(Reset, LeavesTheBlockOfAnInterruptedEraseAsItWas)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.send(erase(rig.row(0, 0, 0, 0)));
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_NE(rig.store.read({0, 0, 0, 0}).tags, nullptr);
    rig.program_page(rig.row(0, 0, 0, 1), kC, kD);
    rig.expect_clean();
}

TEST(Inject, SwapsATagOfTheChosenBurstOnly)
{
    Rig rig;
    rig.device.swap_at = 2;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.send(direct_out(kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.send(direct_out(kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kB); // the other unit of the register
    EXPECT_EQ(rig.device.swapped, 1u);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.send(direct_out(kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
}

TEST(Inject, TakesAnotherPlanesRegisterWhereItHoldsData)
{
    Rig rig;
    rig.device.swap_at = 1;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.program_page(rig.row(0, 1, 0, 0), kC, kD);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 0, 0)));
    rig.send(enhanced_out(rig.row(0, 1, 0, 0), 0, kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kA);
    EXPECT_EQ(rig.cells.tags[1], kD);
}

TEST(Inject, WaitsForABurstWhereAWrongTagCanBeHad)
{
    Rig rig;
    rig.device.swap_at = 1;
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0))); // erased: no tag differs
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.device.swapped, 0u);
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kB);
    EXPECT_EQ(rig.device.swapped, 1u);
}

TEST(Target, RowAddressOfMoreThan24BitsIsAnInputError)
{
    Geometry g = rig_geometry(); // page 9 + plane 1 + block 14 + LUN 1 = 25
    g.pages = 512;
    g.blocks = 16384;
    EXPECT_THROW(Rig{g}, InputError);
}

TEST(Statistics, ArrayTimeThatAResetCutsOffDoesNotCount)
{
    Rig rig;
    const Picoseconds end = rig.send(erase(0));
    rig.run_until(end + kTwb + microseconds(1000) - kTwb - nanoseconds(45));
    rig.send(lone_command(0xfc)); // takes hold tWB after its end: 1000 us of 3000 are done
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(rig.target.lun(0).statistics().erasing, microseconds(1000));
    EXPECT_EQ(rig.target.lun(0).statistics().resets, 1u);
}

TEST(Statistics, CountPagesAndBlocks)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 0, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 0, 0)));
    rig.send_and_wait(erase(rig.row(0, 1, 0, 0)));
    const nand::Lun::Statistics& s = rig.target.lun(0).statistics();
    EXPECT_EQ(s.programs, 1u);
    EXPECT_EQ(s.reads, 2u);
    EXPECT_EQ(s.erases, 1u);
    EXPECT_EQ(s.busy, microseconds(900 + 50 + 3000) + Picoseconds(500000));
    EXPECT_EQ(s.reading, microseconds(50));
    EXPECT_EQ(s.programming, microseconds(900));
    EXPECT_EQ(s.erasing, microseconds(3000));
    EXPECT_EQ(s.bits_read, 0u); // errors are off
    rig.target.reset_statistics();
    EXPECT_EQ(rig.target.lun(0).statistics().reads, 0u);
}

} // namespace
} // namespace tlmssd::tb
