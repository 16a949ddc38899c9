// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of fio's random distributions against closed forms.
#include "models/workload/random/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/common/hash.h"
#include "tb/workload/generated.h"

namespace tlmssd::workload::test {
namespace {

using config::Rw;

constexpr u64 kDraws = 200000;

double unit(u64 i) { return draw_unit(draw64(11, 12, i)); }

TEST(Pareto, GivesAShareHOfTheRanksTheRest)
{
    // rank / (n - 1) < h  <=>  u < h^(1/e) with e = log h / log(1 - h), so u < 1 - h.
    for (const double h : {0.1, 0.2, 0.5, 0.9}) {
        const Pareto pareto(100001, h);
        double hits = 0;
        for (u64 i = 0; i < kDraws; ++i) {
            const u64 rank = pareto.rank(unit(i));
            ASSERT_LT(rank, 100001u);
            hits += static_cast<double>(rank) < h * 100000 ? 1 : 0;
        }
        EXPECT_NEAR(hits, (1 - h) * kDraws, five_sigma(kDraws, 1 - h)) << h;
    }
}

TEST(Pareto, MeanIsThatOfAPower)
{
    // E[u^e] = 1 / (e + 1); variance 1 / (2e + 1) - 1 / (e + 1)^2. Floor takes half a rank.
    const double e = std::log(0.2) / std::log(0.8);
    const Pareto pareto(1000001, 0.2);
    double sum = 0;
    for (u64 i = 0; i < kDraws; ++i) {
        sum += static_cast<double>(pareto.rank(unit(i)));
    }
    const double variance = 1 / (2 * e + 1) - 1 / ((e + 1) * (e + 1));
    EXPECT_NEAR(sum / kDraws, 1e6 / (e + 1) - 0.5, 5 * 1e6 * std::sqrt(variance / kDraws));
}

TEST(Normal, HasTheMeanAndVarianceOfItsParts)
{
    // Mean of twelve uniforms over n: variance n^2 / 12 / 12. Uniform offset of width w: w^2 / 12.
    constexpr double kN = 1000000;
    for (const double deviation : {0.0, 5.0, 25.0, 50.0, 80.0}) {
        const Normal normal(1000000, deviation);
        double sum = 0;
        double squares = 0;
        for (u64 i = 0; i < kDraws; ++i) {
            const auto rank = static_cast<double>(normal.rank(1, 2, i));
            ASSERT_LT(rank, kN);
            sum += rank;
            squares += rank * rank;
        }
        const double width = std::min(deviation, 50.0) / 100; // more counts as 50 per cent
        const double variance = kN * kN * (1 / 144.0 + width * width / 12);
        const double mean = sum / kDraws;
        EXPECT_NEAR(mean, kN / 2 - 0.5, 5 * std::sqrt(variance / kDraws)) << deviation;
        // The variance of a sample variance is at most 2 sigma^4 / n for these flat tails.
        EXPECT_NEAR(squares / kDraws - mean * mean, variance,
                    5 * variance * std::sqrt(2.0 / kDraws))
            << deviation;
    }
}

std::vector<u64> hits_of(const std::string& rule, u64 blocks, Rw rw = Rw::RandRead)
{
    auto workload = generated(rw, kDraws);
    workload.random_distribution = distribution(rule);
    std::vector<u64> hits(blocks);
    for (const Request& request : run(workload, blocks * 8)) {
        ++hits[request.lba / 8];
    }
    return hits;
}

/// Requests to the most popular `share` of the blocks, as a share of all.
double hottest(std::vector<u64> hits, double share)
{
    std::sort(hits.rbegin(), hits.rend());
    const auto n = static_cast<std::size_t>(share * static_cast<double>(hits.size()));
    u64 sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += hits[i];
    }
    return static_cast<double>(sum) / kDraws;
}

TEST(Spread, KeepsEachBlocksShare)
{
    // Pareto 0.2 over 1,000 blocks: the first 20 % of the ranks get 80 % of the requests, and so do
    // the hottest blocks, wherever they lie. The continuous share of the first k: (k/n)^(1/e).
    const auto hits = hits_of("pareto:0.2", 1000);
    const double e = std::log(0.2) / std::log(0.8);
    for (const double share : {0.01, 0.1, 0.2}) {
        // n - 1 instead of n, and hits of equally popular blocks sorted: within 2 per cent.
        EXPECT_NEAR(hottest(hits, share), std::pow(share, 1 / e), 0.02) << share;
    }
    u64 tenth = 0;
    for (std::size_t i = 0; i < 100; ++i) {
        tenth += hits[i];
    }
    EXPECT_LT(static_cast<double>(tenth) / kDraws, 0.5); // not all hot blocks lie in front
}

TEST(Spread, CenterIsWhereTheHottestBlockLies)
{
    for (const char* rule : {"zipf:1.2:0.25", "pareto:0.1:0.25"}) {
        const auto hits = hits_of(rule, 1001);
        EXPECT_EQ(std::max_element(hits.begin(), hits.end()) - hits.begin(), 250) << rule;
    }
}

TEST(Zoned, EachZoneGetsItsShare)
{
    // 60 % to the first 10 % of the blocks, 30 % to the next 20, 8 % to the next 30, 2 % behind.
    const auto hits = hits_of("zoned:60/10:30/20:8/30:2/40", 1000);
    const double shares[] = {0.6, 0.3, 0.08, 0.02};
    const std::size_t ends[] = {100, 300, 600, 1000};
    std::size_t at = 0;
    for (std::size_t zone = 0; zone < 4; ++zone) {
        const std::size_t first = at;
        u64 sum = 0;
        for (; at < ends[zone]; ++at) {
            sum += hits[at];
        }
        EXPECT_NEAR(static_cast<double>(sum), shares[zone] * kDraws,
                    five_sigma(kDraws, shares[zone]));
        // Uniform inside: chi-square with one degree less than blocks.
        const double expected = static_cast<double>(sum) / static_cast<double>(at - first);
        double chi_square = 0;
        for (std::size_t i = first; i < at; ++i) {
            const double off = static_cast<double>(hits[i]) - expected;
            chi_square += off * off / expected;
        }
        const auto degrees = static_cast<double>(at - first - 1);
        EXPECT_NEAR(chi_square, degrees, 5 * std::sqrt(2 * degrees));
    }
}

TEST(Zoned, ReadsAndWritesHaveTheirOwn)
{
    auto workload = generated(Rw::RandRw, 20000);
    workload.random_distribution = distribution("zoned:100/50:0/50,0/50:100/50");
    for (const Request& request : run(workload, 8000)) {
        ASSERT_EQ(request.lba < 4000, request.kind == Kind::Read);
    }
}

} // namespace
} // namespace tlmssd::workload::test
