// SPDX-License-Identifier: BSD-3-Clause
#include "models/common/fixed_array.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tlmssd {
namespace {

using testing::ElementsAre;

/// Neither movable nor copyable; tells of its beginning and its end.
struct alignas(64) Thing {
    Thing(std::vector<int>& log, int n) : log_(log), number(n)
    {
        if (n == 3) {
            throw std::runtime_error("the fourth cannot be made");
        }
        log_.push_back(n);
    }
    ~Thing() { log_.push_back(-number); }
    Thing(const Thing&) = delete;
    Thing& operator=(const Thing&) = delete;
    std::vector<int>& log_;
    int number;
};

FixedArray<Thing> things(std::vector<int>& log, std::size_t count, int first)
{
    return FixedArray<Thing>(count, [&](void* place, std::size_t i) {
        new (place) Thing(log, first + static_cast<int>(i));
    });
}

TEST(FixedArray, HoldsWhatCanBeNeitherMovedNorCopied)
{
    std::vector<int> log;
    {
        FixedArray<Thing> array = things(log, 3, 10);
        ASSERT_EQ(array.size(), 3u);
        EXPECT_EQ(array[1].number, 11);
        EXPECT_EQ(array.front().number, 10);
        EXPECT_EQ(array.back().number, 12);
        EXPECT_EQ(&array[2] - &array[0], 2) << "one behind the other";
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&array[0]) % 64, 0u);
    }
    EXPECT_THAT(log, ElementsAre(10, 11, 12, -12, -11, -10));
}

TEST(FixedArray, LeavesNothingBehindWhereAnElementThrows)
{
    std::vector<int> log;
    EXPECT_THROW(things(log, 5, 1), std::runtime_error); // 1, 2, then 3
    EXPECT_THAT(log, ElementsAre(1, 2, -2, -1));
}

TEST(FixedArray, AnAssignedOneKeepsItsElementsInPlace)
{
    std::vector<int> log;
    FixedArray<Thing> array;
    EXPECT_TRUE(array.empty());
    FixedArray<Thing> made = things(log, 2, 20);
    const Thing* const first = &made[0];
    array = std::move(made);
    EXPECT_EQ(&array[0], first);
    EXPECT_EQ(array.size(), 2u);
    EXPECT_THAT(log, ElementsAre(20, 21));
}

} // namespace
} // namespace tlmssd
