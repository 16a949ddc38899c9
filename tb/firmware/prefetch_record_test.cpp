// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher (docs/explanation/prefetch.md): which sequences it keeps and recognises.
#include <random>

#include "tb/firmware/prefetch_rig.h"

namespace tlmssd::tb {
namespace {

TEST_F(Prefetch, LearnsAnewAfterThreeWrongOnes)
{
    boot_as(FW_PREFETCH_BASELINE);
    launch(sequence(1, 12));
    std::vector<u32> changed = sequence(1, 12);
    for (u32 i = 5; i < 12; ++i) {
        changed[i] = 120 + i;
    }
    for (u32 i = 0; i < 3; ++i) {
        launch(changed);
        EXPECT_EQ(stats().prefetch_aborted, i + 1);
        EXPECT_EQ(stats().prefetch_recorded, 1u);
    }
    launch(changed);
    EXPECT_EQ(stats().prefetch_recorded, 2u);
    EXPECT_EQ(stats().prefetch_aborted, 3u);
    EXPECT_EQ(stats().prefetch_finished, 1u);
}

TEST_F(Prefetch, RemembersTheSequencesThatWereUsedLast)
{
    boot_as(FW_PREFETCH_BASELINE); // two
    const std::vector<u32> a = sequence(1, 10), b = sequence(3, 10), c = sequence(5, 10);
    launch(a);
    launch(b);
    launch(a); // known, so b is the older one
    EXPECT_EQ(stats().prefetch_recognised, 1u);
    launch(c);
    launch(a);
    EXPECT_EQ(stats().prefetch_recognised, 2u);
    launch(b);
    EXPECT_EQ(stats().prefetch_recognised, 2u) << "c has its place";
    EXPECT_EQ(stats().prefetch_recorded, 3u);
}

TEST_F(Prefetch, RemembersTheBeginningOfALongSequence)
{
    boot_as(FW_PREFETCH_FAST);
    const std::vector<u32> pages = sequence(1, 60); // 40 are kept
    launch(pages);
    forget_pages();
    launch(pages);
    EXPECT_EQ(stats().prefetch_pages, 37u);
    EXPECT_EQ(stats().prefetch_finished, 1u);
    EXPECT_EQ(stats().prefetch_unused, 0u);
}

TEST_F(Prefetch, SeesWhatHasItsPriorityOnly)
{
    boot_as(FW_PREFETCH_BASELINE, [](fw_config& c) { c.prefetch_priority = 2; });
    const std::vector<u32> pages = sequence(1, 8);
    const auto whole = [&](u32 priority) {
        pause();
        for (const u32 lpn : pages) {
            read_page(lpn, priority << HAL_HOST_PRIORITY_SHIFT);
            read_page(200 + lpn, 1u << HAL_HOST_PRIORITY_SHIFT); // others between them
        }
        land();
    };
    whole(1);
    whole(1);
    EXPECT_EQ(stats().prefetch_recorded, 0u);
    whole(2);
    whole(3);
    EXPECT_EQ(stats().prefetch_recognised, 1u);
    EXPECT_EQ(stats().prefetch_finished, 1u);
}

/// Random launches of a few applications with noise, against all windows compared one by one.
TEST_F(Prefetch, RecognisesExactlyTheWindowsThatItKeeps)
{
    for (u32 seed = 1; seed <= 60; ++seed) {
        std::mt19937 random(seed);
        const u32 match = 1 + random() % 5, anchors = 1 + random() % 6;
        boot_as(FW_PREFETCH_BASELINE, [=](fw_config& c) {
            c.prefetch_match = match;
            c.prefetch_anchors = anchors;
            c.prefetch_sequences = 64; // none is displaced
            c.prefetch_misses = 1000;
        });
        std::vector<std::vector<u32>> apps(3), kept;
        for (std::vector<u32>& app : apps) {
            app.resize(12);
            for (u32& lpn : app) {
                lpn = random() % 12; // they share windows
            }
        }
        for (u32 l = 0; l < 12; ++l) {
            std::vector<u32> pages = apps[random() % 3];
            for (u32& lpn : pages) {
                lpn = random() % 5 == 0 ? random() % 12 : lpn;
            }
            bool known = false;
            pause();
            for (u32 i = 0; i < pages.size(); ++i) {
                read_page(pages[i]);
                for (const std::vector<u32>& s : kept) {
                    for (u32 w = 0; !known && i + 1 >= match && w < anchors && w + match < s.size(); ++w) {
                        known = std::equal(s.begin() + w, s.begin() + w + match, pages.begin() + i + 1 - match);
                    }
                }
                ASSERT_EQ(state().recognised != FW_NONE, known) << seed << " " << l << " " << i;
            }
            land();
            if (!known) {
                kept.push_back(pages);
            }
        }
        pause();
        read_page(150);
        EXPECT_EQ(stats().prefetch_recorded, kept.size());
    }
}

} // namespace
} // namespace tlmssd::tb
