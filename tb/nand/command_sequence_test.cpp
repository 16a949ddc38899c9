// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the open sequence of a target, and row addresses.
#include <gtest/gtest.h>

#include "models/nand/target/command_sequence.h"
#include "models/nand/target/row_address.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using nand::CommandSequence;
using nand::RowAddress;
using nand::RowLayout;

TEST(CommandSequence, CollectsColumnAndRowLowByteFirst)
{
    CommandSequence s;
    s.open(0x00);
    s.add(0x1234, 2);
    s.add(0xabcdef, 3);
    EXPECT_EQ(s.address_count, 5u);
    EXPECT_EQ(s.column(), 0x1234u);
    EXPECT_EQ(s.row_after_column(), 0xabcdefu);
}

TEST(CommandSequence, ThreeCyclesAloneAreARow)
{
    CommandSequence s;
    s.open(0x60);
    s.add(0x030201, 3);
    EXPECT_EQ(s.row(), 0x030201u);
}

TEST(CommandSequence, CountsCyclesThatItDoesNotKeep)
{
    CommandSequence s;
    s.open(0x00);
    s.add(0x5544332211, 5);
    s.add(0xff, 1);
    EXPECT_EQ(s.address_count, 6u);
    EXPECT_EQ(s.addresses, 0x5544332211u);
}

TEST(CommandSequence, OnlyABareReadOrADeadSequenceMayBeLeft)
{
    CommandSequence s;
    EXPECT_TRUE(s.may_be_left());
    s.open(0x00);
    EXPECT_TRUE(s.may_be_left());
    s.add(0, 1);
    EXPECT_FALSE(s.may_be_left());
    s.open(0x80);
    EXPECT_FALSE(s.may_be_left());
    s.dead = true;
    EXPECT_TRUE(s.may_be_left());
}

TEST(CommandSequence, OpeningForgetsTheOneBefore)
{
    CommandSequence s;
    s.open(0x80);
    s.add(7, 5);
    s.programming = s.changing = s.dead = true;
    s.open(0x60);
    EXPECT_EQ(s.address_count, 0u);
    EXPECT_EQ(s.addresses, 0u);
    EXPECT_FALSE(s.programming || s.changing || s.dead);
}

// Page 2 bits | plane 1 | block 3 | LUN.
TEST(RowLayout, TakesARowApart)
{
    const RowLayout layout(small_geometry().dies(2));
    const RowAddress row = layout.split(0b1'101'1'10);
    EXPECT_EQ(row.lun, 1u);
    EXPECT_EQ(row.place.block, 5u);
    EXPECT_EQ(row.place.plane, 1u);
    EXPECT_EQ(row.place.page, 2u);
    EXPECT_TRUE(layout.contains(row));
}

TEST(RowLayout, KnowsWhatIsOutsideThePart)
{
    const RowLayout layout(make_geometry().planes(1).blocks(5).pages(3)); // page 2 bits, block 3
    EXPECT_TRUE(layout.contains(layout.split(0b100'10)));
    EXPECT_FALSE(layout.contains(layout.split(0b100'11))); // page 3
    EXPECT_FALSE(layout.contains(layout.split(0b101'00))); // block 5
    EXPECT_FALSE(layout.contains(layout.split(0b1'000'00))); // LUN 1
}

} // namespace
} // namespace tlmssd::tb
