// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cells of one LUN, without its state machine.
#include <gtest/gtest.h>

#include "models/nand/lun/cell_array.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::tb {
namespace {

using nand::CellArray;
using nand::Place;
using nand::PlaneRegister;

struct Cells : testing::Test {
    config::Nand nand = make_part(50, 900, 3000);
    nand::PageStore store{small_geometry(), config::DataKind::Tags};
    onfi::ViolationLog log;
    nand::Device device{store, nand, log};
    CellArray cells{device};
    PlaneRegister sent;
    PlaneRegister read;
    const Place page{0, 1, 3, 0};

    Cells()
    {
        sent.tags[0] = {10, 1};
        sent.tags[1] = {11, 1};
        sent.oob[2] = 0x42;
    }
};

TEST_F(Cells, TakeTheTimesOfThePart)
{
    EXPECT_EQ(cells.read_time(page, 0), microseconds(50));
    EXPECT_EQ(cells.program_time(page), microseconds(900));
    EXPECT_EQ(cells.erase_time(page), microseconds(3000));
}

TEST_F(Cells, HoldWhatWasProgrammedUntilTheErase)
{
    EXPECT_TRUE(cells.program(page, sent, {}));
    EXPECT_EQ(store.next_page(page), 1u);
    cells.load(read, page, false, {}, 0);
    EXPECT_TRUE(read.valid);
    EXPECT_EQ(read.tags[1], (UnitTag{11, 1}));
    EXPECT_EQ(read.oob[2], 0x42);
    EXPECT_EQ(read.at.block, 3u);
    EXPECT_TRUE(cells.erase(page));
    cells.load(read, page, false, {}, 0);
    EXPECT_EQ(read.tags[1], UnitTag{});
    EXPECT_EQ(read.oob[2], 0xff);
    EXPECT_EQ(store.next_page(page), 0u);
}

TEST_F(Cells, ABrokenReadHasNoValidData)
{
    cells.load(read, page, true, {}, 0);
    EXPECT_FALSE(read.valid);
}

TEST_F(Cells, AFailedProgramSpendsThePage)
{
    cells.fail_programs();
    EXPECT_FALSE(cells.program(page, sent, {}));
    EXPECT_EQ(store.next_page(page), 1u);
    cells.load(read, page, false, {}, 0);
    EXPECT_NE(read.tags[0], (UnitTag{10, 1}));
    EXPECT_TRUE(cells.erase(page));
}

TEST_F(Cells, AFailedEraseKeepsTheContent)
{
    EXPECT_TRUE(cells.program(page, sent, {}));
    cells.fail_erases();
    EXPECT_FALSE(cells.erase(page));
    cells.load(read, page, false, {}, 0);
    EXPECT_EQ(read.tags[0], (UnitTag{10, 1}));
}

TEST_F(Cells, ASpoiledBlockFailsAlone)
{
    cells.spoil_block(1, 3);
    EXPECT_FALSE(cells.program(page, sent, {}));
    EXPECT_FALSE(cells.erase(page));
    EXPECT_TRUE(cells.program({0, 0, 3, 0}, sent, {})); // the block of the other plane
    EXPECT_TRUE(cells.program({0, 1, 4, 0}, sent, {}));
}

TEST_F(Cells, ATornProgramSpendsThePageToo)
{
    cells.tear_program(page, {});
    EXPECT_EQ(store.next_page(page), 1u);
}

} // namespace
} // namespace tlmssd::tb
