// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_timer and o3_earliest against plain models. The model of a timer: a LUN's time is told
// once, never before it, and at the latest two scans later: the one under way and its own, three edges each
// to begin and to end and one a LUN, and two more for each timer that is set meanwhile.
#include <algorithm>

#include <VUnitEarliest.h>
#include <VUnitTimer.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 4;
constexpr u32 kTickMask = 0xffffff;

class TimerBench {
public:
    TimerBench(u64 seed, Goals& goals) : random(seed), goals_(goals)
    {
        // Near the point where ticks come round, so that they do.
        tick_ = (kTickMask - 2000 * (seed % 2)) & kTickMask;
        dut->set_i = dut->clear_i = dut->take_i = 0;
        dut->tick_i = tick_;
        dut.reset();
    }
    void cycle(bool more)
    {
        dut->set_i = dut->clear_i = dut->take_i = 0;
        if (random.percent(30)) {
            const u32 step = random.percent(10) ? random.below(400) : random.below(4);
            tick_ = (tick_ + step) & kTickMask;
            time_ += step;
        }
        dut->tick_i = tick_;
        const u32 set = random.below(kLuns), clear = random.below(kLuns);
        const u32 in = random.percent(10) ? 0 : random.below(100);
        const bool sets = more && random.percent(10);
        const bool clears = more && random.percent(5) && !(sets && clear == set);
        if (sets) {
            dut->set_i = 1;
            dut->set_lun_i = static_cast<u8>(set);
            dut->set_for_i = in;
        }
        if (clears) {
            dut->clear_i = 1;
            dut->clear_lun_i = static_cast<u8>(clear);
        }
        dut.settle();
        check_next();
        if (dut->any_o) {
            const u32 lun = dut->lun_o;
            ASSERT_TRUE(timed_[lun]) << "LUN " << lun << " has no time";
            ASSERT_LE(due_[lun], time_) << "told before its time";
            goals_.see("two have come", std::count_if(timed_, timed_ + kLuns, [](bool t) { return t; }) > 1 &&
                                            due_[(lun + 1) % kLuns] <= time_ && timed_[(lun + 1) % kLuns]);
            if (random.percent(60)) {
                dut->take_i = 1;
                dut->take_lun_i = static_cast<u8>(lun);
                dut.settle();
                timed_[lun] = false;
            }
        }
        bool late = false;
        for (u32 l = 0; l < kLuns; ++l) {
            late |= timed_[l] && due_[l] <= time_;
        }
        // A set takes the scan's cycle; one that is not taken hides those behind it.
        if (late && !dut->any_o) {
            ASSERT_LE(++silent_, 2 * (3 + kLuns) + 2 * sets_in_silence_) << "no time is reported";
            sets_in_silence_ += sets;
        } else {
            silent_ = sets_in_silence_ = 0;
        }
        // With nothing to tell it rests after the search under way and one more.
        const bool moves = dut->any_o || late || sets || clears;
        searching_ = !moves && dut->active_o ? searching_ + 1 : 0;
        ASSERT_LE(searching_, 2 * (3 + kLuns)) << "it searches without end";
        goals_.see("a time that has come is set anew", sets && timed_[set] && due_[set] <= time_);
        goals_.see("the earliest is cleared", clears && timed_[clear] && earliest() == due_[clear]);
        goals_.see("the earliest is put off", sets && timed_[set] && earliest() == due_[set] &&
                                                  time_ + in > due_[set]);
        goals_.see("at once", sets && in == 0);
        goals_.see("ticks come round", tick_ < 100);
        if (clears) {
            timed_[clear] = false;
        }
        if (sets) {
            timed_[set] = true;
            due_[set] = time_ + in;
        }
        dut.edge();
    }
    /// Times in the future only, and none due: no edge is needed before the one that is named.
    void expect_quiet() const
    {
        for (u32 l = 0; l < kLuns; ++l) {
            EXPECT_FALSE(timed_[l]) << "LUN " << l << " was never told";
        }
    }
    bool quiet() { return !dut->active_o && !dut->next_any_o; }

    Random random;
    ClockedDut<VUnitTimer> dut;

private:
    u64 earliest() const
    {
        u64 first = ~u64{0};
        for (u32 l = 0; l < kLuns; ++l) {
            first = timed_[l] ? std::min(first, due_[l]) : first;
        }
        return first;
    }
    /// An idle timer names a tick that is not after the earliest time: nobody sleeps through it.
    void check_next()
    {
        if (dut->active_o || earliest() == ~u64{0}) {
            return;
        }
        ASSERT_TRUE(dut->next_any_o) << "a time is running, and none is named";
        const u32 ahead = (dut->next_at_o - tick_) & kTickMask;
        ASSERT_LE(time_ + ahead, earliest()) << "the edge would come too late";
        goals_.see("named to the tick", time_ + ahead == earliest());
    }

    Goals& goals_;
    u32 tick_;
    u64 time_ = 0; ///< ticks that have passed
    bool timed_[kLuns] = {};
    u64 due_[kLuns] = {};
    u32 silent_ = 0, sets_in_silence_ = 0;
    u32 searching_ = 0; ///< edges that are needed while no time has come
};

TEST(UnitTimer, TellsEachTimeOnceAndInTime)
{
    Goals goals({"two have come", "a time that has come is set anew", "the earliest is cleared",
                 "the earliest is put off", "at once", "ticks come round", "named to the tick"});
    for (u64 seed = 0; seed < 6; ++seed) {
        TimerBench bench(seed, goals);
        for (u32 n = 0; n < 8000 && !testing::Test::HasFatalFailure(); ++n) {
            bench.cycle(true);
        }
        for (u32 n = 0; n < 3000 && !testing::Test::HasFatalFailure(); ++n) {
            bench.cycle(false);
        }
        bench.expect_quiet();
        EXPECT_TRUE(bench.quiet()) << "seed " << seed;
    }
    goals.expect_met();
}

// Five inputs, so the tree has three unused leaves; a time that has passed counts as far away.
TEST(UnitEarliest, IsTheLeastDistanceOfThoseThatCount)
{
    Goals goals({"none", "all five", "passed", "equal ones", "the last one"});
    Random random(1);
    Dut<VUnitEarliest> dut;
    for (u32 n = 0; n < 20000; ++n) {
        const u32 now = random.below(256);
        const u32 valid = random.below(32);
        u64 at = 0;
        u32 least = 256, with_least = 0, which = 0;
        for (u32 i = 0; i < 5; ++i) {
            const u32 time = random.percent(20) ? now : random.below(256);
            at |= u64{time} << 8 * i;
            if ((valid >> i & 1) == 0) {
                continue;
            }
            const u32 distance = (time - now) & 0xff;
            goals.see("passed", time < now);
            with_least = distance == least ? with_least + 1 : distance < least ? 1 : with_least;
            which = distance < least ? i : which;
            least = std::min(least, distance);
        }
        dut->now_i = static_cast<u8>(now);
        dut->valid_i = static_cast<u8>(valid);
        dut->at_i = at;
        dut.settle();
        ASSERT_EQ(dut->any_o, valid != 0);
        if (valid != 0) {
            ASSERT_EQ(dut->for_o, least);
            ASSERT_EQ(dut->at_o, (now + least) & 0xff);
            ASSERT_EQ(dut->over_o, now + least > 0xff);
        }
        goals.see("none", valid == 0);
        goals.see("all five", valid == 31);
        goals.see("equal ones", with_least > 1);
        goals.see("the last one", valid != 0 && which == 4 && with_least == 1);
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
