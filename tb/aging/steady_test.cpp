// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: when write amplification counts as steady.
#include <gtest/gtest.h>

#include "models/aging/steady.h"

namespace tlmssd::aging {
namespace {

TEST(Steady, NeedsAllWindows)
{
    Steady steady(3, 0.02, 100);
    EXPECT_FALSE(steady.add(250));
    EXPECT_FALSE(steady.add(250));
    EXPECT_EQ(steady.best().size, 0u);
    EXPECT_TRUE(steady.add(250));
    EXPECT_EQ(steady.windows(), 3u);
    EXPECT_EQ(steady.best().programs, 750u);
    EXPECT_EQ(steady.best().written, 300u);
}

TEST(Steady, ComparesTheRangeWithTheMean)
{
    // 1.99, 2.00, 2.01: the range 0.02 is 0.01 of the mean 2.
    Steady at(3, 0.0101, 100), below(3, 0.0099, 100);
    for (const u64 programs : {199, 200}) {
        EXPECT_FALSE(at.add(programs));
        EXPECT_FALSE(below.add(programs));
    }
    EXPECT_TRUE(at.add(201));
    EXPECT_FALSE(below.add(201));
    EXPECT_NEAR(below.best().change, 0.01, 1e-12);
}

TEST(Steady, ForgetsWhatLiesBeforeTheLastWindows)
{
    Steady steady(2, 0.01, 100);
    EXPECT_FALSE(steady.add(100)); // 1.0
    EXPECT_FALSE(steady.add(300)); // 3.0
    EXPECT_TRUE(steady.add(300));
    EXPECT_EQ(steady.best().programs, 600u) << "not the first";
}

TEST(Steady, WavesOfTwoWindowsAgreeInPairs)
{
    // 9, 11, 9, 11: no two windows agree, but each pair has 10.
    Steady steady(2, 0.01, 10);
    EXPECT_FALSE(steady.add(90));
    EXPECT_FALSE(steady.add(110));
    EXPECT_FALSE(steady.add(90));
    EXPECT_TRUE(steady.add(110));
    EXPECT_EQ(steady.best().size, 2u);
    EXPECT_EQ(steady.best().change, 0.0);
    EXPECT_EQ(steady.best().written, 40u);
}

TEST(Steady, ARisingOneIsNotSteadyInAnyGroups)
{
    Steady steady(4, 0.05, 100); // each window 2 % above the one before
    double waf = 1;
    for (u32 i = 0; i < 200; ++i, waf *= 1.02) {
        EXPECT_FALSE(steady.add(static_cast<u64>(1e6 * waf))) << i;
    }
}

TEST(Steady, SaysWhatIsMissing)
{
    const config::Config config = config::load_text(
        "nand: {page_bytes: 4096, spare_bytes: 224}\n"
        "geometry: {channels: 1, ways: 1, dies: 1, planes: 1, blocks: 64, pages: 16}\n"
        "ftl: {over_provisioning: 1}\nprecondition: {steady: true, steady_limit: 3}\n",
        "test", config::Overrides{}); // 1024 pages, 512 logical
    Steady steady(5, 0.02, 512);
    steady.add(1024);
    EXPECT_EQ(steady.missed(config.precondition, config.logical_pages(), 512),
              "precondition.steady_limit: 3 times the logical pages are not enough: after 1.00 times "
              "(windows of 512 pages) there were 1 of 5 windows (precondition.steady_windows) since the "
              "device was full once: raise the limit");
    for (u32 i = 0; i < 4; ++i) {
        steady.add(512);
    }
    // 2, 1, 1, 1, 1: range 1, mean 1.2.
    EXPECT_EQ(steady.missed(config.precondition, config.logical_pages(), 1536),
              "precondition.steady_limit: 3 times the logical pages are not enough: after 3.00 times "
              "(windows of 512 pages) the write amplification of the last groups of 1 was 2.000 1.000 "
              "1.000 1.000 1.000, a change of 0.8333 where precondition.steady_change is 0.02: raise the "
              "limit, or steady_change above what was reached");
}

} // namespace
} // namespace tlmssd::aging
