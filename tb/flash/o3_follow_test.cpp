// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core and cache operations: what may follow on a LUN, and when the LUN is free.
#include <gmock/gmock.h>

#include "tb/flash/o3_bench.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

constexpr u8 kHigh = 3;

/// What after() names for the LUN of `tag`; none: ~0.
u32 after(const O3Bench& b, u16 tag)
{
    u32 next = 0;
    return b.core.after(tag, b.now(), next) ? next : ~0u;
}

TEST(O3CoreFollow, NamesWhatTheLunWouldGetNext)
{
    O3Bench b(O3Bench::shape(1, 2));
    const u16 first = b.submit(b.read(0, 0, 10));
    EXPECT_EQ(after(b, first), ~0u) << "nothing waits";
    b.submit(b.read(1, 0, 10));
    b.submit(b.read(1, 1, 10));
    EXPECT_EQ(after(b, first), ~0u) << "another LUN's";
    const u16 plain = b.submit(b.read(0, 1));
    EXPECT_EQ(after(b, first), plain);
    const u16 high = b.submit(O3Bench::with(b.read(0, 2), kHigh));
    EXPECT_EQ(after(b, first), high);
    b.submit(O3Bench::with(b.read(0, 3), kHigh | FLASH_FLAG_FENCE));
    EXPECT_EQ(after(b, first), high) << "the fence is closed";
}

// The LUN is free when both have left it: at 20, not at 10.
TEST(O3CoreFollow, TheLunIsFreeWhenAllHaveLeft)
{
    O3Bench b(O3Bench::shape(1, 1));
    const u16 first = b.submit(b.read(0, 0, 10));
    const u16 second = b.submit(b.read(0, 1));
    const u16 third = b.submit(b.read(0, 2));
    b.core.follow(second);
    EXPECT_EQ(after(b, first), third);
    b.run_to(10);
    EXPECT_THAT(b.issued, ElementsAre(first)) << "the LUN is the second one's";
    b.core.release(second);
    EXPECT_EQ(b.core.end(second, b.now()), 0u);
    b.run_to(20);
    u32 tag = 0;
    ASSERT_TRUE(b.core.next(b.now(), tag));
    EXPECT_EQ(tag, third);
}

TEST(O3CoreFollow, InOrderItIsTheHeadOrNone)
{
    O3Bench::Shape s = O3Bench::shape(1, 2);
    s.mode = config::ControllerMode::InOrder;
    O3Bench b(s);
    const u16 first = b.submit(b.read(0, 0, 10));
    b.submit(b.read(1, 0, 10));
    const u16 blocks = b.submit(b.read(1, 1, 10));
    b.submit(b.read(0, 1, 10));
    EXPECT_EQ(after(b, first), ~0u) << "the head is for the other LUN";
    EXPECT_EQ(after(b, 1), blocks);
    s.mode = config::ControllerMode::Serial;
    O3Bench serial(s);
    const u16 only = serial.submit(serial.read(0, 0, 10));
    serial.submit(serial.read(0, 1, 10));
    EXPECT_EQ(after(serial, only), ~0u);
}

// 0: a fence waits for the end of all before it, and the first has not ended.
TEST(O3CoreFollow, InOrderAFenceDoesNotFollow)
{
    O3Bench::Shape s = O3Bench::shape(1, 1);
    s.mode = config::ControllerMode::InOrder;
    O3Bench b(s);
    const u16 first = b.submit(b.read(0, 0, 10));
    b.submit(O3Bench::with(b.read(0, 1, 10), FLASH_FLAG_FENCE));
    EXPECT_EQ(after(b, first), ~0u);
}

TEST(O3CoreFollow, WhatMayBeSuspendedDoesNotFollow)
{
    O3Bench::Shape s = O3Bench::shape(1, 1);
    s.suspend = config::Suspend::ProgramAndErase;
    O3Bench b(s);
    const u16 first = b.submit(b.read(0, 0, 10));
    b.submit(O3Bench::with(b.program(0, 1), FLASH_FLAG_SUSPENDABLE));
    EXPECT_EQ(after(b, first), ~0u);
}

} // namespace
} // namespace tlmssd::tb
