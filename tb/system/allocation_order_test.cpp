// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each of the 24 allocation orders lays pages out as worked example 5 says, while
// preconditioning and while running.
#include <algorithm>
#include <array>
#include <set>

#include "firmware/ftl/core/planes.h"
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using Tuple = std::array<u32, 4>; ///< channel, way, die, plane

std::vector<std::string> all_orders()
{
    std::vector<std::string> orders;
    std::string order = "CDPW"; // ascending: next_permutation visits all 24
    do {
        orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return orders;
}

/// Two of each: the n-th page's bit i goes to the letter in place i; the first letter is fastest.
Tuple tuple_of(const std::string& order, u32 n)
{
    Tuple t{};
    for (u32 i = 0; i < 4; ++i) {
        t[std::string("CWDP").find(order[i])] = n >> i & 1;
    }
    return t;
}

struct Location {
    Tuple tuple;
    u32 page; ///< in its block
};

/// Where the device keeps `lpn`: the map's entry, taken apart by the geometry of the test device
/// (24 blocks in 5 bits, 16 pages in 4 bits, two planes, dies, ways).
Location find_page(const Device& run, u32 lpn)
{
    const u32 entry = run.simulation().ssd().firmware().ftl->map[lpn];
    EXPECT_NE(entry, 0u) << "LPN " << lpn << " is not mapped";
    const u32 ppn = entry - 1;
    const u32 plane = ppn >> 9;
    return {{plane >> 3, plane >> 2 & 1, plane >> 1 & 1, plane & 1}, ppn & 15};
}

class AllocationOrder : public testing::TestWithParam<std::string> {};

TEST_P(AllocationOrder, LaysOutSixteenPagesAsItsLettersSay)
{
    const std::string& order = GetParam();
    // 6144 pages, 4096 logical. Preconditioning writes pages 0..31 as the device's n = 0..31; the
    // run writes pages 0..15 again, one by one, as n = 32..47.
    const Device run(tiny_device() +
                         "workload: {rw: write, bs: 8k, size: 0.78125%, requests: 16}\n",
                     {"ftl.allocation=" + order, "precondition.fill=0.0078125",
                      "host.queue_depth=1"});
    run.expect_clean();
    std::set<Tuple> places;
    for (u32 n = 0; n < 16; ++n) {
        const Location ran = find_page(run, n);
        EXPECT_EQ(ran.tuple, tuple_of(order, n)) << "page " << n;
        EXPECT_EQ(ran.page, 2u); // the third round over all planes
        const Location filled = find_page(run, 16 + n);
        EXPECT_EQ(filled.tuple, tuple_of(order, n)) << "page " << 16 + n;
        EXPECT_EQ(filled.page, 1u); // n = 16 is place 0 with page offset 1
        places.insert(ran.tuple);
    }
    EXPECT_EQ(places.size(), 16u);
}

TEST_P(AllocationOrder, RunsCleanUnderGarbageCollection)
{
    const Device run(tiny_device() +
                         "workload: {rw: randrw, bs: 12k, rwmixread: 40, requests: 2000}\n",
                     {"ftl.allocation=" + GetParam(), "scheduler=vaq", "buffer.policy=lru"});
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_runs, 0u);
}

INSTANTIATE_TEST_SUITE_P(System, AllocationOrder, testing::ValuesIn(all_orders()),
                         [](const auto& it) { return it.param; });

TEST(AllocationOrders, AreTheOnesOfTheWorkedExample)
{
    const struct {
        const char* order;
        Tuple tuples[8];
    } table[] = {
        {"CWDP",
         {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0},
          {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0}}},
        {"PWCD",
         {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}, {0, 1, 0, 1},
          {1, 0, 0, 0}, {1, 0, 0, 1}, {1, 1, 0, 0}, {1, 1, 0, 1}}},
        {"DPWC",
         {{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 1, 1},
          {0, 1, 0, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}, {0, 1, 1, 1}}},
        {"WDCP",
         {{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 1, 0},
          {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 1, 1, 0}}},
        {"PDWC",
         {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 1, 1},
          {0, 1, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 1, 1, 1}}},
    };
    for (const auto& row : table) {
        for (u32 n = 0; n < 8; ++n) {
            EXPECT_EQ(tuple_of(row.order, n), row.tuples[n]) << row.order << " " << n;
        }
    }
    std::set<std::vector<Tuple>> sequences;
    for (const std::string& order : all_orders()) {
        std::vector<Tuple> sequence;
        for (u32 n = 0; n < 16; ++n) {
            sequence.push_back(tuple_of(order, n));
        }
        sequences.insert(sequence);
    }
    EXPECT_EQ(sequences.size(), 24u);
}

} // namespace
} // namespace tlmssd::tb
