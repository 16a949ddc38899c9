// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: write amplification under uniform random writes against the analytic values (docs/explanation/gc-victims.md),
// which are solved for here; hot and cold data.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tb/firmware/device.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kBlocks = 512;
constexpr u32 kPages = 64;
/// When a victim is chosen two blocks are free, the host's has its first page, and collection's is
/// half full on average: so much of the plane holds no data that could be collected.
constexpr double kIdleBlocks = 3.5;

/// The zero of a function that grows, between two points.
template <class F>
double zero_of(F f, double low, double high)
{
    for (u32 i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (f(middle) < 0 ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// FIFO: from one turn of a block to the next the host writes N n (1 - u) pages, and each spares a
/// valid page with 1 - 1 / U: u = exp(-(1 + op)(1 - u)), A = 1 / (1 - u) (Desnoyers 2012).
double fifo(double op)
{
    const double gain = zero_of([=](double g) { return g - 1 + std::exp(-(1 + op) * g); }, 1e-6, 1.0);
    return 1 / gain;
}

/// d-choices (Van Houdt 2013, mean field). s[i]: share of blocks with more than i valid pages; flow
/// down from i + 1 to i: rate (i + 1)(s[i] - s[i + 1]) = P(a victim has at most i). There 1 - s[i]^d;
/// here blocks without an invalid page are not taken: (1 - s[i]^d) / (1 - s[n - 1]^d), which for i = n - 1
/// is 1. The rate follows from the mean, which is n / (1 + op). A = n / (n - sum P(a victim has more than i)).
double d_choices(double op, double d)
{
    std::vector<double> s(kPages + 1, 0.0);
    const auto solve = [&](double rate) {
        const double whole = 1 / (rate * kPages);
        s[kPages - 1] = whole;
        double mean = whole;
        for (u32 i = kPages - 1; i-- > 0;) {
            const auto excess = [&](double x) {
                return rate * (i + 1) * (x - s[i + 1]) - (1 - std::pow(x, d)) / (1 - std::pow(whole, d));
            };
            s[i] = zero_of(excess, s[i + 1], 1.0);
            mean += s[i];
        }
        return mean;
    };
    const double wanted = kPages / (1 + op);
    const double rate = zero_of([&](double r) { return wanted - solve(r); }, 1.0001 / kPages, 10.0);
    solve(rate);
    double victim = 0;
    for (u32 i = 0; i < kPages; ++i) {
        victim += 1 - (1 - std::pow(s[i], d)) / (1 - std::pow(s[kPages - 1], d));
    }
    return kPages / (kPages - victim);
}

/// Greedy: d without end. Victims have j or, with chance q, j - 1 valid pages:
/// (q / j + 1 / (j + 1) + ... + 1 / n) n / (1 + op) = n - j + q (Desnoyers 2012, Bux and Iliadis 2010).
double greedy(double op)
{
    const double mean = kPages / (1 + op);
    double harmonic = 0; // of j + 1 to n
    for (u32 j = kPages; j >= 1; --j) {
        const double q = (harmonic * mean - (kPages - j)) / (1 - mean / j);
        if (q > 0 && q <= 1) {
            return kPages / (kPages - j + q);
        }
        harmonic += 1.0 / j;
    }
    throw std::logic_error("no fixed point");
}

fw_config one_plane(double op, u32 policy)
{
    fw_config c = small_config(1, 1, 1, 1, kBlocks, kPages);
    c.buffer_policy = FW_BUFFER_NONE;
    c.scheduler = FW_SCHED_SERIAL;
    c.gc_policy = policy;
    c.page_bytes = 512; // nothing but the number of pages matters
    c.logical_pages = static_cast<u32>((kBlocks - kIdleBlocks) * kPages / (1 + op));
    return c;
}

/// Of random overwrites once the device has forgotten its filling.
template <class Draw>
double measure(const fw_config& c, u32 warm, u32 counted, Draw lpn)
{
    Device d(c, 11);
    for (u32 i = 0; i < c.logical_pages; ++i) {
        d.write_page(i);
        d.drain();
    }
    const auto write = [&](u32 volumes) {
        for (u32 i = 0; i < volumes * c.logical_pages; ++i) {
            d.write_page(lpn(d));
            d.drain();
        }
    };
    write(warm);
    const fw_stats before = d.stats();
    write(counted);
    return static_cast<double>(d.stats().flash_pages_written - before.flash_pages_written) /
           static_cast<double>(d.stats().host_pages_written - before.host_pages_written);
}

double uniform(const fw_config& c)
{
    return measure(c, 6, 6, [&](Device& d) { return d.draw(c.logical_pages); });
}

/// Prints a row of docs/explanation/gc-victims.md.
void expect_near(const char* policy, double op, const fw_config& c, double expected)
{
    const double found = uniform(c);
    std::printf("amplification: %s, %.0f %%: measured %.3f, theory %.3f, %+.1f %%\n", policy, 100 * op, found,
                expected, 100 * (found / expected - 1));
    EXPECT_NEAR(found, expected, 0.03 * expected) << policy;
}

class Amplification : public testing::TestWithParam<double> {};

TEST_P(Amplification, OfGreedyIsTheAnalyticOne)
{
    const double expected = greedy(GetParam());
    expect_near("greedy", GetParam(), one_plane(GetParam(), FW_GC_POLICY_GREEDY), expected);
    EXPECT_NEAR(d_choices(GetParam(), 1000), expected, 0.01 * expected) << "the same from the other side";
}

TEST_P(Amplification, OfFifoIsTheAnalyticOne)
{
    const double expected = fifo(GetParam());
    expect_near("fifo", GetParam(), one_plane(GetParam(), FW_GC_POLICY_FIFO), expected);
}

TEST_P(Amplification, OfDChoicesIsTheAnalyticOne)
{
    for (const u32 d : {2u, 10u}) {
        fw_config c = one_plane(GetParam(), FW_GC_POLICY_D_CHOICES);
        c.gc_choices = d;
        const double expected = d_choices(GetParam(), d);
        expect_near(d == 2 ? "d_choices 2" : "d_choices 10", GetParam(), c, expected);
    }
}

TEST_P(Amplification, OfRandomIsTheAnalyticOne)
{
    const double expected = d_choices(GetParam(), 1);
    expect_near("random", GetParam(), one_plane(GetParam(), FW_GC_POLICY_RANDOM), expected);
}

/// A window of the whole plane is greedy, of one block FIFO; what lies between is between them.
TEST_P(Amplification, OfAWindowLiesBetweenFifoAndGreedy)
{
    fw_config c = one_plane(GetParam(), FW_GC_POLICY_WINDOWED_GREEDY);
    c.gc_window = 64;
    const double found = uniform(c);
    EXPECT_GT(found, 0.99 * greedy(GetParam()));
    EXPECT_LT(found, 1.01 * fifo(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(OverProvisioning, Amplification, testing::Values(0.07, 0.15, 0.28),
                         [](const auto& test) {
                             return "percent" + std::to_string(std::lround(100 * test.param));
                         });

/// 90 % of the writes fall into 10 % of the pages: what is moved is cold, and better kept apart.
TEST(HotAndCold, AreBetterKeptApart)
{
    fw_config c = one_plane(0.15, FW_GC_POLICY_GREEDY);
    const auto skewed = [&](Device& d) {
        const u32 hot = c.logical_pages / 10;
        return d.draw(10) != 0 ? d.draw(hot) : hot + d.draw(c.logical_pages - hot);
    };
    const double apart = measure(c, 4, 4, skewed);
    c.gc_mixed = 1;
    const double mixed = measure(c, 4, 4, skewed);
    std::printf("amplification: hot and cold: separate %.3f, mixed %.3f\n", apart, mixed);
    EXPECT_LT(apart, 0.9 * mixed);
    EXPECT_GT(apart, 1.0);
}

/// Fewer choices, more copies; FIFO at 28 % by hand: g = 1 - exp(-1.28 g) has its root between
/// 0.40 (1 - exp(-0.512) = 0.4007) and 0.41 (1 - exp(-0.5248) = 0.4083).
TEST(AmplificationTheory, HasItsOrder)
{
    for (const double op : {0.07, 0.15, 0.28}) {
        EXPECT_LT(greedy(op), d_choices(op, 10));
        EXPECT_LT(d_choices(op, 10), d_choices(op, 4));
        EXPECT_LT(d_choices(op, 4), d_choices(op, 2));
        EXPECT_LT(d_choices(op, 2), d_choices(op, 1));
        EXPECT_LT(greedy(op), fifo(op));
    }
    EXPECT_LT(fifo(0.28), 1 / 0.40);
    EXPECT_GT(fifo(0.28), 1 / 0.41);
}

} // namespace
} // namespace tlmssd::tb
