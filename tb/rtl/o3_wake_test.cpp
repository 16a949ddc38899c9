// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: when o3_top needs an edge (wake_at_o): the earlier of a poll and the sweep for LUNs that do not answer, near
// and far, also where the upper bits of the time change in between; and no_grant_i, which no other line moves with.
// now_i is in ps; a stamp, the unit of time limits, has 2^20, a tick, that of polls, 2^16.
#include <algorithm>
#include <cstring>
#include <string>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/o3_bus.h"

namespace tlmssd::tb {
namespace {

constexpr u64 kStamp = u64{1} << 20, kTick = u64{1} << 16, kRange = u64{1} << 40; // ps; ticks come round after kRange
constexpr u64 kPeriod = 5000;

class O3Wake : public O3Bus {
protected:
    O3Wake() { write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); } // one LUN
    /// Some edges after `ps`.
    void go_to(u64 ps) { cycle = ps / kPeriod + 1; }
    u64 now() const { return begun_at + cycle * kPeriod; }
    /// An erase whose die works from now on: its R/B# stays low, or it is polled.
    void begin_erase()
    {
        offer_erase();
        ASSERT_TRUE(top->seg_valid_o & 1);
        std::memset(&top->ready_i, 0, sizeof top->ready_i);
        top->seg_done_i = 1;
        edges(1);
        top->seg_done_i = 0;
        begun = now();
        edges(20);
    }
    u64 begun = 0; ///< when the segment ended
};

struct Times {
    const char* name;
    u64 from;  ///< ps, the first edge of a stamp
    u32 limit; ///< stamps
    u32 poll;  ///< ticks; 0: not polled
};
class O3WakeTimes : public O3Wake, public testing::WithParamInterface<Times> {};

TEST_P(O3WakeTimes, IsTheEarlierOfAPollAndASweep)
{
    const Times& t = GetParam();
    write(0x024, t.limit, 0xf);
    write(0x0a8, t.poll != 0, 0xf);
    write(0x0e8, t.poll, 0xf); // poll_erase
    go_to(t.from);
    begin_erase();
    ASSERT_LT(now(), t.from + kStamp);
    const u64 sweep = (t.from / kStamp + t.limit + 1) * kStamp;
    const u64 poll = (begun / kTick + t.poll) * kTick;
    ASSERT_TRUE(top->idle_o);
    if (t.poll == 0 || sweep < poll) {
        EXPECT_EQ(top->wake_at_o, sweep);
    } else {
        EXPECT_GE(top->wake_at_o, poll);
        EXPECT_LE(top->wake_at_o, poll + 2 * kTick) << "the tick that has begun, and the edge at which it is set";
    }
}

constexpr u32 kFar = 1u << 21;
INSTANTIATE_TEST_SUITE_P(Of, O3WakeTimes,
                         testing::Values(Times{"ASweep", kStamp * 100, 3, 0},
                                         Times{"AFarSweep", kStamp * 100, kFar, 0},
                                         Times{"ASweepBeyondTheChange", kRange - kStamp, 3, 0},
                                         Times{"APollBeforeASweep", kStamp * 100, 3, 20},
                                         Times{"ASweepBeforeAPoll", kStamp * 100, 3, 200},
                                         Times{"APollBeforeAFarSweep", kStamp * 100, kFar, 200},
                                         Times{"APollBeforeASweepBeyondTheChange", kRange - kStamp, 3, 8},
                                         Times{"BothBeyondTheChangeThePollFirst", kRange - kStamp, 3, 30},
                                         Times{"BothBeyondTheChangeTheSweepFirst", kRange - kStamp, 3, 200},
                                         Times{"AFarSweepOfLowBitsBeforeNow", kRange - kStamp, kFar - 2, 8}),
                         [](const auto& of) { return std::string(of.param.name); });

// The same low bits as now, a whole range of ticks away: it is not now.
TEST_F(O3Wake, ASweepARangeAwayIsNotNow)
{
    const u64 stamps = kRange / kStamp;
    write(0x024, static_cast<u32>(stamps) + 5, 0xf);
    go_to(kStamp * 100);
    begin_erase();
    const u64 sweep = (100 + stamps + 6) * kStamp;
    EXPECT_EQ(top->wake_at_o, sweep);
    go_to(kStamp * 106);
    edges(2);
    EXPECT_EQ(top->wake_at_o, sweep);
}

// It is not idle at the edge of a sweep. The first marks the LUN that waits, the second gives it up.
TEST_F(O3Wake, ASweepIsNotIdle)
{
    write(0x024, 3, 0xf);
    go_to(kStamp * 100);
    begin_erase();
    for (const u64 sweep : {104, 108}) {
        EXPECT_TRUE(top->idle_o);
        ASSERT_EQ(top->wake_at_o, sweep * kStamp);
        go_to(sweep * kStamp);
        edge();
        EXPECT_FALSE(top->idle_o);
        edges(10);
    }
    EXPECT_EQ(read(0x014).data, 0u) << "no operation is left";
}

// No edge came at the time of a sweep: the next edge is needed at once, and makes up for it. The second case is late by
// the change of the upper bits of the time.
TEST_F(O3Wake, ALateSweepIsDueAtOnce)
{
    struct Late {
        u64 from, first, second; ///< stamps: the erase begins, the edges after two sweeps
    };
    constexpr u64 kChange = kRange / kStamp;
    write(0x024, 3, 0xf);
    for (const Late& late : {Late{100, 107, 112}, Late{kChange - 5, kChange + 2, kChange + 7}}) {
        go_to(late.from * kStamp);
        begin_erase();
        u64 sweep = late.from + 4;
        for (const u64 at : {late.first, late.second}) {
            ASSERT_EQ(top->wake_at_o, sweep * kStamp);
            EXPECT_TRUE(top->idle_o);
            go_to(at * kStamp + 3 * kTick);
            edge();
            EXPECT_FALSE(top->idle_o);
            EXPECT_EQ(top->wake_at_o, sweep * kStamp) << "it is past";
            sweep = at + 4;
            edges(10);
        }
        EXPECT_EQ(read(0x014).data, 0u) << "no operation is left";
        std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
        edges(10);
    }
}

// Whatever the time is; the last one needs all 64 bits.
TEST_F(O3Wake, ASweepHasAllBitsOfTheTime)
{
    write(0x024, 3, 0xf);
    for (const u64 from : {0x2aaa'aaaa'aaaa'aaaaull, 0x5555'5555'5555'5555ull, 0xaaaa'aaaa'aaaa'aaaaull}) {
        const u64 stamp = from / kStamp;
        begun_at = stamp * kStamp - cycle * kPeriod;
        begin_erase();
        ASSERT_EQ(now() / kStamp, stamp);
        EXPECT_EQ(top->wake_at_o, (stamp + 4) * kStamp);
        edges(100); // R/B# is not looked at before
        std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
        edges(20);
        ASSERT_TRUE(top->seg_valid_o & 1) << "its status is read";
        end_segment(0x60);
        EXPECT_EQ(top->wake_at_o, ~u64{0});
    }
}

// No LUN of a channel answers. The second sweep gives up all of them; nothing starts on them after that, so
// that another erase ends at once, without a segment. After a RESET that ends well they are in use again.
TEST_F(O3Wake, EachLunThatDoesNotAnswerIsGivenUp)
{
    constexpr u32 kCes = std::min<u32>(TLMSSD_RTL_LUNS, 16), kAll = (1u << kCes) - 1;
    write(0x028, 1u | kCes << 8 | 1u << 16, 0xf);
    write(0x024, 3, 0xf);
    go_to(kStamp * 100);
    std::memset(&top->ready_i, 0, sizeof top->ready_i);
    for (u32 ce = 0; ce < kCes; ++ce) {
        offer_erase(ce);
        ASSERT_TRUE(top->seg_valid_o & 1);
        EXPECT_EQ(flash::port_bits(top->seg_ce_o, 0, 8), ce);
        end_segment(0);
    }
    u32 ended = 0; // bit by tag
    const auto watch = [&](u32 edges, u32 status = FLASH_STATUS_TIMEOUT) {
        for (u32 n = 0; n < edges; ++n) {
            if (top->done_valid_o) {
                EXPECT_EQ(top->done_status_o, status);
                ended |= 1u << top->done_tag_o;
            }
            edge();
        }
    };
    for (const u64 sweep : {104, 108}) {
        EXPECT_EQ(top->wake_at_o, sweep * kStamp) << "from the first of them";
        EXPECT_EQ(ended, 0u);
        go_to(sweep * kStamp);
        watch(40 * kCes);
    }
    EXPECT_EQ(ended, kAll);
    ended = 0;
    for (u32 ce = 0; ce < kCes; ++ce) {
        top->done_ready_i = 0;
        offer_erase(ce);
        EXPECT_FALSE(top->seg_valid_o & 1);
        top->done_ready_i = 1;
        watch(20);
    }
    EXPECT_EQ(ended, kAll);
    ended = 0;
    for (u32 ce = 0; ce < kCes; ++ce) {
        offer(FLASH_OP_RESET, ce, ce);
        ASSERT_TRUE(top->seg_valid_o & 1);
        end_segment(0);
    }
    edges(100); // R/B# is not looked at before
    std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
    watch(40 * kCes, FLASH_STATUS_OK);
    EXPECT_EQ(ended, kAll);
    offer_erase(kCes - 1);
    EXPECT_TRUE(top->seg_valid_o & 1);
}

// No other line changes: the fault holds from the operation after it on, and ends with it.
TEST_F(O3Wake, NoGrantCountsWithoutAnotherLine)
{
    top->no_grant_i = (1u << TLMSSD_RTL_CHANNELS) - 1;
    edges(10);
    offer_erase();
    edges(100);
    EXPECT_FALSE(top->seg_valid_o & 1);
    top->no_grant_i = 0;
    edges(20);
    EXPECT_TRUE(top->seg_valid_o & 1);
}

} // namespace
} // namespace tlmssd::tb
