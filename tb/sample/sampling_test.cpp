// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how many windows, and how long.
#include "models/sample/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"

namespace tlmssd::sample {
namespace {

/// Intervals of this half-width: IOPS and mean, and the tail.
Analysis narrow(double mean, double tail)
{
    Analysis a;
    a.settled = true;
    a.iops = {100, 100 - 100 * mean, 100 + 100 * mean};
    a.all.mean_us = {10, 10 - 5 * mean, 10 + 5 * mean}; // half as wide
    a.all.p99_us = {50, 50 - 50 * tail, 50};
    return a;
}

TEST(Sampling, TheFirstPassHas32Windows)
{
    const Plan plan = first_plan(1'000'000, 32, 5);
    EXPECT_EQ(plan.windows, 32u);
    EXPECT_EQ(plan.length, 2048u);
    EXPECT_EQ(plan.draw, 5u);
    EXPECT_EQ(plan.warmup(), 512u);
    EXPECT_EQ(plan.measured(), 1536u);
    EXPECT_EQ(first_plan(10'000'000, 256, 5).length, 64u * 256);
}

TEST(Sampling, AWorkloadHasTwiceTheRequestsOfItsWindows)
{
    const u64 least = 32 * 2 * (2048 + 32);
    EXPECT_NO_THROW(first_plan(least, 32, 1));
    try {
        first_plan(least - 1, 32, 1);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("133119 requests, and 32 windows need 133120"));
    }
}

// A section has at least 65,536 requests, 16,384 of warm-up before them, and half of its stratum is free for its place.
TEST(Sampling, SectionsAreAnEighthOfALongWorkload)
{
    Plan plan;
    plan_sections(plan, 10'240'000, 32);
    EXPECT_EQ(plan.sections, 8u);
    EXPECT_EQ(plan.section_length, 10'240'000u / 64);
    EXPECT_EQ(plan.section_warmup(), 40'000u);
    Plan shorter;
    plan_sections(shorter, 8 * 2 * (65'536 + 16'384 + 32), 32);
    EXPECT_EQ(shorter.sections, 8u);
    EXPECT_EQ(shorter.section_length, 65'536u);
    Plan none;
    plan_sections(none, 8 * 2 * (65'536 + 16'384 + 32) - 1, 32);
    EXPECT_EQ(none.sections, 0u);
    EXPECT_EQ(kParts % plan.sections, 0u);
}

// The t of two degrees is 4.303, of four 2.776: 2.776 sqrt(6/5) / (4.303 sqrt(4/3)) = 0.6122.
TEST(Sampling, MoreRunsAreMadeOnlyWhereTheyAreEnough)
{
    EXPECT_FALSE(more_runs_are_enough(1));
    EXPECT_TRUE(more_runs_are_enough(1.001));
    EXPECT_TRUE(more_runs_are_enough(1.633));
    EXPECT_FALSE(more_runs_are_enough(1.634));
}

TEST(Sampling, NoWindowsMakeUpForRunsThatDiffer)
{
    const SampleOptions options; // 2 %
    Analysis a;
    a.runs_differ = 0.03;
    EXPECT_TRUE(runs_differ_more(a, options, false));
    EXPECT_FALSE(runs_differ_more(a, options, true)); // IOPS are the workload's
    a.means_differ = 0.021;
    EXPECT_TRUE(runs_differ_more(a, options, true));
    a.means_differ = 0.02;
    EXPECT_FALSE(runs_differ_more(a, options, true));
}

TEST(Sampling, TheWidestIntervalDecides)
{
    const SampleOptions options; // 2 % and 5 %
    EXPECT_NEAR(excess(narrow(0.02, 0.01), options, false), 1, 1e-9);
    EXPECT_NEAR(excess(narrow(0.01, 0.10), options, false), 2, 1e-9);
    EXPECT_NEAR(excess(narrow(0.04, 0.05), options, false), 2, 1e-9);
    EXPECT_NEAR(excess(narrow(0.04, 0.05), options, true), 1, 1e-9); // IOPS are the workload's
}

TEST(Sampling, WindowsGrowByTheSquareOfTheExcess)
{
    const Plan plan{100, 2048, 7};
    const Next twice = next_plan(plan, narrow(0.04, 0), 2, 100'000'000, 32);
    EXPECT_TRUE(twice.more);
    EXPECT_EQ(twice.plan.windows, 480u); // 100 * 2^2 * 1.2
    EXPECT_EQ(twice.plan.length, 2048u);
    EXPECT_EQ(twice.plan.draw, 8u);
    Plan with_sections = plan;
    plan_sections(with_sections, 100'000'000, 32);
    EXPECT_EQ(next_plan(with_sections, narrow(0.04, 0), 2, 100'000'000, 32).plan.sections, 0u); // once
    EXPECT_EQ(next_plan(plan, narrow(0.2, 0), 10, 100'000'000, 32).plan.windows, 1600u); // 16 times at most
    const Next full = next_plan(plan, narrow(0.04, 0), 2, 300 * 2 * (2048 + 32), 32);
    EXPECT_TRUE(full.more);
    EXPECT_EQ(full.plan.windows, 300u); // as many as there is space for
    EXPECT_FALSE(next_plan(plan, narrow(0.04, 0), 2, 100 * 2 * (2048 + 32), 32).more);
}

TEST(Sampling, ATrendAsksForLongerWindows)
{
    Analysis a = narrow(0.001, 0);
    a.settled = false;
    const Next next = next_plan({32, 2048, 1}, a, 0.05, 32 * 2 * (4096 + 32), 32);
    EXPECT_TRUE(next.more);
    EXPECT_EQ(next.plan.windows, 32u);
    EXPECT_EQ(next.plan.length, 4096u);
    EXPECT_FALSE(next_plan({32, 2048, 1}, a, 0.05, 32 * 2 * (4096 + 32) - 1, 32).more);
}

} // namespace
} // namespace tlmssd::sample
