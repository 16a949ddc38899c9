// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: intervals of ratios and quantiles by hand, Student's t by closed form and tables, controls.
#include "models/observe/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/observe/histogram.h"

namespace tlmssd::observe {
namespace {

constexpr double kT1 = 12.706204736432095; ///< tan(0.95 pi / 2)

TEST(Estimate, StudentsTHasItsClosedFormsForOneTwoAndFourDegrees)
{
    for (const double c : {0.5, 0.9, 0.95, 0.99}) {
        EXPECT_NEAR(student_t(c, 1), std::tan(c * std::acos(-1.0) / 2), 1e-8 * student_t(c, 1));
        EXPECT_NEAR(student_t(c, 2), c * std::sqrt(2 / (1 - c * c)), 1e-8);
        // A = s (3 - s^2) / 2 with s = sin(atan(t / 2)), for four degrees
        const double t = student_t(c, 4);
        const double s = t / std::sqrt(4 + t * t);
        EXPECT_NEAR(s * (3 - s * s) / 2, c, 1e-10);
    }
}

TEST(Estimate, StudentsTIsThatOfTheTables)
{
    EXPECT_NEAR(student_t(0.95, 3), 3.182446, 1e-6);
    EXPECT_NEAR(student_t(0.95, 10), 2.228139, 1e-6);
    EXPECT_NEAR(student_t(0.95, 29), 2.045230, 1e-6);
    EXPECT_NEAR(student_t(0.99, 5), 4.032143, 1e-6);
}

TEST(Estimate, ARatioWithoutResidualsIsCertain)
{
    const Estimate e = ratio_estimate({2, 4, 6}, {1, 2, 3}, 0.95);
    EXPECT_DOUBLE_EQ(e.value, 2);
    EXPECT_DOUBLE_EQ(e.low, 2);
    EXPECT_DOUBLE_EQ(e.high, 2);
    EXPECT_DOUBLE_EQ(e.relative(), 0);
}

TEST(Estimate, ARatioHasTheIntervalOfItsResiduals)
{
    // Residuals -1 and 1: error sqrt(2 / 1 * 2) / 2 = 1, one degree.
    const Estimate one = ratio_estimate({1, 3}, {1, 1}, 0.95);
    EXPECT_DOUBLE_EQ(one.value, 2);
    EXPECT_NEAR(one.high, 2 + kT1, 1e-6);
    EXPECT_NEAR(one.low, 2 - kT1, 1e-6);
    EXPECT_NEAR(one.relative(), kT1 / 2, 1e-6);
    // r = 8 / 4 = 2, residuals 1, 1, -2: squares 6, error sqrt(6 / 2 * 3) / 4 = 3 / 4, two degrees.
    const Estimate three = ratio_estimate({3, 3, 2}, {1, 1, 2}, 0.95);
    EXPECT_DOUBLE_EQ(three.value, 2);
    EXPECT_NEAR(three.high - 2, 0.75 * 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)), 1e-6);
}

TEST(Estimate, AQuantileIsCertainWhereClustersAreAlike)
{
    std::vector<u64> odd;
    std::vector<u64> even;
    for (u64 i = 1; i <= 50; ++i) {
        odd.push_back(2 * i - 1);
        even.push_back(2 * i);
    }
    const Estimate half = quantile_estimate({odd, even}, 0.5, 0.95); // 25 of each at or below 50
    EXPECT_EQ(half.value, 50);
    EXPECT_EQ(half.low, 50);
    EXPECT_EQ(half.high, 50);
    EXPECT_EQ(quantile_estimate({odd, even}, 0.07, 0.95).value, 7); // not the 8th by rounding
    EXPECT_EQ(quantile_estimate({odd, even}, 0, 0.95).value, 1);
    EXPECT_EQ(quantile_estimate({odd, even}, 1, 0.95).value, 100);
}

TEST(Estimate, AQuantileOfClustersThatDifferIsAnywhere)
{
    std::vector<u64> small;
    std::vector<u64> large;
    for (u64 i = 1; i <= 50; ++i) {
        small.push_back(i);
        large.push_back(50 + i);
    }
    // Shares 1 and 0: error 0.5, times t of one degree.
    const Estimate half = quantile_estimate({small, large}, 0.5, 0.95);
    EXPECT_EQ(half.value, 50);
    EXPECT_EQ(half.low, 1);
    EXPECT_EQ(half.high, 100);
}

TEST(Estimate, AQuantilesIntervalFollowsTheSharesOfItsClusters)
{
    // Four clusters of 100: 94, 96, 94, 96 values of 1, the others 2 to 7 and 2 to 5. Of 400 values 380 are 1.
    std::vector<std::vector<u64>> clusters(4);
    for (u32 c = 0; c < 4; ++c) {
        const u64 ones = c % 2 == 0 ? 94 : 96;
        for (u64 i = 0; i < 100; ++i) {
            clusters[c].push_back(i < ones ? 1 : i - ones + 2);
        }
    }
    const Estimate e = quantile_estimate(clusters, 0.95, 0.95);
    EXPECT_EQ(e.value, 1); // rank 380
    // Residuals -1, 1, -1, 1: error sqrt(4 / 3 * 4) / 400 = 0.0057735; t of three degrees 3.182446: 0.0183739.
    // Ranks ceil(400 * 0.9683739) = 388 and ceil(400 * 0.9316261) = 373. Of the values 2 and 3 there are four each:
    // ranks 381 to 384 and 385 to 388.
    EXPECT_EQ(e.low, 1);
    EXPECT_EQ(e.high, 3);
}

