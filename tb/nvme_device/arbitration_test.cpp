// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: turns of submission queues, expected orders by hand.
#include "models/nvme_device/core/arbitration.h"

#include <gmock/gmock.h>

#include <string>

namespace tlmssd::nvme_device {
namespace {

/// Queues with commands; the order in which they are taken, a letter each.
struct Turns : testing::Test {
    Arbitration a;
    std::array<u32, 64> waiting{};

    std::string take(u32 commands)
    {
        std::string order;
        while (order.size() < commands) {
            u64 ready = 0;
            for (u32 i = 0; i < 64; ++i) {
                ready |= u64{waiting[i] != 0} << i;
            }
            const Arbitration::Turn t = a.next(ready);
            if (t.queue == Arbitration::kNone) {
                return order + ".";
            }
            const u32 count = std::min(t.most, waiting[t.queue]);
            a.took(count);
            waiting[t.queue] -= count;
            order += std::string(count, static_cast<char>('a' + t.queue));
        }
        return order;
    }
};

TEST_F(Turns, RoundRobin)
{
    a.set_up(false, 0);
    for (u32 i = 0; i < 3; ++i) {
        a.add(i, i); // classes have no meaning
    }
    waiting = {3, 1, 2};
    EXPECT_EQ(take(10), "abcaca.");
}

TEST_F(Turns, Burst)
{
    a.set_up(false, 1); // 2
    a.add(0, 0);
    a.add(1, 0);
    waiting = {5, 3};
    EXPECT_EQ(take(8), "aabbaaba");
}

TEST_F(Turns, UnlimitedBurst)
{
    a.set_up(false, 7);
    a.add(0, 0);
    a.add(1, 0);
    waiting = {4, 4};
    EXPECT_EQ(take(8), "aaaabbbb");
}

TEST_F(Turns, LastQueueIsFollowedByTheFirst)
{
    a.set_up(false, 0);
    a.add(0, 0);
    a.add(63, 0);
    waiting[0] = waiting[63] = 2;
    std::string order = take(4);
    EXPECT_EQ(order[0], 'a');
    EXPECT_EQ(order[1], order[3]);
    EXPECT_EQ(order[2], 'a');
}

// Weights: low 1, medium 2, high 3 (from 0 in the feature). a urgent, b high, c medium, d low.
TEST_F(Turns, Weighted)
{
    a.set_up(true, 0x02010000);
    for (u32 i = 0; i < 4; ++i) {
        a.add(i, i);
    }
    waiting = {2, 7, 5, 3};
    EXPECT_EQ(take(17), "aabbbccdbbbccdbcd");
}

TEST_F(Turns, UrgentComesBetween)
{
    a.set_up(true, 0x02010000);
    a.add(0, 0);
    a.add(1, 1);
    waiting = {0, 4};
    EXPECT_EQ(take(2), "bb");
    waiting[0] = 1;
    EXPECT_EQ(take(3), "abb");
}

TEST_F(Turns, RemovedQueueHasNoTurn)
{
    a.set_up(false, 7);
    a.add(0, 0);
    a.add(1, 0);
    waiting = {2, 2};
    a.remove(0);
    EXPECT_EQ(take(4), "bb.");
}

} // namespace
} // namespace tlmssd::nvme_device
