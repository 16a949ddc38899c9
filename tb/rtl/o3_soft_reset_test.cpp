// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: soft resets through the registers of o3_top.
#include <string>

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "tb/rtl/o3_abort.h"

namespace tlmssd::tb {
namespace {

using namespace flash::o3_regs;
using config::ControllerMode;

class O3SoftReset : public O3Abort, public testing::WithParamInterface<ControllerMode> {};

// Operations of all kinds at random, then the reset, then more of them. Those that the controller has complete once:
// erases and programs that had begun as without the reset, the others aborted (FakeFlash checks that). Those that wait
// at the port go in when the reset has ended, and none of them is aborted.
TEST_P(O3SoftReset, EndsEachOperationOnceAndLeavesTheControllerAsItWas)
{
    config.straps.mode = GetParam();
    config.tags = 256;
    times.random = true;
    constexpr u32 kFirst = 192, kNext = 64;
    u32 completed = 0, aborted = 0;
    bench().on_completion = [&](const flash_completion& c) {
        ++completed;
        aborted += c.status == FLASH_STATUS_ABORTED;
    };
    const auto random_op = [&](u32 i) {
        const u32 word = static_cast<u32>(draw64(5, 1, i));
        flash_op o = op(1 + word % 3, word >> 4 & 1, word >> 5 & 1, word >> 6 & 1, word >> 8 & 0xff);
        o.stream = static_cast<u16>(word >> 16 & 7);
        return planes(o, 1 + (word >> 20) % 4);
    };
    for (u32 i = 0; i < kFirst; ++i) {
        bench().submit_at(i * 10 * kClock, random_op(i));
    }
    soft_reset_at(10000000);
    EXPECT_EQ(read(kStatus) & (kStatusBusyMask | kStatusWindowFullMask), kStatusBusyMask | kStatusWindowFullMask);
    EXPECT_EQ(write(kMode, 0), 2u);
    EXPECT_EQ(write(kDoorbell, 1), 2u) << "the window takes none";
    for (u32 i = 0; i < kNext; ++i) {
        bench().submit_at(limit + i * kClock, random_op(kFirst + i));
    }
    soft_reset_ends();
    EXPECT_FALSE(HasFailure());
    const u32 before = completed;
    EXPECT_GT(aborted, 0u);
    if (GetParam() == ControllerMode::Ooo) { // the front holds none back
        EXPECT_EQ(before, kFirst) << "and none of those that wait at the port";
        EXPECT_GT(aborted, kFirst / 3);
    } else {
        EXPECT_LT(before, kFirst) << "the port gives none";
    }
    const u32 ended_so = aborted;
    run_to_the_end();
    EXPECT_EQ(completed, kFirst + kNext);
    EXPECT_EQ(aborted, ended_so);
    EXPECT_EQ(read(kMode), static_cast<u32>(GetParam() == ControllerMode::Ooo       ? 2
                                            : GetParam() == ControllerMode::InOrder ? 1 : 0));
}

INSTANTIATE_TEST_SUITE_P(Modes, O3SoftReset,
                         testing::Values(ControllerMode::Serial, ControllerMode::InOrder, ControllerMode::Ooo),
                         [](const testing::TestParamInfo<ControllerMode>& p) {
                             return std::string(p.param == ControllerMode::Serial ? "serial"
                                                : p.param == ControllerMode::Ooo  ? "ooo" : "inorder");
                         });

TEST_F(O3Abort, ASoftResetOfAnEmptyControllerEndsAtOnce)
{
    soft_reset_at(0);
    EXPECT_EQ(read(kCtrl), 0u);
    soft_reset_ends();
    bench().submit_at(limit, op(FLASH_OP_READ, 0, 0, 0));
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
}

// Held in the window it goes in and is aborted; its completion waits in the queue. The hold stays.
TEST_F(O3Abort, ASoftResetTakesTheOperationOfTheWindow)
{
    EXPECT_EQ(write(kCtrl, kCtrlHoldMask), 0u);
    ring(op(FLASH_OP_ERASE, 0, 0, 0));
    settle();
    EXPECT_EQ(read(kStatus), kStatusBusyMask | kStatusWindowFullMask);
    soft_reset_at(limit);
    soft_reset_ends();
    EXPECT_EQ(read(kStatus), kStatusCqAnyMask);
    EXPECT_EQ(read(kCtrl), kCtrlHoldMask);
    pop();
    settle();
    EXPECT_EQ(status(0), FLASH_STATUS_ABORTED);
    EXPECT_EQ(segments(0), 0u);
}

} // namespace
} // namespace tlmssd::tb
