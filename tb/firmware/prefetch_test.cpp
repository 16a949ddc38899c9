// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher (docs/explanation/prefetch.md): what it brings, when, and what it gives up.
#include "tb/firmware/prefetch_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(Prefetch, TakesItsMemoryOnlyWhereItWorks)
{
    fw_config c = small_config();
    EXPECT_EQ(prefetch_bytes(&c), 0u);
    boot_as(FW_PREFETCH_NONE);
    EXPECT_EQ(rig->f()->buffer->prefetch, nullptr);
    launch(sequence(1, 10));
    launch(sequence(1, 10));
    EXPECT_EQ(stats().prefetch_recorded, 0u);
    EXPECT_EQ(stats().prefetch_pages, 0u);
}

TEST_F(Prefetch, BaselineBringsTheRestOneByOne)
{
    boot_as(FW_PREFETCH_BASELINE);
    const std::vector<u32> pages = sequence(1, 8);
    launch(pages);
    forget_pages();
    pause();
    EXPECT_EQ(stats().prefetch_recorded, 0u) << "the pause is seen by the read that ends it";
    read_page(pages[0]);
    EXPECT_EQ(stats().prefetch_recorded, 1u);
    read_page(pages[1]);
    EXPECT_THAT(open, IsEmpty());
    read_page(pages[2]);
    EXPECT_EQ(stats().prefetch_recognised, 1u);
    for (u32 i = 3; i < 8; ++i) {
        EXPECT_THAT(on_their_way(), ElementsAre(pages[i]));
        EXPECT_EQ(rig->f()->ops[open[0]].flags & FW_OP_PRIORITY, 0);
        EXPECT_EQ(rig->f()->ops[open[0]].request, 0u);
        finish(0);
        look();
    }
    EXPECT_THAT(open, IsEmpty());
    for (u32 i = 3; i < 8; ++i) {
        read_page(pages[i]);
    }
    EXPECT_EQ(stats().prefetch_pages, 5u);
    EXPECT_EQ(stats().prefetch_hits, 5u);
    EXPECT_EQ(stats().prefetch_unused, 0u);
    EXPECT_EQ(stats().prefetch_late, 0u);
    EXPECT_EQ(stats().prefetch_finished, 1u);
    EXPECT_EQ(state().held, 0u);
}

TEST_F(Prefetch, FastStaysItsLeadBeforeTheHostAndKeepsItsDepth)
{
    boot_as(FW_PREFETCH_FAST);
    const std::vector<u32> pages = sequence(1, 20);
    launch(pages);
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i]);
    }
    EXPECT_THAT(on_their_way(), ElementsAre(pages[3], pages[4], pages[5], pages[6])); // depth 4
    land();
    EXPECT_EQ(stats().prefetch_pages, 6u); // lead 6
    read_page(pages[3]);
    EXPECT_THAT(on_their_way(), ElementsAre(pages[9]));
    read_page(pages[9]);
    EXPECT_EQ(stats().prefetch_late, 1u) << "on its way when the host asked";
}

/// The 16 items that the host will read soon, then metadata, then the others.
TEST_F(Prefetch, TwoPhaseBringsMetadataBeforeLaterData)
{
    boot_as(FW_PREFETCH_TWO_PHASE);
    const std::vector<u32> pages = sequence(1, 30);
    const auto kind = [](u32 i) { return i % 4 == 0 ? u32{FW_PAGE_SERIAL} : 0; };
    for (u32 i = 0; i < 30; ++i) {
        read_page(pages[i], kind(i));
    }
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i], kind(i));
    }
    std::vector<u32> order;
    while (!open.empty()) {
        order.push_back(lpn_of(open[0]));
        finish(0);
        look();
    }
    std::vector<u32> expected;
    for (const u32 i : {3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, //
                        20, 24, 28, 19, 21, 22, 23, 25, 26, 27, 29}) {
        expected.push_back(pages[i]);
    }
    EXPECT_EQ(order, expected);
    EXPECT_EQ(stats().prefetch_pages, 27u);
}

/// Nothing is brought that the buffer has; `present` says why.
TEST_F(Prefetch, CountsWhatTheBufferHasAlready)
{
    boot_as(FW_PREFETCH_FAST);
    const std::vector<u32> pages = sequence(1, 20);
    launch(pages);
    launch(pages);
    EXPECT_EQ(stats().prefetch_recognised, 1u);
    EXPECT_EQ(stats().prefetch_pages, 0u);
    EXPECT_EQ(stats().prefetch_present, 17u);
}

