// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RBER formula on hand sums, numbers of wrong bits and of failures against their
// probabilities. Sampling errors are stated at 4 sigma where a test uses them.
#include <gtest/gtest.h>

#include <cmath>

#include "models/common/hash.h"
#include "models/nand/errors/binomial.h"
#include "models/nand/errors/error_model.h"
#include "tb/support/geometry.h"

namespace tlmssd::nand {
namespace {

Geometry geometry()
{
    return tb::make_geometry().dies(4).planes(2).blocks(512).pages(16);
}

config::Nand part()
{
    config::Nand n;
    n.endurance = 1000;
    n.errors.enabled = true;
    n.errors.max_erases = 1e6;
    n.errors.max_days = 1000;
    n.errors.max_reads = 1e9;
    n.errors.retry_gain = 0.5;
    return n;
}

ErrorModel model(const config::Nand& n, u64 seed = 1) { return ErrorModel(n, geometry(), seed); }

CellState cells(u32 erases, double days, u64 reads, u32 retry = 0)
{
    return {Place{}, erases, reads, days, retry};
}

// --- binomial quantiles

/// P(X <= k) by long double sums over logarithms: another way than the code under test.
long double cumulative(u32 n, double p, u32 k)
{
    long double sum = 0;
    const long double top = std::lgamma(static_cast<long double>(n) + 1);
    for (u32 i = 0; i <= k; ++i) {
        const long double x = i;
        sum += std::exp(top - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                        x * std::log(static_cast<long double>(p)) +
                        (n - x) * std::log1p(-static_cast<long double>(p)));
    }
    return sum;
}

TEST(BinomialQuantile, HandValues)
{
    // n = 2, p = 0.5: P is 0.25, 0.75, 1
    EXPECT_EQ(binomial_quantile(2, 0.5, 0.0), 0u);
    EXPECT_EQ(binomial_quantile(2, 0.5, 0.249), 0u);
    EXPECT_EQ(binomial_quantile(2, 0.5, 0.251), 1u);
    EXPECT_EQ(binomial_quantile(2, 0.5, 0.749), 1u);
    EXPECT_EQ(binomial_quantile(2, 0.5, 0.751), 2u);
    EXPECT_EQ(binomial_quantile(1, 0.1, 0.89), 0u);
    EXPECT_EQ(binomial_quantile(1, 0.1, 0.91), 1u);
    EXPECT_EQ(binomial_quantile(0, 0.5, 0.9), 0u);
    EXPECT_EQ(binomial_quantile(4312, 0.0, 0.999), 0u);
}

TEST(BinomialQuantile, IsTheQuantileFromOneBitToAHundredThousand)
{
    u32 cases = 0;
    for (const u32 n : {1u, 7u, 100u, 4312u, 100000u}) {
        for (const double p : {1e-9, 1e-5, 1e-3, 0.0147, 0.0149, 0.05, 0.3, 0.5}) {
            for (const double u : {0.0, 1e-6, 0.01, 0.3, 0.5, 0.77, 0.99, 0.999999, 1 - 1e-10}) {
                const u32 k = binomial_quantile(n, p, u);
                ASSERT_LE(k, n);
                // The reference's own error: lgamma(1e5) is 1e6, of which 1e-19 and 10^3 terms.
                EXPECT_GT(cumulative(n, p, k), u - 2e-12L) << n << " " << p << " " << u;
                if (k > 0) {
                    EXPECT_LE(cumulative(n, p, k - 1), u + 2e-12L) << n << " " << p << " " << u;
                }
                ++cases;
            }
        }
    }
    EXPECT_EQ(cases, 5u * 8 * 9);
}

TEST(BinomialQuantile, StaysNearTheMeanAtTheLastNumberBelowOne)
{
    const double last = 1 - 0x1p-53;
    // np = 43.1, sigma = 6.5; np = 50000, sigma = 158: within 12 sigma, not at n
    EXPECT_LT(binomial_quantile(4312, 0.01, last), 43u + 12 * 7);
    EXPECT_GT(binomial_quantile(4312, 0.01, last), 43u + 6 * 6);
    EXPECT_LT(binomial_quantile(100000, 0.5, last), 50000u + 12 * 159);
    EXPECT_GT(binomial_quantile(100000, 0.5, 0), 50000u - 40 * 159);
}

TEST(BinomialQuantile, GrowsWithProbabilityAndWithTheDraw)
{
    for (u64 i = 0; i < 300; ++i) {
        const double u = draw_unit(draw64(3, 1, i));
        u32 before = 0;
        for (double p = 1e-5; p < 0.5; p *= 1.13) {
            const u32 k = binomial_quantile(4312, p, u);
            ASSERT_GE(k, before) << p << " " << u;
            before = k;
        }
        const double p = draw_unit(draw64(3, 2, i)) * 0.5;
        EXPECT_LE(binomial_quantile(4312, p, u * 0.9), binomial_quantile(4312, p, u));
    }
}

// --- the formula

TEST(Rber, IsTheSumOfFloorWearRetentionAndDisturb)
{
    config::Nand n = part();
    config::NandErrors& c = n.errors;
    c.e = 1e-6;
    c.a = 1e-9, c.k = 2;
    c.b = 1e-10, c.m = 1, c.n = 0.5;
    c.g = 1e-12, c.p = 1, c.q = 0.5;
    const ErrorModel m = model(n);
    EXPECT_DOUBLE_EQ(m.rber(cells(0, 0, 0)), 1e-6);
    // 1e-6 + 1e-9 * 100^2 = 1.1e-5
    EXPECT_DOUBLE_EQ(m.rber(cells(100, 0, 0)), 1.1e-5);
    // + 1e-10 * 100 * sqrt(25) = 5e-8
    EXPECT_DOUBLE_EQ(m.rber(cells(100, 25, 0)), 1.105e-5);
    // + 1e-12 * 100 * sqrt(10000) = 1e-8
    EXPECT_DOUBLE_EQ(m.rber(cells(100, 25, 10000)), 1.106e-5);
    // two retry levels: a quarter
    EXPECT_DOUBLE_EQ(m.rber(cells(100, 25, 10000, 2)), 1.106e-5 / 4);
}

// facts of the 2y-nm MLC fit (Kim, Choi, Min 2019), computed apart: N = 3000, t = 0: 1.13e-4;
// N = 3000, t = 30 days, r = 10^4: 1.96e-4.
TEST(Rber, PublishedMlcFitGivesItsFigures)
{
    config::Nand n = part();
    config::NandErrors& c = n.errors;
    c.e = 8.34e-5;
    c.a = 3.30e-11, c.k = 1.71;
    c.b = 5.56e-19, c.m = 2.49, c.n = 3.33;
    c.g = 6.26e-13, c.p = 1.76, c.q = 0.47;
    EXPECT_NEAR(model(n).rber(cells(3000, 0, 0)), 1.13e-4, 0.005e-4);
    EXPECT_NEAR(model(n).rber(cells(3000, 30, 10000)), 1.96e-4, 0.005e-4);
}

TEST(Rber, InputsAreClampedAndTheResultIsAtMostAHalf)
{
    config::Nand n = part();
    config::NandErrors& c = n.errors;
    c.e = 0;
    c.a = 1e-6, c.k = 1;
    c.b = 1e-9, c.m = 1, c.n = 1;
    c.g = 1e-12, c.p = 1, c.q = 1;
    c.max_erases = 100;
    c.max_days = 10;
    c.max_reads = 1000;
    const ErrorModel m = model(n);
    // 1e-6 * 100 + 1e-9 * 100 * 10 + 1e-12 * 100 * 1000 = 1e-4 + 1e-6 + 1e-7
    EXPECT_DOUBLE_EQ(m.rber(cells(5000, 365, 1000000)), 1.011e-4);
    c.a = 1;
    EXPECT_EQ(model(n).rber(cells(5000, 0, 0)), 0.5);
}

TEST(Rber, FollowsThePageType)
{
    config::Nand n = part();
    n.errors.e = 1e-4;
    n.bits_per_cell = 3;
    n.pairing = config::Pairing::Adjacent;
    n.types[0].rber_factor = 0.5;
    n.types[1].rber_factor = 1;
    n.types[2].rber_factor = 1.5;
    const ErrorModel m = model(n);
    CellState c;
    for (c.place.page = 0; c.place.page < 6; ++c.place.page) {
        EXPECT_DOUBLE_EQ(m.rber(c), 1e-4 * (0.5 + 0.5 * (c.place.page % 3)));
    }
}

// Four layers of four pages each; a layer's factor is uniform in 1 +- 0.6.
TEST(Rber, LayersDifferAndBlocksOfADieDoNot)
{
    config::Nand n = part();
    n.errors.e = 1e-4;
    n.errors.layers = 4;
    n.errors.layer_spread = 0.6;
    const ErrorModel m = model(n, 5);
    for (u32 die = 0; die < 4; ++die) {
        for (u32 page = 0; page < 16; ++page) {
            const double u = draw_unit(draw64(5, 0x6c79, die * 4 + page / 4));
            const double expected = 1e-4 * (1 + 0.6 * (2 * u - 1));
            for (const u32 block : {0u, 77u, 511u}) {
                CellState c;
                c.place = {die, 1, block, page};
                EXPECT_DOUBLE_EQ(m.rber(c), expected);
            }
        }
    }
    CellState first, second;
    second.place.page = 4;
    EXPECT_NE(m.rber(first), m.rber(second));
}

// --- wrong bits

TEST(BitErrors, MeanAndVarianceAreThoseOfTheBinomial)
{
    const ErrorModel m = model(part());
    constexpr u32 kBits = 4312;
    for (const double p : {1e-4, 2e-3, 0.02}) {
        double sum = 0, squares = 0;
        u32 count = 0;
        const double mean = kBits * p;
        for (u32 block = 0; block < 512; ++block) {
            for (u32 page = 0; page < 16; ++page) {
                CellState c = cells(7, 0, 0);
                c.place = {1, 1, block, page};
                for (u32 codeword = 0; codeword < 4; ++codeword) {
                    const double x = m.bit_errors(c, p, codeword, kBits) - mean;
                    sum += x;
                    squares += x * x;
                    ++count;
                }
            }
        }
        ASSERT_EQ(count, 32768u);
        // sigma of the mean: sqrt(variance / 32768); of the variance: variance *
        // sqrt((2 + 1 / variance) / 32768) (fourth moment of a near-Poisson sum). 4 of each.
        const double variance = mean * (1 - p);
        EXPECT_NEAR(sum / count, 0, 4 * std::sqrt(variance / count)) << p;
        EXPECT_NEAR(squares / count, variance,
                    4 * variance * std::sqrt((2 + 1 / variance) / count))
            << p;
    }
}

TEST(BitErrors, BelongToThePageItsWearAndTheCodeword)
{
    const ErrorModel m = model(part());
    const ErrorModel other_seed = model(part(), 2);
    u32 by_page = 0, by_erases = 0, by_codeword = 0, by_seed = 0;
    for (u32 block = 0; block < 200; ++block) {
        CellState c = cells(7, 0, 0);
        c.place.block = block;
        const u32 k = m.bit_errors(c, 0.01, 0, 4312);
        EXPECT_EQ(m.bit_errors(c, 0.01, 0, 4312), k); // reading again finds the same
        c.days = 3;
        c.block_reads = 9;
        EXPECT_EQ(m.bit_errors(c, 0.01, 0, 4312), k); // these act through RBER only
        EXPECT_LE(m.bit_errors(c, 0.005, 0, 4312), k);
        by_codeword += m.bit_errors(c, 0.01, 1, 4312) != k;
        by_seed += other_seed.bit_errors(c, 0.01, 0, 4312) != k;
        c.place.page = 1;
        by_page += m.bit_errors(c, 0.01, 0, 4312) != k;
        c.place.page = 0;
        c.erases = 8;
        by_erases += m.bit_errors(c, 0.01, 0, 4312) != k;
    }
    // Two draws of sigma 6.5 are equal with probability 1 / (2 sqrt(pi) 6.5) = 4.3 per cent: about
    // 9 of 200, sigma 2.9.
    for (const u32 differing : {by_page, by_erases, by_codeword, by_seed}) {
        EXPECT_GT(differing, 200u - 21);
    }
}

// --- failing operations

/// Fraction of the 4096 blocks that have failed by then.
template <class Fails>
double failed(Fails fails)
{
    u32 count = 0;
    for (u32 die = 0; die < 4; ++die) {
        for (u32 plane = 0; plane < 2; ++plane) {
            for (u32 block = 0; block < 512; ++block) {
                count += fails(Place{die, plane, block, 0});
            }
        }
    }
    return count / 4096.0;
}

double four_sigma(double p, double n) { return 4 * std::sqrt(p * (1 - p) / n); }

// Survival of m erases with probability p each to fail: (1 - p)^m.
TEST(EraseFails, EachEraseHasTheConfiguredProbability)
{
    config::Nand n = part();
    n.errors.erase_fail = 0.02;
    const ErrorModel m = model(n);
    for (const u32 erases : {0u, 1u, 9u, 49u}) {
        const double expected = 1 - std::pow(0.98, erases + 1);
        EXPECT_NEAR(failed([&](const Place& p) { return m.erase_fails(p, erases); }), expected,
                    four_sigma(expected, 4096))
            << erases;
    }
    // Of the blocks good at 20 erases (0.98^20 = 66.8 per cent of 4096: 2735), 2 per cent fail.
    u32 good = 0, fail = 0;
    failed([&](const Place& p) {
        good += !m.erase_fails(p, 19);
        fail += !m.erase_fails(p, 19) && m.erase_fails(p, 20);
        return false;
    });
    EXPECT_NEAR(good, 4096 * std::pow(0.98, 20), 4096 * four_sigma(0.668, 4096));
    EXPECT_NEAR(static_cast<double>(fail) / good, 0.02, four_sigma(0.02, 2735));
}

TEST(EraseFails, StaysFailed)
{
    config::Nand n = part();
    n.errors.erase_fail = 0.05;
    n.errors.program_fail = 0.005;
    const ErrorModel m = model(n);
    u32 ever = 0;
    for (u32 block = 0; block < 100; ++block) {
        bool erase_failed = false, program_failed = false;
        for (u32 erases = 0; erases < 60; ++erases) {
            const bool fails = m.erase_fails({0, 0, block, 0}, erases);
            EXPECT_TRUE(fails || !erase_failed);
            erase_failed = fails;
            for (u32 page = 0; page < 16; ++page) {
                const bool program_fails = m.program_fails({0, 0, block, page}, erases);
                EXPECT_TRUE(program_fails || !program_failed);
                program_failed = program_fails;
            }
        }
        ever += erase_failed;
    }
    EXPECT_NEAR(ever / 100.0, 1 - std::pow(0.95, 60), four_sigma(0.954, 100));
}

// The program of page 5 at 3 erases is the 3 * 16 + 6 = 54th of its block.
TEST(ProgramFails, EachProgramHasTheConfiguredProbability)
{
    config::Nand n = part();
    n.errors.program_fail = 0.01;
    const ErrorModel m = model(n);
    const auto at = [&](u32 erases, u32 page) {
        return failed([&](Place p) {
            p.page = page;
            return m.program_fails(p, erases);
        });
    };
    EXPECT_NEAR(at(0, 0), 0.01, four_sigma(0.01, 4096));
    const double expected = 1 - std::pow(0.99, 54);
    EXPECT_NEAR(at(3, 5), expected, four_sigma(expected, 4096));
    n.errors.program_fail = 1;
    EXPECT_TRUE(model(n).program_fails({}, 0));
    n.errors.program_fail = 0;
    EXPECT_FALSE(model(n).program_fails({}, 1000000));
}

TEST(ProgramFails, InitialErasesHaveLeftOnlyGoodBlocks)
{
    config::Nand n = part();
    n.errors.program_fail = 0.01;
    n.errors.erase_fail = 0.01;
    const ErrorModel fresh = model(n);
    n.wear.initial_erases = 3000;
    const ErrorModel worn = model(n);
    for (u32 block = 0; block < 512; ++block) {
        for (const u32 erases : {0u, 2u, 30u}) {
            const Place place{2, 0, block, 3};
            EXPECT_EQ(worn.program_fails(place, 3000 + erases), fresh.program_fails(place, erases));
            EXPECT_EQ(worn.erase_fails(place, 3000 + erases), fresh.erase_fails(place, erases));
        }
    }
}

TEST(FactoryBad, MarksTheConfiguredFractionAndSparesTheFirstBlock)
{
    config::Nand n = part();
    n.errors.factory_bad = 0.02;
    const ErrorModel m = model(n);
    const double fraction =
        failed([&](const Place& p) { return m.factory_bad(p.die, p.plane, p.block); });
    EXPECT_NEAR(fraction, 0.02, four_sigma(0.02, 4096));
    n.errors.factory_bad = 0.2;
    const ErrorModel many = model(n);
    for (u32 seed = 0; seed < 50; ++seed) {
        EXPECT_FALSE(ErrorModel(n, geometry(), seed).factory_bad(seed % 4, 0, 0));
    }
    EXPECT_NEAR(failed([&](const Place& p) { return many.factory_bad(p.die, p.plane, p.block); }),
                0.2, four_sigma(0.2, 4096));
}

TEST(ErrorModel, OneSwitchMakesThePartPerfect)
{
    config::Nand n = part();
    n.errors.e = 0.1;
    n.errors.program_fail = n.errors.erase_fail = 1;
    n.errors.factory_bad = 0.2;
    EXPECT_GT(model(n).rber(cells(0, 0, 0)), 0);
    n.errors.enabled = false;
    const ErrorModel m = model(n);
    EXPECT_FALSE(m.enabled());
    EXPECT_EQ(m.rber(cells(5000, 10, 10)), 0);
    EXPECT_EQ(m.bit_errors(cells(5000, 10, 10), 0, 0, 4312), 0u);
    EXPECT_EQ(failed([&](const Place& p) {
                  return m.program_fails(p, 9) || m.erase_fails(p, 9) ||
                         m.factory_bad(p.die, p.plane, p.block);
              }),
              0);
}

} // namespace
} // namespace tlmssd::nand