TEST(Estimate, AControlTakesAwayWhatBothHaveInCommon)
{
    // Each cluster is 1.1 times its control, whatever that is: no error, and the whole is 1.1 times what is known.
    const Estimate e = controlled_mean(50, {{11, 1}, {110, 1}, {1100, 1}}, {{10, 1}, {100, 1}, {1000, 1}}, 0.95);
    EXPECT_NEAR(e.value, 55, 1e-9);
    EXPECT_NEAR(e.high - e.low, 0, 1e-9);
}

TEST(Estimate, AControlledMeanHasTheErrorOfBothRatios)
{
    // y / c = 6 / 2, x / d = 2 / 2: 3 times what is known. Residuals: 2/6 - 1/2 = -1/6 and 1/6 of the wanted, 0 of the
    // control; error sqrt(2 / 36 * 2 / 1) = 1/3, one degree.
    const Estimate e = controlled_mean(10, {{2, 1}, {4, 1}}, {{1, 1}, {1, 1}}, 0.95);
    EXPECT_NEAR(e.value, 30, 1e-9);
    EXPECT_NEAR(e.high - e.value, 30 * kT1 / 3, 1e-5);
    EXPECT_NEAR(e.value - e.low, 30 * kT1 / 3, 1e-5);
}

TEST(Estimate, AControlledQuantileShiftsTheSharesOfTheWhole)
{
    // Values below 2048 have a bucket each. Of the control 9 of 10 values are 10 and one is 20, in the whole and in
    // the clusters. Of the wanted 8 of 10 are 10 and 2 are 20, in each cluster: shares 0.8 and 1.
    std::vector<u64> whole(Histogram::kBuckets);
    whole[10] = 900;
    whole[20] = 100;
    const std::vector<u64> near(10, 10);
    std::vector<u64> control = near;
    control[0] = 20;
    std::vector<u64> wanted = control;
    wanted[1] = 20;
    const auto of = [&](double q) { return controlled_quantile(whole, {wanted, wanted}, {control, control}, q, 0.95); };
    EXPECT_EQ(of(0.8).value, 10);
    EXPECT_EQ(of(0.81).value, 20);
    EXPECT_EQ(of(0.99).value, 20);
    EXPECT_EQ(of(0.81).low, 20); // clusters are alike: no error
    EXPECT_EQ(of(0.81).high, 20);
    // Clusters that differ: 9 and 7 values of 10. Residuals 0.05 and -0.05: error 0.1, times t of one degree: anything.
    std::vector<u64> more = wanted;
    more[2] = 20;
    const Estimate wide = controlled_quantile(whole, {control, more}, {control, control}, 0.8, 0.95);
    EXPECT_EQ(wide.value, 10);
    EXPECT_EQ(wide.low, 10);
    EXPECT_EQ(wide.high, 20);
    // Another cause with a half-width of 0.05 of the share of values up to 10.
    const Estimate joint = controlled_quantile(whole, {wanted, wanted}, {control, control}, 0.8, 0.95,
                                               [](u32 bucket) { return bucket == 10 ? 0.05 : 1; });
    EXPECT_EQ(joint.low, 10);
    EXPECT_EQ(joint.high, 20);
}

TEST(Estimate, TwoRunsDifferByTheSumOfTheirParts)
{
    // Four parts: t of four degrees 2.776445, sqrt(4) = 2. Pairs and the four add up to 0.
    EXPECT_NEAR(half_width_of_runs({1, -1, 1, -1}, 0.95), 2 * 2.776445, 1e-5);
    // Neighbours that go together: pairs of 2 and -2, t of two degrees 4.302653.
    EXPECT_NEAR(half_width_of_runs({1, 1, -1, -1}, 0.95), std::sqrt(8) * 4.302653, 1e-5);
    // All the same way: one sum of 4, t of one degree.
    EXPECT_NEAR(half_width_of_runs({1, 1, 1, 1}, 0.95), 4 * kT1, 1e-4);
    EXPECT_EQ(half_width_of_runs({0, 0, 0, 0}, 0.95), 0);
}

TEST(Estimate, TheNextRunIsAsFarFromTheMeanAsRunsAreApart)
{
    // Mean 10, s = 1, three runs: t of two degrees.
    EXPECT_NEAR(half_width_of_next({9, 10, 11}, 0.95), 4.302653 * std::sqrt(4.0 / 3), 1e-5);
}

TEST(Estimate, IndependentCausesAddTheirSquares)
{
    const Estimate e = joined({10, 7, 13}, 4);
    EXPECT_NEAR(e.value, 10, 1e-12);
    EXPECT_NEAR(e.low, 5, 1e-12);
    EXPECT_NEAR(e.high, 15, 1e-12);
}

TEST(Estimate, AMeanDiffersFromZeroByItsError)
{
    // Mean 1; of -1 and 3 the error is 2, of 0.9 and 1.1 it is 0.1: t of one degree is 12.7.
    EXPECT_FALSE(differs_from_zero({-1, 3}, 0.95));
    EXPECT_FALSE(differs_from_zero({0.9, 1.1}, 0.95));
    EXPECT_TRUE(differs_from_zero({0.93, 1.07}, 0.95)); // 0.07 * 12.7 = 0.89
    EXPECT_TRUE(differs_from_zero({-0.93, -1.07}, 0.95));
    EXPECT_FALSE(differs_from_zero({1, -1, 1, -1}, 0.95));
}

} // namespace
} // namespace tlmssd::observe
