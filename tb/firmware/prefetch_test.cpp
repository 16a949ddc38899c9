// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the smart controller in the buffer room alone (docs/prefetch.md); the test plays host and flash.
#include <random>

#include "tb/firmware/buffer_rig.h"
#include "tb/firmware/private.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Prefetch : public BufferTest {
protected:
    void boot_as(u32 mode, const std::function<void(fw_config&)>& change = [](fw_config&) {})
    {
        fw_config c = small_config();
        c.prefetch_mode = mode;
        c.prefetch_match = 3;
        c.prefetch_anchors = 2;
        c.prefetch_sequences = 2;
        c.prefetch_pages = 40;
        c.prefetch_gap_us = 100;
        c.prefetch_misses = 2;
        c.prefetch_depth = 4;
        c.prefetch_lead = 6;
        c.prefetch_held = 32;
        c.prefetch_clean_victims = 1;
        change(c);
        rig = std::make_unique<RoomRig>(c);
        rig->now_us = 1000;
        open.clear();
        tag = 0;
    }
    void look()
    {
        collect();
        open.insert(open.end(), ops.begin(), ops.end());
    }
    void finish(std::size_t i)
    {
        const u32 index = open.at(i);
        open.erase(open.begin() + static_cast<long>(i));
        op_done(index);
    }
    u32 lpn_of(u32 i) const { return rig->f()->ops[i].lpn; }
    std::vector<u32> on_their_way() const
    {
        std::vector<u32> all;
        for (const u32 i : open) {
            all.push_back(lpn_of(i));
        }
        return all;
    }
    /// A read that the host waits for; what is under way for other pages stays so. `flags`: as in PAGE_READ.
    void read_page(u32 lpn, u32 flags = FW_PAGE_SERIAL)
    {
        rig->now_us += 10;
        tag = (tag + 1) % 32;
        request(FW_MSG_PAGE_READ, tag, lpn, 0, 8, flags);
        look();
        if (answers.empty()) {
            const auto own = std::find_if(open.begin(), open.end(), [&](u32 i) { return lpn_of(i) == lpn; });
            ASSERT_NE(own, open.end()) << lpn;
            finish(static_cast<std::size_t>(own - open.begin()));
            const std::vector<u32> before = ops;
            look();
        }
        release(expect_answer(FW_MSG_PAGE_READY, tag));
    }
    void land()
    {
        while (!open.empty()) {
            finish(0);
            look();
        }
    }
    void launch(const std::vector<u32>& pages)
    {
        pause();
        for (const u32 lpn : pages) {
            ASSERT_NO_FATAL_FAILURE(read_page(lpn));
        }
        land();
    }
    void pause() { rig->now_us += 1000; }
    /// Nothing of the launches so far is in the buffer any more.
    void forget_pages()
    {
        fw_buffer* b = rig->f()->buffer;
        for (u32 i = 0; i < rig->config().slots; ++i) {
            if (b->slots[i].idle) {
                slot_give(rig->f(), i);
            }
        }
        ASSERT_EQ(b->free_count, rig->config().slots);
    }
    static std::vector<u32> sequence(u32 first, u32 count) // 7 apart
    {
        std::vector<u32> pages(count);
        for (u32 i = 0; i < count; ++i) {
            pages[i] = first + 7 * i % 97;
        }
        return pages;
    }
    const fw_prefetch& state() const { return *rig->f()->buffer->prefetch; }

    std::vector<u32> open;
    u16 tag = 0;
};

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

TEST_F(Prefetch, TwoPhaseBringsMetadataFirst)
{
    boot_as(FW_PREFETCH_TWO_PHASE);
    const std::vector<u32> pages = sequence(1, 11);
    const auto kind = [](u32 i) { return i % 4 == 0 ? u32{FW_PAGE_SERIAL} : 0; };
    for (u32 i = 0; i < 11; ++i) {
        read_page(pages[i], kind(i));
    }
    forget_pages();
    pause();
    for (u32 i = 0; i < 3; ++i) {
        read_page(pages[i], kind(i));
    }
    EXPECT_THAT(on_their_way(), ElementsAre(pages[4], pages[8], pages[3], pages[5]));
    land();
    EXPECT_EQ(stats().prefetch_pages, 8u);
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
    EXPECT_EQ(rig->f()->buffer->free_count, rig->config().slots - 8) << "only what the host has read is kept";
    pause();
    read_page(154);
    EXPECT_EQ(stats().prefetch_recorded, 1u) << "a launch that went elsewhere is not kept";
}

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
    EXPECT_EQ(rig->f()->buffer->slots[slot].dirty, 1);
    EXPECT_EQ(stats().prefetch_unused, 1u);
    EXPECT_EQ(state().held, state().fetching);
    read_page(pages[3]);
    EXPECT_EQ(stats().prefetch_hits, 0u) << "the write's data";
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
