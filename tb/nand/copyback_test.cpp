// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: copyback, CHANGE WRITE COLUMN, CHANGE ROW ADDRESS and partial programs.
#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

using onfi::Rule;

const UnitTag kA{11, 1}, kB{12, 1}, kC{13, 1}, kD{14, 1};

void expect_page(const Rig& rig, const nand::Place& place, UnitTag first, UnitTag second, u8 oob)
{
    const nand::PageView page = rig.store.read(place);
    ASSERT_NE(page.tags, nullptr);
    EXPECT_EQ(page.tags[0], first);
    EXPECT_EQ(page.tags[1], second);
    EXPECT_EQ(page.oob[3], oob);
}

void expect_only(const Rig& rig, Rule rule)
{
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, rule) << to_string(rig.die_log.first()[0]);
}

TEST(Copyback, MovesAPageInsideItsPlane)
{
    Rig rig;
    rig.program_page(rig.row(0, 1, 2, 0), kA, kB, 0x42);
    rig.send_and_wait(read_command(rig.row(0, 1, 2, 0), 0, 0x35));
    EXPECT_EQ(rig.last_busy(), kTwb + microseconds(50));
    rig.send_and_wait(copyback_program(rig.row(0, 1, 5, 0), 0, 0, rig.cells));
    EXPECT_EQ(rig.last_busy(), kTwb + microseconds(900));
    expect_page(rig, {0, 1, 5, 0}, kA, kB, 0x42);
    rig.expect_clean();
}

TEST(Copyback, MayBeReadOutOnTheWay)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 2, 0), kA, kB, 0x42);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x35));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[1], kB);
    rig.send_and_wait(copyback_program(rig.row(0, 0, 3, 0), 0, 0, rig.cells));
    expect_page(rig, {0, 0, 3, 0}, kA, kB, 0x42);
    rig.expect_clean();
}

TEST(Copyback, TakesChangedBytes)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 2, 0), kA, kB, 0x42);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x35));
    rig.fill(kC, UnitTag{}); // the burst's first tag is that of unit 1
    Segment s = copyback_program(rig.row(0, 0, 3, 0), kUnitColumns, kUnitColumns - 16, rig.cells);
    s.trail = 0;
    rig.send(s);
    rig.fill(UnitTag{}, UnitTag{}, 0x77);
    rig.send(write_column(kOobColumn, 16, rig.cells));
    rig.send_and_wait(lone_command(0x10));
    expect_page(rig, {0, 0, 3, 0}, kA, kC, 0x77);
    rig.expect_clean();
}

TEST(Copyback, TwoPlanesAtOnce)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 2, 0), kA, kB, 1);
    rig.program_page(rig.row(0, 1, 2, 0), kC, kD, 2);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 2, 0), 0, 0x35));
    rig.send_and_wait(copyback_program(rig.row(0, 0, 4, 0), 0, 0, rig.cells, 0x11));
    rig.send_and_wait(copyback_program(rig.row(0, 1, 4, 0), 0, 0, rig.cells));
    expect_page(rig, {0, 0, 4, 0}, kA, kB, 1);
    expect_page(rig, {0, 1, 4, 0}, kC, kD, 2);
    rig.expect_clean();
}

struct Source {
    const char* name;
    u8 read;    ///< confirm cycle of the read of plane 0, block 2, page 0
    bool used;  ///< a copyback program has taken it already
    u32 lun, plane, page; ///< where the copyback goes
};

class WithoutSource : public testing::TestWithParam<Source> {};

TEST_P(WithoutSource, IsRefused)
{
    const Source& c = GetParam();
    Rig rig;
    rig.program_page(rig.row(0, 0, 2, 0), kA, kB);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, c.read));
    if (c.used) {
        rig.send_and_wait(copyback_program(rig.row(0, 0, 3, 0), 0, 0, rig.cells));
    }
    rig.send(copyback_program(rig.row(c.lun, c.plane, 3, c.page), 0, 0, rig.cells));
    EXPECT_FALSE(rig.busy(0));
    EXPECT_FALSE(rig.busy(1));
    expect_only(rig, Rule::CopybackPlane);
}

