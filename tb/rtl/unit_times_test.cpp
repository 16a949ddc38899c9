// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_times where LUNs are polled: which comes first after a resume, the time that the operation may
// not be suspended or its poll. Equal: it may be suspended, and the poll is due at once afterwards.
#include <string>

#include <VUnitTimes.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 4, kLun = 2;
constexpr u32 kErase = 3;                              // flash_op_pkg::FLASH_OP_ERASE
constexpr u32 kCommand = 0, kSuspend = 5, kResume = 6; // o3_pkg::PHASE_*
constexpr u32 kPollErase = 60, kPollSuspend = 3;       // ticks
constexpr u32 kEdges = 2 * (3 + kLuns);                // until a time that has come shows

/// An erase that is suspended 20 ticks after it has begun: 40 are left until its poll.
class TimesBench {
public:
    TimesBench()
    {
        dut->poll_i = 1;
        for (u32 word = 0; word < 7; ++word) {
            dut->poll_times_i[word] = 0;
        }
        set_poll_time(2, kPollErase);   // o3_pkg::POLL_ERASE
        set_poll_time(6, kPollSuspend); // o3_pkg::POLL_SUSPEND_ERASE
        quiet();
        dut->tick_i = 1000;
        dut->progress_i = 0;
        dut.reset();
        event(kCommand, true);
        EXPECT_TRUE(dut->at_once_o);
        dut.edge();
        quiet();
        dut->tick_i = 1020;
        dut->stop_i = 1;
        dut->stop_lun_i = kLun;
        dut.settle();
        dut.edge();
        event(kSuspend, false);
        dut.edge();
        quiet();
        dut->stop_i = 1;
        dut->stop_lun_i = kLun;
        dut.settle();
        dut.edge();
        quiet();
    }
    void set_poll_time(u32 which, u32 ticks)
    {
        for (u32 bit = 0; bit < 24; ++bit) {
            const u32 at = which * 24 + bit;
            dut->poll_times_i[at / 32] &= ~(1u << at % 32);
            dut->poll_times_i[at / 32] |= (ticks >> bit & 1) << at % 32;
        }
    }
    void quiet()
    {
        dut->act_i = dut->decide_i = 0;
        dut->pending_run_i = dut->then_i = dut->set_wait_i = dut->busy_yet_i = dut->arm_i = 0;
        dut->clear_i = dut->stop_i = dut->take_i = dut->due_i = 0;
    }
    void event(u32 phase, bool arm)
    {
        quiet();
        dut->act_i = dut->decide_i = 0;
        dut->pending_run_i = dut->set_wait_i = 1;
        dut->ev_lun_i = kLun;
        dut->opc_i = kErase;
        dut->last_i = dut->plane_i = dut->alone_i = 0;
        dut->phase_i = static_cast<u8>(phase);
        dut->arm_i = arm;
        act();
    }
    void act()
    {
        dut->decide_i = 1;
        dut.settle();
        dut.edge();
        dut->decide_i = 0;
        dut->act_i = 1;
        dut.settle();
    }
    /// Ticks from now until the timer of the LUN tells, at most `most`.
    u32 ticks_until_fired(u32 most)
    {
        for (u32 ticks = 0;; ++ticks) {
            for (u32 i = 0; i < kEdges; ++i) {
                dut.settle();
                if (dut->any_o) {
                    EXPECT_EQ(dut->lun_o, kLun);
                    return ticks;
                }
                dut.edge();
            }
            if (ticks == most) {
                return most + 1;
            }
            dut->tick_i = dut->tick_i + 1;
        }
    }
    ClockedDut<VUnitTimes> dut;
};

TEST(UnitTimes, WhatIsDueFirstAfterAResumeComesFirst)
{
    constexpr u32 kLeft = kPollErase - 20;
    for (const u32 progress : {1u, kLeft - 1, kLeft, kLeft + 1, kPollErase}) {
        SCOPED_TRACE("progress " + std::to_string(progress));
        const bool progress_first = progress <= kLeft;
        TimesBench bench;
        auto& dut = bench.dut;
        dut->progress_i = progress;
        dut->tick_i = 5000;
        bench.event(kResume, true);
        EXPECT_FALSE(dut->at_once_o);
        EXPECT_EQ(dut->arm_later_o != 0, progress_first);
        dut.edge();
        bench.quiet();
        if (!progress_first) {
            EXPECT_EQ(bench.ticks_until_fired(100), kLeft);
            continue;
        }
        EXPECT_EQ(bench.ticks_until_fired(100), progress);
        dut->take_i = 1; // it may be suspended now; on to the poll
        bench.act();
        dut.edge();
        bench.quiet();
        EXPECT_EQ(bench.ticks_until_fired(100), kLeft - progress);
    }
}

