// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: order of programs in a block.
#include <gtest/gtest.h>

#include "models/onfi/checker/page_order.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using onfi::PageOrder;
using onfi::Rule;

TEST(PageOrder, NumbersBlocksByDiePlaneAndBlock)
{
    const PageOrder order(small_geometry().dies(2), 1); // 2 planes of 8 blocks
    EXPECT_EQ(order.block_at(0, 0, 7), 7u);
    EXPECT_EQ(order.block_at(0, 1, 0), 8u);
    EXPECT_EQ(order.block_at(1, 1, 3), 27u);
}

TEST(PageOrder, AllowsTheNextPageAlone)
{
    PageOrder order(small_geometry(), 1);
    EXPECT_EQ(order.judge(3, 1), Rule::PageOrder);
    EXPECT_EQ(order.judge(3, 0), Rule::None);
    order.program(3, 0);
    EXPECT_EQ(order.judge(3, 0), Rule::NotErased);
    EXPECT_EQ(order.judge(3, 1), Rule::None);
    EXPECT_EQ(order.judge(4, 0), Rule::None); // another block
}

TEST(PageOrder, TheLastPageMayBeProgrammedAsOftenAsThePartAllows)
{
    PageOrder order(small_geometry(), 3);
    order.program(0, 0);
    order.program(0, 0);
    EXPECT_EQ(order.judge(0, 0), Rule::None); // the third
    order.program(0, 0);
    EXPECT_EQ(order.judge(0, 0), Rule::PartialPrograms);
    order.program(0, 1);
    EXPECT_EQ(order.judge(0, 0), Rule::NotErased);
    EXPECT_EQ(order.judge(0, 1), Rule::None); // counted from one again
}

TEST(PageOrder, AnErasedBlockStartsAgain)
{
    PageOrder order(small_geometry(), 2);
    order.learn(5, 4);
    EXPECT_EQ(order.judge(5, 0), Rule::NotErased);
    order.learn(5, 0);
    EXPECT_EQ(order.judge(5, 0), Rule::None);
    EXPECT_EQ(order.judge(5, 1), Rule::PageOrder);
}

TEST(PageOrder, BelievesWhatItIsGiven)
{
    PageOrder order(small_geometry(), 1);
    order.believe(2, 3);
    EXPECT_EQ(order.judge(2, 3), Rule::None);
}

} // namespace
} // namespace tlmssd::tb
