// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the sorted row and the heap of pending timers.
#include "models/time/timer_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/common/hash.h"
#include "models/common/types.h"

namespace tlmssd::time {
namespace {

template <class Queue>
class TimerQueue : public testing::Test {
protected:
    std::vector<TimerEntry> drain()
    {
        std::vector<TimerEntry> out;
        while (queue.front() != kNoTimer) {
            out.push_back(queue.front());
            queue.pop();
        }
        return out;
    }
    Queue queue;
};

using Queues = testing::Types<NearTimers, FarTimers>;
TYPED_TEST_SUITE(TimerQueue, Queues);

TYPED_TEST(TimerQueue, HasNoFrontWhenEmpty)
{
    EXPECT_TRUE(this->queue.front() == kNoTimer);
    this->queue.push(7);
    this->queue.pop();
    EXPECT_TRUE(this->queue.front() == kNoTimer);
}

TYPED_TEST(TimerQueue, TimeInTheHighHalfCountsBeforeTheLowHalf)
{
    const TimerEntry early = (TimerEntry{1} << 64) | 99;
    const TimerEntry late = (TimerEntry{2} << 64) | 1;
    this->queue.push(late);
    this->queue.push(early);
    EXPECT_TRUE(this->queue.front() == early);
}

/// A thousand pushes and pops in an order drawn by hash, against a sorted vector.
TYPED_TEST(TimerQueue, GivesWhatASortedVectorGives)
{
    std::vector<TimerEntry> reference;
    for (u64 i = 0; i < 1000; ++i) {
        const u64 draw = draw64(1, 2, i);
        if (draw % 3 == 0 && !reference.empty()) {
            ASSERT_TRUE(this->queue.front() == reference.front()) << "step " << i;
            this->queue.pop();
            reference.erase(reference.begin());
            continue;
        }
        const TimerEntry entry = (static_cast<TimerEntry>(draw >> 40) << 64) | i;
        this->queue.push(entry);
        reference.insert(std::lower_bound(reference.begin(), reference.end(), entry), entry);
    }
    EXPECT_TRUE(this->drain() == reference);
}

TYPED_TEST(TimerQueue, WhatIsRemovedNeverComes)
{
    for (u64 i = 0; i < 100; ++i) {
        this->queue.push((i * 37) % 100); // 37 and 100 have no common factor: each value once
    }
    this->queue.remove_if([](TimerEntry entry) { return entry != kNoTimer && entry % 2 == 0; });
    std::vector<TimerEntry> odd;
    for (u64 i = 1; i < 100; i += 2) {
        odd.push_back(i);
    }
    u64 seen = 0;
    this->queue.for_each([&](TimerEntry) { ++seen; });
    EXPECT_EQ(seen, odd.size());
    EXPECT_TRUE(this->drain() == odd);
}

} // namespace
} // namespace tlmssd::time
