// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: turns of submission queues against sequences worked out by hand.
#include "models/nvme/arbiter.h"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

namespace tlmssd::nvme {
namespace {

using testing::ElementsAre;

config::Nvme round_robin(u32 queues, u32 burst)
{
    config::Nvme c;
    c.queues = queues;
    c.arbitration_burst = burst;
    return c;
}

config::Nvme weighted(const std::string& classes, u32 high, u32 medium, u32 low, u32 burst)
{
    config::Nvme c;
    c.queues = static_cast<u32>(classes.size());
    c.arbitration = config::NvmeArbitration::Weighted;
    c.arbitration_burst = burst;
    c.classes = classes;
    c.high_weight = high;
    c.medium_weight = medium;
    c.low_weight = low;
    return c;
}

/// "queue x count" of the turns until nothing is left, or `turns` of them.
std::vector<std::string> turns(Arbiter& a, u32 most, u32 number = 100)
{
    std::vector<std::string> all;
    while (!a.empty() && all.size() < number) {
        const Arbiter::Turn t = a.next(most);
        all.push_back(std::to_string(t.queue) + "x" + std::to_string(t.count));
    }
    return all;
}

TEST(RoundRobin, OneEach)
{
    Arbiter a(round_robin(3, 1));
    a.add(0, 2);
    a.add(2, 3);
    EXPECT_EQ(a.waiting(), 5u);
    EXPECT_THAT(turns(a, 64), ElementsAre("0x1", "2x1", "0x1", "2x1", "2x1"));
}

TEST(RoundRobin, ABurstEach)
{
    Arbiter a(round_robin(3, 2));
    a.add(0, 3);
    a.add(1, 5);
    EXPECT_THAT(turns(a, 64), ElementsAre("0x2", "1x2", "0x1", "1x2", "1x1"));
}

TEST(RoundRobin, ABurstGoesOnWhereTheDeviceWasFull)
{
    Arbiter a(round_robin(2, 3));
    a.add(0, 4);
    a.add(1, 2);
    EXPECT_THAT(turns(a, 2), ElementsAre("0x2", "0x1", "1x2", "0x1"));
}

TEST(RoundRobin, AnEmptyQueueLosesItsTurn)
{
    Arbiter a(round_robin(2, 4));
    a.add(0, 1);
    EXPECT_THAT(turns(a, 64), ElementsAre("0x1"));
    a.add(0, 1);
    a.add(1, 1);
    EXPECT_THAT(turns(a, 64), ElementsAre("1x1", "0x1"));
}

TEST(RoundRobin, WithoutLimitAQueueIsEmptied)
{
    Arbiter a(round_robin(2, 0));
    a.add(0, 300);
    a.add(1, 2);
    EXPECT_THAT(turns(a, 1024), ElementsAre("0x300", "1x2"));
}

// Weights 3, 2, 1: a round is three of high, two of medium, one of low.
TEST(Weighted, RoundsByWeight)
{
    Arbiter a(weighted("hml", 3, 2, 1, 0));
    a.add(0, 6);
    a.add(1, 4);
    a.add(2, 4);
    EXPECT_THAT(turns(a, 64), ElementsAre("0x3", "1x2", "2x1", "0x3", "1x2", "2x1", "2x1", "2x1"));
}

TEST(Weighted, TheBurstDividesAClassAmongItsQueues)
{
    Arbiter a(weighted("hhl", 3, 1, 1, 1));
    a.add(0, 9);
    a.add(1, 9);
    a.add(2, 9);
    EXPECT_THAT(turns(a, 64, 9), ElementsAre("0x1", "1x1", "0x1", "2x1", "1x1", "0x1", "1x1", "2x1", "0x1"));
}

TEST(Weighted, UrgentGoesFirstAndTheRoundGoesOn)
{
    Arbiter a(weighted("uhl", 4, 1, 1, 2));
    a.add(1, 6);
    a.add(2, 2);
    EXPECT_THAT(turns(a, 64, 1), ElementsAre("1x2"));
    a.add(0, 3);
    EXPECT_THAT(turns(a, 64), ElementsAre("0x2", "0x1", "1x2", "2x1", "1x2", "2x1"));
}

TEST(Weighted, ClassesByQueue)
{
    Arbiter a(weighted("uhml", 8, 4, 2, 1));
    EXPECT_THAT((std::vector<u32>{a.class_of(0), a.class_of(1), a.class_of(2), a.class_of(3)}),
                ElementsAre(3u, 2u, 1u, 0u));
    Arbiter b(round_robin(2, 1));
    EXPECT_EQ(b.class_of(1), 0u);
}

/// Random traffic: everything that came goes, no queue gives what it has not, and while all classes have
/// commands the shares are those of the weights.
TEST(Weighted, SharesOfALongRun)
{
    Arbiter a(weighted("hmlhml", 8, 4, 2, 3));
    std::mt19937 random(7);
    std::vector<u64> has(6, 0), given(6, 0);
    u64 taken = 0;
    for (u32 queue = 0; queue < 6; ++queue) {
        a.add(queue, 100000);
        has[queue] = 100000;
    }
    while (taken < 140000) {
        const Arbiter::Turn t = a.next(1 + random() % 9);
        ASSERT_GE(has[t.queue], t.count);
        has[t.queue] -= t.count;
        given[t.queue] += t.count;
        taken += t.count;
    }
    const double total = static_cast<double>(taken);
    for (u32 i = 0; i < 3; ++i) {
        const double share = static_cast<double>(given[i] + given[i + 3]) / total;
        EXPECT_NEAR(share, (8 >> i) / 14.0, 0.001);
        EXPECT_NEAR(static_cast<double>(given[i]), static_cast<double>(given[i + 3]), 8.0);
    }
}

} // namespace
} // namespace tlmssd::nvme