TEST_F(Prefetch, DepthFollowsTheIdleDies)
{
    boot_as(FW_PREFETCH_FAST, [](fw_config& c) {
        c.prefetch_depth = 0;
        c.prefetch_lead = 30;
    });
    const fw_config& c = rig->config();
    const u32 dies = c.channels * c.ways * c.dies;
    ASSERT_LE(dies, 16u);
    const std::vector<u32> pages = sequence(1, 25);
    launch(pages);
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i]);
    }
    EXPECT_THAT(open, SizeIs(dies));
    request(FW_MSG_PAGE_READ, 31, 150); // the host keeps a die busy
    look();
    EXPECT_THAT(open, SizeIs(dies + 1));
    finish(0);
    look();
    EXPECT_THAT(open, SizeIs(dies)) << "no new one in the place of the one that has come";
}

TEST_F(Prefetch, YieldsToAReadThatWaitsForTheFlash)
{
    for (const u32 yield : {0u, 1u}) {
        boot_as(FW_PREFETCH_BASELINE, [=](fw_config& c) { c.prefetch_yield = yield; });
        const std::vector<u32> pages = sequence(1, 10);
        launch(pages);
        forget_pages();
        pause();
        for (u32 i = 0; i < 3; ++i) {
            read_page(pages[i]);
        }
        request(FW_MSG_PAGE_READ, 31, 150);
        look();
        EXPECT_THAT(on_their_way(), ElementsAre(pages[3], 150));
        finish(0);
        look();
        EXPECT_THAT(open, SizeIs(yield != 0 ? 1 : 2));
        finish(0); // the host's
        look();
        EXPECT_THAT(on_their_way(), ElementsAre(pages[4]));
    }
}

TEST_F(Prefetch, HoldsAShareOfTheBufferAtMost)
{
    boot_as(FW_PREFETCH_TWO_PHASE, [](fw_config& c) { c.prefetch_held = 5; });
    const std::vector<u32> pages = sequence(1, 20);
    launch(pages);
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i]);
    }
    land();
    EXPECT_EQ(stats().prefetch_pages, 5u);
    read_page(pages[3]);
    EXPECT_THAT(on_their_way(), ElementsAre(pages[8]));
    EXPECT_EQ(state().held, 5u);
}

/// All buffers hold clean pages of the cache: with `displace` they make room, else they stay.
TEST_F(Prefetch, DisplacesTheCacheOrNot)
{
    for (const u32 displace : {0u, 1u}) {
        boot_as(FW_PREFETCH_BASELINE, [=](fw_config& c) { c.prefetch_clean_victims = displace; });
        const std::vector<u32> pages = sequence(1, 10);
        launch(pages);
        pause();
        for (u32 lpn = 110; lpn < 180; ++lpn) {
            read_page(lpn);
        }
        land();
        ASSERT_LE(rig->f()->buffer->free_count, rig->f()->buffer->low_water);
        pause();
        for (u32 i = 0; i < 3; ++i) {
            read_page(pages[i]);
        }
        EXPECT_EQ(stats().prefetch_recognised, 1u);
        EXPECT_EQ(stats().prefetch_pages, displace);
    }
}

TEST_F(Prefetch, GivesUpAWrongPredictionAndItsPages)
{
    boot_as(FW_PREFETCH_TWO_PHASE);
    const std::vector<u32> pages = sequence(1, 20);
    launch(pages);
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i]);
    }
    finish(0); // one has come, three are on their way
    look();
    read_page(150); // one miss does no harm
    EXPECT_EQ(stats().prefetch_aborted, 0u);
    read_page(pages[3]);
    read_page(151);
    read_page(152); // two in a row
    EXPECT_EQ(stats().prefetch_aborted, 1u);
    EXPECT_EQ(state().playing, FW_NONE);
    const u64 brought = stats().prefetch_pages;
    land();
    EXPECT_EQ(stats().prefetch_pages, brought);
    read_page(153);
    EXPECT_EQ(state().held, 0u) << "all let go, also those that came later";
    EXPECT_EQ(stats().prefetch_unused, brought - 1);
    EXPECT_EQ(rig->f()->buffer->free_count, rig->config().lines - 8) << "only what the host has read is kept";
    pause();
    read_page(154);
    EXPECT_EQ(stats().prefetch_recorded, 1u) << "a launch that went elsewhere is not kept";
}

/// The host's write comes while the page is being read from flash: it waits, then the page is the host's.
TEST_F(Prefetch, AWriteWaitsForAPageOnItsWayAndWins)
{
    boot_as(FW_PREFETCH_BASELINE);
    const std::vector<u32> pages = sequence(1, 8);
    launch(pages);
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i]);
    }
    ASSERT_THAT(on_their_way(), ElementsAre(pages[3]));
    write(30, pages[3]);
    look();
    EXPECT_THAT(answers, IsEmpty());
    finish(0);
    look();
    const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, 30);
    received(30, slot);
    look();
    EXPECT_EQ(rig->f()->buffer->lines[slot].dirty, 1);
    EXPECT_EQ(stats().prefetch_unused, 1u);
    EXPECT_EQ(state().held, state().fetching);
    read_page(pages[3]);
    EXPECT_EQ(stats().prefetch_hits, 0u) << "the write's data";
}

} // namespace
} // namespace tlmssd::tb