// Plane 1 of a read of 4 planes: between planes, read again alone, and a read-retry level that is set.
TEST(UnitTimes, ARetryHasTheTimesOfAReadAndOfItsLevel)
{
    constexpr u32 kRead = 1; // flash_op_pkg::FLASH_OP_READ
    constexpr u32 kFeature = 4; // o3_pkg::PHASE_FEATURE
    constexpr u32 kPollRead = 11, kPollQueue = 5, kPollFeature = 17;
    struct Case {
        u32 phase;
        bool alone;
        u32 ticks;
    };
    for (const Case& c : {Case{kCommand, false, kPollQueue}, Case{kCommand, true, kPollRead},
                          Case{kFeature, false, kPollFeature}, Case{kFeature, true, kPollFeature}}) {
        SCOPED_TRACE("phase " + std::to_string(c.phase) + (c.alone ? " alone" : ""));
        TimesBench bench;
        auto& dut = bench.dut;
        bench.set_poll_time(0, kPollRead);    // o3_pkg::POLL_READ
        bench.set_poll_time(3, kPollQueue);   // o3_pkg::POLL_QUEUE
        bench.set_poll_time(8, kPollFeature); // o3_pkg::POLL_FEATURE
        dut->set_wait_i = 1;
        dut->opc_i = kRead;
        dut->last_i = 3;
        dut->plane_i = 1;
        dut->phase_i = static_cast<u8>(c.phase);
        dut->alone_i = c.alone;
        bench.act();
        dut.edge();
        bench.quiet();
        EXPECT_EQ(bench.ticks_until_fired(100), c.ticks);
    }
}

// Each kind of wait has the time of its own register (o3_pkg::POLL_*): what it is of, and whether a poll found it busy.
TEST(UnitTimes, EachWaitHasItsOwnPollTime)
{
    constexpr u32 kRead = 1, kProgram = 2, kReset = 4; // flash_op_pkg::FLASH_OP_*
    constexpr u32 kDataIn = 2, kFeature = 4;           // o3_pkg::PHASE_*
    constexpr u32 kPolls = 9;
    struct Case {
        const char* what;
        u32 opcode, phase, plane;
        bool busy_yet;
        u32 poll; ///< o3_pkg::POLL_*
    };
    for (const Case& c : {
             Case{"a read", kRead, kCommand, 1, false, 0},
             Case{"a program", kProgram, kDataIn, 1, false, 1},
             Case{"an erase", kErase, kCommand, 1, false, 2},
             Case{"a program's first plane", kProgram, kDataIn, 0, false, 3},
             Case{"an erase's first plane", kErase, kCommand, 0, false, 3},
             Case{"a reset", kReset, kCommand, 0, false, 4},
             Case{"a suspend of a program", kProgram, kSuspend, 1, false, 5},
             Case{"a suspend of an erase", kErase, kSuspend, 1, false, 6},
             Case{"a program that is busy yet", kProgram, kDataIn, 1, true, 7},
             Case{"a suspend that is busy yet", kErase, kSuspend, 1, true, 7},
             Case{"a level of a program", kProgram, kFeature, 1, false, 8},
         }) {
        SCOPED_TRACE(c.what);
        TimesBench bench;
        auto& dut = bench.dut;
        for (u32 poll = 0; poll < kPolls; ++poll) {
            bench.set_poll_time(poll, 10 + 7 * poll);
        }
        dut->set_wait_i = !c.busy_yet;
        dut->busy_yet_i = c.busy_yet;
        dut->opc_i = static_cast<u8>(c.opcode);
        dut->last_i = 1;
        dut->plane_i = static_cast<u8>(c.plane);
        dut->phase_i = static_cast<u8>(c.phase);
        dut->alone_i = 0;
        bench.act();
        EXPECT_FALSE(dut->at_once_o || dut->arm_later_o) << "it may be suspended where it says so";
        dut.edge();
        bench.quiet();
        EXPECT_EQ(bench.ticks_until_fired(100), 10 + 7 * c.poll);
    }
}

