// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the growing ring: order, growth while wrapped, and the return to its first place.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>

#include "models/common/fifo.h"
#include "models/common/hash.h"

namespace tlmssd {
namespace {

TEST(Fifo, GivesBackInOrder)
{
    Fifo<int> fifo(4);
    EXPECT_TRUE(fifo.empty());
    fifo.push(1);
    fifo.push(2);
    fifo.push(3);
    EXPECT_EQ(fifo.size(), 3u);
    EXPECT_EQ(fifo.front(), 1);
    EXPECT_EQ(fifo.back(), 3);
    EXPECT_EQ(fifo.pop(), 1);
    EXPECT_EQ(fifo.pop(), 2);
    EXPECT_EQ(fifo.pop(), 3);
    EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, GrowsWhileItsContentsWrapAround)
{
    Fifo<int> fifo(4);
    for (int i = 0; i < 4; ++i) {
        fifo.push(i);
    }
    fifo.drop();
    fifo.drop();
    fifo.push(4); // the ring's first place again
    fifo.push(5);
    fifo.push(6); // the fifth element: grows
    for (int i = 2; i <= 6; ++i) {
        EXPECT_EQ(fifo.pop(), i);
    }
    EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, GivesOneFromTheMiddleAndTheOthersKeepTheirOrder)
{
    Fifo<int> fifo(4);
    for (int i = 0; i < 4; ++i) {
        fifo.push(i);
    }
    fifo.drop();
    fifo.drop();
    fifo.push(4); // the ring's first place again: 2 3 | 4 5
    fifo.push(5);
    EXPECT_EQ(fifo[0], 2);
    EXPECT_EQ(fifo[2], 4);
    EXPECT_EQ(fifo.take(2), 4);
    EXPECT_EQ(fifo.take(0), 2);
    EXPECT_EQ(fifo.size(), 2u);
    EXPECT_EQ(fifo.take(1), 5);
    EXPECT_EQ(fifo.pop(), 3);
    EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, StartsAgainAtItsFirstPlaceWhenItRunsEmpty)
{
    Fifo<int> fifo(8);
    const int* first = &fifo.append();
    fifo.append();
    fifo.drop();
    fifo.drop();
    EXPECT_EQ(&fifo.append(), first);
}

TEST(Fifo, AppendsAPlaceWithItsOldContents)
{
    Fifo<std::string> fifo(2);
    fifo.append() = "a long enough text for its own memory";
    fifo.drop();
    EXPECT_EQ(fifo.append(), "a long enough text for its own memory");
}

TEST(Fifo, RoundsItsCapacityUpToAPowerOfTwo)
{
    Fifo<int> fifo(5); // 8 places
    const int* first = &fifo.append();
    for (int i = 0; i < 7; ++i) {
        fifo.append();
    }
    EXPECT_EQ(&fifo.front(), first) << "eight elements fit without growing";
}

TEST(Fifo, MovesElements)
{
    Fifo<std::unique_ptr<int>> fifo(1);
    for (int i = 0; i < 9; ++i) {
        fifo.push(std::make_unique<int>(i));
    }
    for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(*fifo.pop(), i);
    }
}

TEST(Fifo, AgreesWithADequeOverARandomHistory)
{
    Fifo<u64> fifo(1);
    std::deque<u64> model;
    for (u64 i = 0; i < 100000; ++i) {
        const u64 word = draw64(3, 1, i);
        if (model.empty() || draw_below(word, 100) < 51) {
            fifo.push(word);
            model.push_back(word);
        } else {
            ASSERT_EQ(fifo.pop(), model.front());
            model.pop_front();
        }
        ASSERT_EQ(fifo.size(), model.size());
        if (!model.empty()) {
            ASSERT_EQ(fifo.front(), model.front());
            ASSERT_EQ(fifo.back(), model.back());
        }
    }
}

} // namespace
} // namespace tlmssd
