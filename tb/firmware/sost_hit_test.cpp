// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the hit manager of sost against the worked examples of the thesis (section 3.3).
#include "tb/firmware/sost_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

/// Figure 8: one chip. At 0 a write of LPN 9 is in service and one of LPN 5 waits; both came from the
/// cache, by background write-back.
class Figure8 : public Sost {
protected:
    void queue_both(bool hit_manager, u32 return_reads = 0)
    {
        boot(1, FW_BUFFER_LRU, [&](fw_config& c) {
            c.hit_manager = hit_manager;
            c.return_reads = return_reads;
            c.flush_after_us = 50;
        });
        write(9, 1);
        write(5, 1);
        device->fire(FW_MODULE_BUFFER);
        device->run();
        look();
        ASSERT_THAT(started, ElementsAre(Dispatched{0, 0, 9}));
    }
    const hit_manager_page& page_of(u32 lpn) const
    {
        fw* f = device->f();
        return f->buffer->hit_manager[line_find(f, lpn)];
    }
};

TEST_F(Figure8, AnOverwriteTakesTheQueuedWriteBack)
{
    queue_both(true);
    run_to(1);
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 20u);
    EXPECT_EQ(device->programs, 2u);
    EXPECT_EQ(invalid_pages(), 0u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
    device->expect_all_in_flash();
    check_map(*device);
}

TEST_F(Figure8, WithoutTheHitManagerBothVersionsAreProgrammed)
{
    queue_both(false);
    run_to(1);
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 30u);
    EXPECT_EQ(device->programs, 3u);
    EXPECT_EQ(invalid_pages(), 1u);
    EXPECT_EQ(device->stats().cancelled_writes, 0u);
}

TEST_F(Figure8, AWriteInServiceIsNotTakenBack)
{
    queue_both(true);
    run_to(11); // LPN 5 is in service since 10
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 30u);
    EXPECT_EQ(device->programs, 3u);
    EXPECT_EQ(device->stats().cancelled_writes, 0u);
}

TEST_F(Figure8, AWriteThatTheHostWaitsForIsNotTakenBack)
{
    queue_both(true);
    run_to(1);
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    const u32 v3 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 20u) << "its data are in flash when it ends";
    EXPECT_EQ(ends[v3], 30u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
}

TEST_F(Figure8, ATrimTakesTheQueuedWriteBack)
{
    queue_both(true);
    run_to(1);
    const u32 trim = begun(device->issue(HAL_HOST_TRIM, 5 * 8, 8));
    run_all();
    EXPECT_EQ(ends[trim], 1u);
    EXPECT_EQ(device->programs, 1u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
    EXPECT_EQ(device->f()->ftl->map[5], 0u);
}

TEST_F(Figure8, AReadOfAQueuedPageIsAnsweredFromDram)
{
    queue_both(true);
    run_to(2);
    EXPECT_EQ(ends[read(5)], 2u);
    run_to(5);
    EXPECT_EQ(ends[read(9)], 5u); // in service: a hit too
    run_all();
    EXPECT_EQ(device->reads, 0u);
    EXPECT_EQ(device->stats().hit_manager_reads, 2u);
    EXPECT_EQ(now, 20u);
}

TEST_F(Figure8, WithoutTheHitManagerAReadWaitsForTheProgramAndThenReadsFlash)
{
    queue_both(false);
    run_to(2);
    const u32 r5 = read(5);
    run_all();
    EXPECT_EQ(ends[r5], 21u); // response 19
    EXPECT_EQ(device->reads, 1u);
    EXPECT_EQ(device->stats().hit_manager_reads, 0u);
}

TEST_F(Figure8, AReadAfterAnOverwriteGetsTheNewData) // the device checks them
{
    queue_both(true);
    run_to(1);
    write(5, 1, HAL_HOST_FUA);
    run_to(2);
    const u32 r = read(5);
    EXPECT_EQ(ends[r], 2u);
    EXPECT_EQ(page_of(5).overwrites, 1u);
    EXPECT_EQ(page_of(5).reads, 1u); // total hits: 2
    run_all();
    EXPECT_EQ(device->programs, 2u);
}

TEST_F(Figure8, ThreeReadsBringThePageBackAndOneOtherLeavesTheCache)
{
    queue_both(true, 3);
    write(7, 1); // in the cache
    read(5);
    read(5);
    EXPECT_EQ(device->stats().returned_pages, 0u);
    read(5);
    EXPECT_EQ(device->stats().returned_pages, 1u);
    EXPECT_EQ(page_of(5).reads, 3u) << "it takes its count along";
    run_all();
    EXPECT_THAT(started, ElementsAre(Dispatched{0, 0, 9}, Dispatched{10, 0, 7}));
    EXPECT_EQ(device->f()->ftl->map[5], 0u) << "until its next eviction";
    begun(device->flush());
    run_all();
    EXPECT_EQ(started.back(), (Dispatched{20, 0, 5}));
    EXPECT_EQ(device->programs, 3u);
    device->expect_all_in_flash();
    check_map(*device);
}

TEST_F(Figure8, OnlyWritesThatStillWaitAreChancesThatCount)
{
    queue_both(true, 2);
    write(7, 1);
    read(9); // in service
    read(9);
    EXPECT_EQ(device->stats().return_chances, 1u);
    EXPECT_EQ(device->stats().returned_pages, 0u) << "too late for it";
    read(5);
    EXPECT_EQ(device->stats().return_chances, 1u);
    read(5);
    EXPECT_EQ(device->stats().return_chances, 2u);
    EXPECT_EQ(device->stats().returned_pages, 1u);
    run_all();
}

/// 64 page buffers, of which 8 are free or on their way; nothing is ever programmed.
TEST_F(Sost, AWaitingRequestFillsTheQueuesUpToQueuePages)
{
    const std::pair<u32, u32> programming_by_queue[] = {{0, 8}, {4, 8}, {24, 24}, {64, 32}}; // half of 64 at most
    for (const auto& [queue, programming] : programming_by_queue) {
        boot(1, FW_BUFFER_LRU, [q = queue](fw_config& c) { c.queue_pages = q; });
        for (u32 lpn = 0; lpn < 64; ++lpn) {
            write(lpn, 1);
        }
        EXPECT_EQ(device->f()->buffer->programming, 8u) << "nobody waits";
        write(64, 1);
        EXPECT_EQ(device->f()->buffer->programming, programming) << queue;
        forget();
    }
}

TEST_F(Figure8, APageDoesNotComeBackWhereTheCacheHasNoneToGive)
{
    queue_both(true, 3);
    read(5);
    read(5);
    read(5);
    read(5);
    run_all();
    EXPECT_EQ(device->stats().returned_pages, 0u);
    EXPECT_EQ(device->programs, 2u);
}

} // namespace
} // namespace tlmssd::tb
