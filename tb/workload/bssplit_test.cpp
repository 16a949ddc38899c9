// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of request sizes, exact numbers and permutations.
#include "models/workload/random/bssplit.h"

#include <gmock/gmock.h>

#include <map>

#include "models/workload/quota.h"
#include "models/workload/random/permutation.h"
#include "models/workload/random/random_map.h"
#include "tb/workload/generated.h"

namespace tlmssd::workload::test {
namespace {

using config::Rw;
using testing::ElementsAre;
using testing::Pair;

std::map<u32, u64> histogram(const std::vector<Request>& requests, Kind kind)
{
    std::map<u32, u64> sizes;
    for (const Request& request : requests) {
        if (request.kind == kind) {
            ++sizes[request.sectors];
        }
    }
    return sizes;
}

TEST(Permutation, VisitsEachValueOnce)
{
    for (const u64 n : {1, 2, 3, 4, 5, 64, 65, 1000, 4096}) {
        const Permutation permutation(n);
        for (const u64 key : {u64{0}, u64{1}, u64{0x123456789abcdef}}) {
            std::vector<int> seen(n);
            for (u64 i = 0; i < n; ++i) {
                const u64 to = permutation(i, key);
                ASSERT_LT(to, n);
                ASSERT_EQ(seen[to]++, 0) << n << " " << i;
            }
        }
    }
}

TEST(Permutation, KeysGiveAllOrdersOfAFewAlikeOften)
{
    // 3! = 6 orders of three values; 6,000 keys: 1,000 each, 5 degrees of freedom.
    const Permutation permutation(3);
    std::map<u64, double> orders;
    for (u64 key = 0; key < 6000; ++key) {
        orders[permutation(0, key) * 9 + permutation(1, key) * 3 + permutation(2, key)] += 1;
    }
    EXPECT_EQ(orders.size(), 6u);
    double chi_square = 0;
    for (const auto& [order, n] : orders) {
        chi_square += (n - 1000) * (n - 1000) / 1000;
    }
    EXPECT_LT(chi_square, 5 + 5 * std::sqrt(10.0));
}

TEST(Permutation, NeighboursAreIndependent)
{
    // Pairs of successive values over 16 x 16 cells: 255 degrees of freedom.
    constexpr u64 kValues = 100003;
    const Permutation permutation(kValues);
    std::vector<double> hits(256);
    for (u64 i = 0; i + 1 < kValues; i += 2) {
        hits[permutation(i, 7) * 16 / kValues * 16 + permutation(i + 1, 7) * 16 / kValues] += 1;
    }
    const double expected = (kValues / 2) / 256.0;
    double chi_square = 0;
    for (const double n : hits) {
        chi_square += (n - expected) * (n - expected) / expected;
    }
    EXPECT_NEAR(chi_square, 255, 5 * std::sqrt(510.0));
}

TEST(Quota, HasExactNumbersInEachRound)
{
    Quota quota(1000, 37, 1, 2);
    for (int round = 0; round < 5; ++round) {
        int yes = 0;
        for (int i = 0; i < 1000; ++i) {
            yes += quota.draw() ? 1 : 0;
        }
        EXPECT_EQ(yes, 37);
    }
}

TEST(Quota, EachPlaceIsAlikeLikely)
{
    // One of ten: over 10,000 rounds each place is taken 1,000 times; 9 degrees of freedom.
    Quota quota(10, 1, 3, 4);
    std::vector<double> hits(10);
    for (int i = 0; i < 100000; ++i) {
        hits[static_cast<std::size_t>(i) % 10] += quota.draw() ? 1 : 0;
    }
    double chi_square = 0;
    for (const double n : hits) {
        chi_square += (n - 1000) * (n - 1000) / 1000;
    }
    EXPECT_LT(chi_square, 9 + 5 * std::sqrt(18.0));
}

TEST(Bssplit, SharesAreExactOverEachWindow)
{
    // The greatest common divisor of 60, 30 and 10 per cent is 10: windows of ten requests.
    Sizes sizes(split("4k/60:8k/30:64k/10").of[config::kReads], 0, 0, 1, 2);
    EXPECT_EQ(exact_window(split("4k/60:8k/30:64k/10").of[config::kReads]), 10u);
    EXPECT_EQ(exact_window(split("4k/99.99:8k/0.01").of[config::kReads]), 10000u);
    for (int window = 0; window < 50; ++window) {
        std::map<u32, int> seen;
        for (int i = 0; i < 10; ++i) {
            ++seen[sizes.next()];
        }
        EXPECT_THAT(seen, ElementsAre(Pair(8u, 6), Pair(16u, 3), Pair(128u, 1)));
    }
}

TEST(Bssplit, OrderDiffersBetweenWindows)
{
    Sizes sizes(split("4k/50:8k/50").of[config::kReads], 0, 20, 1, 2);
    std::map<std::string, int> orders;
    for (int window = 0; window < 100; ++window) {
        std::string order;
        for (int i = 0; i < 20; ++i) {
            order += sizes.next() == 8 ? 'a' : 'b';
        }
        ++orders[order];
    }
    EXPECT_GT(orders.size(), 90u); // of 20! / 10!^2 = 184756
}

TEST(Bssplit, ReadsWritesAndTrimsHaveTheirOwn)
{
    auto workload = generated(Rw::RandRw, 20000);
    workload.trim_percent = 50;
    workload.bssplit = split("2k/50:4k/50,4k/90:8k/10,1m");
    const auto requests = run(workload, u64{1} << 30);
    const auto reads = histogram(requests, Kind::Read);
    ASSERT_EQ(reads.size(), 2u);
    EXPECT_NEAR(static_cast<double>(reads.at(4)), static_cast<double>(reads.at(8)), 2);
    const auto writes = histogram(requests, Kind::Write);
    ASSERT_EQ(writes.size(), 2u);
    EXPECT_NEAR(static_cast<double>(writes.at(8)), 9 * static_cast<double>(writes.at(16)), 10);
    EXPECT_THAT(histogram(requests, Kind::Trim),
                ElementsAre(Pair(2048u, count(requests, Kind::Trim))));
}

TEST(Bssplit, QuotasHoldTheSharesOverTheirRound)
{
    // 24 reads: 25 % of them are 6, 8.33 % are 2 (1.9992 rounds to 2), the rest 16.
    auto workload = generated(Rw::RandRw, 48);
    workload.reads = 24;
    workload.writes = 24;
    workload.bssplit = split("4k/25:8k/8.33:16k/66.67,4k");
    const auto requests = run(workload, 1 << 20);
    EXPECT_EQ(count(requests, Kind::Read), 24u);
    EXPECT_EQ(count(requests, Kind::Write), 24u);
    EXPECT_THAT(histogram(requests, Kind::Read),
                ElementsAre(Pair(8u, 6u), Pair(16u, 2u), Pair(32u, 16u)));
}

TEST(Bssplit, SequentialRequestsFollowEachOtherWhateverTheirSize)
{
    auto workload = generated(Rw::Write, 1000);
    workload.bssplit = split("512/50:1536/50");
    u64 next = 0;
    for (const Request& request : run(workload, 100)) {
        ASSERT_EQ(request.lba, next + request.sectors <= 100 ? next : 0);
        next = request.lba + request.sectors;
    }
}

TEST(Bssplit, RandomStartsAreMultiplesOfTheSmallestSizeAndFit)
{
    for (const char* rule :
         {"random", "zipf:1.1", "pareto:0.3", "normal:20", "zoned:90/10:10/90"}) {
        auto workload = generated(Rw::RandRead, 5000);
        workload.bssplit = split("2k/50:16k/50");
        workload.offset = extent("512");
        workload.random_distribution = distribution(rule);
        for (const Request& request : run(workload, 1000)) {
            ASSERT_EQ((request.lba - 1) % 4, 0u) << rule;
            ASSERT_LE(request.lba + request.sectors, 1000u) << rule;
        }
    }
}

/// Sectors of [0, sectors) that no request of [first, first + n) touches, or several do.
u64 not_once(const std::vector<Request>& requests, std::size_t first, std::size_t n, u64 sectors)
{
    std::vector<int> seen(sectors);
    for (std::size_t i = first; i < first + n; ++i) {
        for (u64 s = requests[i].lba; s < requests[i].lba + requests[i].sectors; ++s) {
            ++seen[s];
        }
    }
    u64 wrong = 0;
    for (const int times : seen) {
        wrong += times == 1 ? 0 : 1;
    }
    return wrong;
}

TEST(RandomMap, VisitsEachBlockOnceAPass)
{
    // 1,003 blocks of 8 sectors; the 5 sectors behind them hold none.
    auto workload = generated(Rw::RandRw, 3 * 1003);
    workload.norandommap = false;
    const auto requests = run(workload, 1003 * 8 + 5);
    for (std::size_t pass = 0; pass < 3; ++pass) {
        EXPECT_EQ(not_once(requests, pass * 1003, 1003, 1003 * 8), 0u);
    }
    EXPECT_NE(requests[0].lba, requests[1003].lba); // another order (fails once in 1,003 seeds)
}

TEST(RandomMap, CoversTheRegionInTheSharesOfBssplit)
{
    // 4k/75:12k/25: four pieces of 8 + 8 + 8 + 24 = 48 sectors a period; 1,000 sectors are 20
    // periods (960) and 40 more: 80 pieces and at most 4 of the last period, one of them cut short.
    auto workload = generated(Rw::RandWrite, 0);
    workload.norandommap = false;
    workload.bssplit = split("4k/75:12k/25");
    workload.loops = 1;
    const auto requests = run(workload, 1000);
    EXPECT_EQ(not_once(requests, 0, requests.size(), 1000), 0u);
    const auto sizes = histogram(requests, Kind::Write);
    EXPECT_GE(sizes.at(8), 60u);
    EXPECT_LE(sizes.at(8), 65u);
    EXPECT_GE(sizes.at(24), 20u);
    EXPECT_LE(sizes.at(24), 21u);
}

} // namespace
} // namespace tlmssd::workload::test