INSTANTIATE_TEST_SUITE_P(Copyback, WithoutSource,
                         testing::Values(Source{"OtherPlane", 0x35, false, 0, 1, 0},
                                         Source{"OtherLun", 0x35, false, 1, 0, 0},
                                         Source{"UsedUp", 0x35, true, 0, 0, 1},
                                         Source{"PlainRead", 0x30, false, 0, 0, 0}),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(ChangeWriteColumn, FillsThePageInAnyOrder)
{
    Rig rig;
    rig.fill(kA, UnitTag{});
    rig.send(open_program(rig.row(0, 0, 0, 0), kUnitColumns, 539, rig.cells));
    rig.fill(kB, UnitTag{});
    rig.send(write_column(0, kUnitColumns, rig.cells));
    rig.fill(UnitTag{}, UnitTag{}, 0x19);
    rig.send(write_column(kOobColumn, 16, rig.cells));
    rig.send_and_wait(lone_command(0x10));
    expect_page(rig, {0, 0, 0, 0}, kB, kA, 0x19);
    rig.expect_clean();
}

TEST(ChangeRowAddress, SendsTheDataToAnotherPage)
{
    Rig rig;
    rig.fill(kA, kB, 0x31);
    rig.send(open_program(rig.row(0, 1, 0, 0), 0, kPhysical, rig.cells));
    Segment s;
    s.command(0x85);
    column_row(s, kOobColumn, rig.row(0, 1, 6, 0));
    rig.fill(UnitTag{}, UnitTag{}, 0x32);
    s.burst(DataDirection::In, 16, &rig.cells);
    s.command(0x10);
    rig.send_and_wait(s);
    expect_page(rig, {0, 1, 6, 0}, kA, kB, 0x32);
    EXPECT_EQ(rig.store.next_page({0, 1, 0, 0}), 0u);
    rig.expect_clean();
}

config::Nand partial(u32 programs)
{
    config::Nand n = rig_nand();
    n.partial_programs = programs;
    return n;
}

/// One unit (4312 columns) of page 0 of block 0.
Segment unit_program(Rig& rig, u32 unit, UnitTag tag)
{
    rig.fill(tag, UnitTag{}, 0xff);
    return program(rig.row(0, 0, 0, 0), unit * kUnitColumns, kUnitColumns - 16, rig.cells);
}

TEST(PartialProgram, AddsToThePage)
{
    Rig rig(rig_geometry(), partial(4));
    rig.send_and_wait(unit_program(rig, 0, kA));
    rig.send_and_wait(unit_program(rig, 1, kB));
    rig.cells.oob.fill(0xf0);
    rig.send_and_wait(program(rig.row(0, 0, 0, 0), kOobColumn, 16, rig.cells));
    rig.cells.oob.fill(0x1f);
    rig.send_and_wait(program(rig.row(0, 0, 0, 0), kOobColumn, 16, rig.cells));
    expect_page(rig, {0, 0, 0, 0}, kA, kB, 0x10); // bits go from 1 to 0 only: F0h and 1Fh
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.expect_clean();
}

TEST(PartialProgram, OneTooManyFails)
{
    Rig rig(rig_geometry(), partial(2));
    rig.send_and_wait(unit_program(rig, 0, kA));
    rig.send_and_wait(unit_program(rig, 1, kB));
    EXPECT_EQ(rig.die_log.count(), 0u);
    rig.cells.oob.fill(0);
    rig.send_and_wait(program(rig.row(0, 0, 0, 0), kOobColumn, 16, rig.cells));
    expect_only(rig, Rule::PartialPrograms);
    EXPECT_EQ(rig.status(), 0xe1);
    expect_page(rig, {0, 0, 0, 0}, kA, kB, 0xff);
}

TEST(PartialProgram, CountsAnewAfterAnErase)
{
    Rig rig(rig_geometry(), partial(2));
    for (u32 round = 0; round < 2; ++round) {
        rig.send_and_wait(unit_program(rig, 0, kA));
        rig.send_and_wait(unit_program(rig, 1, kB));
        rig.send_and_wait(erase(rig.row(0, 0, 0, 0)));
    }
    rig.expect_clean();
}

TEST(PartialProgram, NotOfAPageThatHasASuccessor)
{
    Rig rig(rig_geometry(), partial(4));
    rig.send_and_wait(unit_program(rig, 0, kA));
    rig.program_page(rig.row(0, 0, 0, 1), kC, kD);
    rig.send_and_wait(unit_program(rig, 1, kB));
    expect_only(rig, Rule::NotErased);
}

TEST(PartialProgram, NotOfAUnitThatHoldsData)
{
    Rig rig(rig_geometry(), partial(4));
    rig.send_and_wait(unit_program(rig, 0, kA));
    rig.send_and_wait(unit_program(rig, 0, kB));
    expect_only(rig, Rule::NotErased);
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
}

} // namespace
} // namespace tlmssd::tb
