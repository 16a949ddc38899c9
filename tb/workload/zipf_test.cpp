// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of the Zipf ranks and of the permutation that spreads them.
#include "models/workload/random/zipf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/common/hash.h"
#include "models/workload/random/scatter.h"

namespace tlmssd::workload {
namespace {

constexpr double kEulerGamma = 0.57721566490153286;
constexpr double kPi = 3.14159265358979324;

TEST(Zeta, AgreesWithKnownSums)
{
    EXPECT_DOUBLE_EQ(zeta(1, 0.7), 1);
    EXPECT_DOUBLE_EQ(zeta(3, 1), 1 + 1 / 2.0 + 1 / 3.0);
    EXPECT_DOUBLE_EQ(zeta(2, 2), 1.25);
    // H(n) = ln n + gamma + 1/(2n) - 1/(12 n^2) + ...
    const double n = 1e9;
    EXPECT_NEAR(zeta(1000000000, 1), std::log(n) + kEulerGamma + 1 / (2 * n), 1e-12);
    // The sum of 1/k^2 up to n is pi^2/6 - 1/n + 1/(2 n^2) - ...
    EXPECT_NEAR(zeta(1000000000, 2), kPi * kPi / 6 - 1 / n, 1e-14);
    // theta = 0 counts.
    EXPECT_NEAR(zeta(1000000, 0), 1e6, 1e-6);
}

TEST(Zeta, TheApproximationContinuesTheSum)
{
    for (const double theta : {0.5, 0.99, 1.0, 1.1, 3.0}) {
        double sum = 0;
        for (u64 k = 20000; k > 0; --k) {
            sum += std::pow(static_cast<double>(k), -theta);
        }
        EXPECT_NEAR(zeta(20000, theta) / sum, 1, 1e-13) << theta;
    }
}

class ZipfHead : public testing::TestWithParam<double> {};

TEST_P(ZipfHead, FirstTwoRanksAreExactAndTheTailIsNear)
{
    const double theta = GetParam();
    constexpr u64 kRanks = 100000;
    constexpr u64 kDraws = 400000;
    const Zipf zipf(kRanks, theta);
    std::vector<double> hits(kRanks);
    for (u64 i = 0; i < kDraws; ++i) {
        const u64 rank = zipf.rank(draw_unit(draw64(3, 4, i)));
        ASSERT_LT(rank, kRanks);
        hits[rank] += 1;
    }
    double sum = 0;
    for (u64 k = kRanks; k > 0; --k) {
        sum += std::pow(static_cast<double>(k), -theta);
    }
    for (u64 rank = 0; rank < 2; ++rank) {
        const double p = std::pow(static_cast<double>(rank + 1), -theta) / sum;
        EXPECT_NEAR(hits[rank], p * kDraws, 5 * std::sqrt(kDraws * p * (1 - p))) << rank;
    }
    // Gray's inverse is continuous: the share of ranks below k (k > 1) is
    // 1 - (1 - (k/n)^(1-theta)) / eta. Worked out here from the paper's definition of eta.
    const double n = kRanks;
    const double below_two = (1 + std::pow(0.5, theta)) / sum;
    for (const double k : {10.0, 100.0, 1000.0, 10000.0}) {
        double p = 0;
        if (theta == 1) {
            p = 1 - (1 - below_two) * std::log(n / k) / std::log(n / 2);
        } else {
            const double eta = (1 - std::pow(2 / n, 1 - theta)) / (1 - below_two);
            p = 1 - (1 - std::pow(k / n, 1 - theta)) / eta;
        }
        double below = 0;
        double zipf_below = 0;
        for (u64 rank = 0; rank < static_cast<u64>(k); ++rank) {
            below += hits[rank];
            zipf_below += std::pow(static_cast<double>(rank + 1), -theta) / sum;
        }
        EXPECT_NEAR(below, p * kDraws, 5 * std::sqrt(kDraws * p * (1 - p))) << k;
        EXPECT_NEAR(below / kDraws, zipf_below, 0.03) << k; // true Zipf
    }
}

INSTANTIATE_TEST_SUITE_P(Thetas, ZipfHead, testing::Values(0.5, 0.99, 1.0, 1.1, 2.0));

TEST(Zipf, TheLimitAtOneIsContinuous)
{
    const Zipf below(1000000, 1 - 1e-5);
    const Zipf at(1000000, 1);
    for (double unit = 0; unit < 1; unit += 0.01) {
        const auto a = static_cast<double>(below.rank(unit));
        const auto b = static_cast<double>(at.rank(unit));
        EXPECT_NEAR(a, b, 1 + b * 1e-3) << unit;
    }
}

TEST(Zipf, StaysInsideForAllSizesThetasAndEnds)
{
    for (const u64 n : {u64{1}, u64{2}, u64{3}, u64{4097}, u64{1} << 50}) {
        for (const double theta : {1e-9, 0.5, 1.0, 1.0 + 1e-9, 1.1, 10.0}) {
            const Zipf zipf(n, theta);
            u64 last = 0;
            for (const double unit : {0.0, 0.3, 0.7, 0.999, 1 - 0x1.0p-53}) {
                const u64 rank = zipf.rank(unit);
                ASSERT_LT(rank, n) << n << " " << theta << " " << unit;
                ASSERT_GE(rank, last) << n << " " << theta << " " << unit;
                last = rank;
            }
        }
    }
}

TEST(Scatter, IsAPermutation)
{
    for (const u64 n : {1, 2, 3, 5, 64, 65, 1000, 4096}) {
        const Scatter scatter(n, 11, 12);
        std::vector<int> seen(n);
        for (u64 i = 0; i < n; ++i) {
            const u64 to = scatter(i);
            ASSERT_LT(to, n);
            ASSERT_EQ(seen[to]++, 0) << n << " " << i;
        }
    }
}

TEST(Scatter, SpreadsNeighbours)
{
    // The first 1,000 ranks over 16 equal regions: 62.5 each, 15 degrees of freedom.
    constexpr u64 kBlocks = 1000003;
    const Scatter scatter(kBlocks, 1, 2);
    std::vector<double> hits(16);
    for (u64 i = 0; i < 1000; ++i) {
        hits[scatter(i) * 16 / kBlocks] += 1;
    }
    double chi_square = 0;
    for (const double n : hits) {
        chi_square += (n - 62.5) * (n - 62.5) / 62.5;
    }
    EXPECT_LT(chi_square, 15 + 5 * std::sqrt(30.0));
}

} // namespace
} // namespace tlmssd::workload