// With no time to make progress, or where it may not be suspended, only the poll comes; a poll that finds it busy lets
// it be suspended at once.
TEST(UnitTimes, OnlyAResumeThatMayBeSuspendedWaitsForItsProgress)
{
    constexpr u32 kLeft = kPollErase - 20, kAgain = 25;
    struct Case {
        u32 progress;
        bool arm, busy_yet;
        bool at_once;
        u32 ticks;
    };
    for (const Case& c : {Case{0, true, false, true, kLeft}, Case{10, false, false, false, kLeft},
                          Case{10, true, true, true, kAgain}}) {
        SCOPED_TRACE("progress " + std::to_string(c.progress));
        TimesBench bench;
        auto& dut = bench.dut;
        bench.set_poll_time(7, kAgain); // o3_pkg::POLL_AGAIN
        dut->progress_i = c.progress;
        dut->set_wait_i = !c.busy_yet;
        dut->busy_yet_i = c.busy_yet;
        dut->pending_run_i = 1;
        dut->arm_i = c.arm;
        dut->phase_i = kResume;
        bench.act();
        EXPECT_EQ(dut->at_once_o != 0, c.at_once);
        EXPECT_FALSE(dut->arm_later_o);
        dut.edge();
        bench.quiet();
        EXPECT_EQ(bench.ticks_until_fired(100), c.ticks);
    }
}

// A poll that is due sets no other time: its answer does. Nor does one that finds it busy where a suspend comes next;
// the time until the next poll is kept for the resume.
TEST(UnitTimes, APollIsSetByTheAnswerOfTheOneBefore)
{
    constexpr u32 kAgain = 25, kMost = 100;
    TimesBench bench;
    auto& dut = bench.dut;
    bench.set_poll_time(7, kAgain); // o3_pkg::POLL_AGAIN
    bench.event(kResume, false);
    dut.edge();
    bench.quiet();
    EXPECT_EQ(bench.ticks_until_fired(kMost), kPollErase - 20);
    dut->take_i = dut->due_i = 1;
    dut->phase_i = kResume;
    bench.act();
    dut.edge();
    bench.quiet();
    EXPECT_EQ(bench.ticks_until_fired(kMost), kMost + 1);
    EXPECT_FALSE(dut->next_any_o) << "no time runs while it is polled";
    dut->busy_yet_i = dut->then_i = dut->pending_run_i = 1;
    bench.act();
    dut.edge();
    bench.quiet();
    EXPECT_EQ(bench.ticks_until_fired(kMost - 90), kMost - 90 + 1);
    EXPECT_FALSE(dut->next_any_o) << "the suspend comes first";
    bench.event(kSuspend, false); // 10 ticks after the poll
    dut.edge();
    bench.quiet();
    dut->stop_i = 1; // its own time does not matter here
    dut->stop_lun_i = kLun;
    dut.settle();
    dut.edge();
    bench.event(kResume, false);
    dut.edge();
    bench.quiet();
    EXPECT_EQ(bench.ticks_until_fired(kMost), kAgain - 10);
}

// Polls of all LUNs at a time, of long times: each comes at its tick, also where ticks come round.
TEST(UnitTimes, EachLunIsPolledInItsOwnTime)
{
    constexpr u32 kMask = 0xffffff;
    TimesBench bench;
    auto& dut = bench.dut;
    for (const u32 now : {0x000000u, 0x555555u, 0xaaaaaau, 0xfffff0u}) {
        for (const u32 wait : {0x2aaaaau, 0x555555u, 0x7ffff0u}) { // below half the range of ticks
            SCOPED_TRACE("at " + std::to_string(now) + " for " + std::to_string(wait));
            for (u32 lun = 0; lun < kLuns; ++lun) {
                bench.set_poll_time(2, wait + lun); // o3_pkg::POLL_ERASE
                dut->tick_i = now;
                bench.event(kCommand, true);
                dut->ev_lun_i = static_cast<u8>(lun);
                dut->act_i = 0;
                bench.act();
                dut.edge();
                bench.quiet();
                dut.edge();
            }
            for (u32 lun = 0; lun < kLuns; ++lun) {
                dut->tick_i = (now + wait + lun - 1) & kMask;
                for (u32 i = 0; i < kEdges; ++i) {
                    ASSERT_FALSE(dut->any_o) << "LUN " << lun;
                    dut.edge();
                }
                dut->tick_i = (now + wait + lun) & kMask;
                for (u32 i = 0; i < kEdges && !dut->any_o; ++i) {
                    dut.edge();
                }
                ASSERT_TRUE(dut->any_o) << "LUN " << lun;
                ASSERT_EQ(dut->lun_o, lun);
                dut->take_i = dut->due_i = 1;
                dut->ev_lun_i = static_cast<u8>(lun);
                bench.act();
                dut.edge();
                bench.quiet();
                dut.settle();
            }
        }
    }
}

} // namespace
} // namespace tlmssd::tb
