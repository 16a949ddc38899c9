// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host interface layer alone: splitting, order of transfers, overlaps, FLUSH, TRIM.
#include <gmock/gmock.h>

#include "tb/firmware/hil_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Hil : public HilTest {
protected:
    /// (kind, LPN, first sector, sectors) of the messages sent since the last call.
    using Asked = std::vector<std::array<u32, 4>>;
    Asked asked()
    {
        Asked all;
        for (const fw_message& m : rig.take()) {
            EXPECT_EQ(m.module, static_cast<u32>(FW_MODULE_BUFFER));
            all.push_back({m.kind, m.b, m.c, m.d});
        }
        return all;
    }
    u32 sent() { return static_cast<u32>(rig.take().size()); }
    u64 capacity() const { return u64{rig.config().logical_pages} * 8; }
};

TEST_F(Hil, SplitsAnUnalignedCommandIntoPages)
{
    command(3, HAL_HOST_READ, 5, 14); // sectors 5 to 18
    const std::vector<fw_message> m = rig.take();
    ASSERT_THAT(m, SizeIs(3));
    const u32 expected[3][3] = {{0, 5, 3}, {1, 0, 8}, {2, 0, 3}};
    for (u32 i = 0; i < 3; ++i) {
        EXPECT_EQ(m[i].kind, FW_MSG_PAGE_READ);
        EXPECT_EQ(m[i].tag, 3);
        EXPECT_EQ(m[i].a, i);
        EXPECT_EQ(m[i].b, expected[i][0]);
        EXPECT_EQ(m[i].c, expected[i][1]);
        EXPECT_EQ(m[i].d, expected[i][2]);
        EXPECT_EQ(m[i].e, 3u << FW_PAGE_COUNT_SHIFT) << "pages of the command";
        EXPECT_EQ(m[i].f, m[0].f) << "one request number for the whole command";
    }
}

TEST_F(Hil, KeepsACommandInsideOnePageInOnePiece)
{
    command(0, HAL_HOST_WRITE, 82, 3, HAL_HOST_FUA);
    const fw_message m = rig.take_one();
    EXPECT_EQ(m.kind, FW_MSG_PAGE_WRITE);
    EXPECT_EQ(m.b, 10u);
    EXPECT_EQ(m.c, 2u);
    EXPECT_EQ(m.d, 3u);
    EXPECT_EQ(m.e, HAL_HOST_FUA | 1u << FW_PAGE_COUNT_SHIFT) << "force unit access";
}

TEST_F(Hil, CountsThePagesOfALargeCommandUpTo255)
{
    command(0, HAL_HOST_READ, 0, 300 * 8);
    const std::vector<fw_message> all = rig.take();
    ASSERT_FALSE(all.empty());
    for (const fw_message& m : all) {
        EXPECT_EQ(m.e >> FW_PAGE_COUNT_SHIFT, 255u);
    }
}

TEST_F(Hil, NumbersRequests)
{
    command(0, HAL_HOST_READ, 0, 8);
    const u32 first = rig.take_one().f;
    command(1, HAL_HOST_READ, 8, 8);
    EXPECT_EQ(rig.take_one().f, first + 1);
    EXPECT_NE(first, 0u) << "0 means none";
}

TEST_F(Hil, TransfersInAscendingOrderWhateverGetsReadyFirst)
{
    command(7, HAL_HOST_READ, 5, 14);
    rig.take();
    answer(FW_MSG_PAGE_READY, 7, 2, 30);
    EXPECT_THAT(rig.dmas, IsEmpty());
    answer(FW_MSG_PAGE_READY, 7, 0, 10);
    ASSERT_THAT(rig.dmas, SizeIs(1));
    answer(FW_MSG_PAGE_READY, 7, 1, 20);
    ASSERT_THAT(rig.dmas, SizeIs(3));
    const struct {
        u32 offset, buf, sector, sectors, complete;
    } expected[3] = {{0, 10 * 4096, 5, 3, 0}, {3, 20 * 4096, 0, 8, 0}, {11, 30 * 4096, 0, 3, 1}};
    for (u32 i = 0; i < 3; ++i) {
        EXPECT_EQ(rig.dmas[i].tag, 7);
        EXPECT_EQ(rig.dmas[i].to_host, 1);
        EXPECT_EQ(rig.dmas[i].offset, expected[i].offset);
        EXPECT_EQ(rig.dmas[i].buf, expected[i].buf);
        EXPECT_EQ(rig.dmas[i].sector, expected[i].sector);
        EXPECT_EQ(rig.dmas[i].sectors, expected[i].sectors);
        EXPECT_EQ(rig.dmas[i].complete, expected[i].complete);
    }
}

TEST_F(Hil, ReleasesEachPageOfAReadAndLeavesTheReportToThePort)
{
    command(1, HAL_HOST_READ, 0, 16);
    rig.take();
    answer(FW_MSG_PAGE_READY, 1, 0, 4);
    answer(FW_MSG_PAGE_READY, 1, 1, 5);
    dma_done(1, rig.dmas[0].cookie);
    fw_message m = rig.take_one();
    EXPECT_EQ(m.kind, FW_MSG_PAGE_RELEASE);
    EXPECT_EQ(m.a, 4u);
    EXPECT_FALSE(idle());
    dma_done(1, rig.dmas[1].cookie);
    m = rig.take_one();
    EXPECT_EQ(m.kind, FW_MSG_PAGE_RELEASE);
    EXPECT_EQ(m.a, 5u);
    EXPECT_THAT(rig.ended, IsEmpty());
    EXPECT_TRUE(idle());
}

TEST_F(Hil, ReportsAWriteWhenItsLastPageIsAcknowledged)
{
    command(2, HAL_HOST_WRITE, 0, 16);
    rig.take();
    answer(FW_MSG_PAGE_GRANT, 2, 0, 8);
    answer(FW_MSG_PAGE_GRANT, 2, 1, 9);
    ASSERT_THAT(rig.dmas, SizeIs(2));
    EXPECT_EQ(rig.dmas[0].to_host, 0);
    EXPECT_EQ(rig.dmas[1].complete, 0) << "only the firmware knows when a write is done";
    dma_done(2, 0);
    const fw_message m = rig.take_one();
    EXPECT_EQ(m.kind, FW_MSG_PAGE_RECEIVED);
    EXPECT_EQ(m.a, 8u);
    EXPECT_EQ(m.b, 0u);
    dma_done(2, 1);
    answer(FW_MSG_PAGE_DONE, 2, 1);
    EXPECT_THAT(rig.ended, IsEmpty());
    answer(FW_MSG_PAGE_DONE, 2, 0);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{2, HAL_HOST_OK}));
}

TEST_F(Hil, AnAbortedWriteEndsWithoutItsData)
{
    command(2, HAL_HOST_WRITE, 0, 8);
    rig.take();
    answer(FW_MSG_PAGE_GRANT, 2, 0, 8);
    dma_done(2, 0);
    EXPECT_EQ(rig.take_one().c, 0u) << "the data are there";
    command(3, HAL_HOST_WRITE, 8, 8);
    rig.take();
    answer(FW_MSG_PAGE_GRANT, 3, 0, 9);
    dma_done(3, HAL_HOST_DMA_ABORTED);
    const fw_message m = rig.take_one();
    EXPECT_EQ(m.kind, FW_MSG_PAGE_RECEIVED);
    EXPECT_EQ(m.a, 9u);
    EXPECT_EQ(m.b, 0u);
    EXPECT_EQ(m.c, 1u);
    answer(FW_MSG_PAGE_DONE, 3, 0);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{3, HAL_HOST_OK}));
}

TEST_F(Hil, AsksForAtMost64PagesAtOnce)
{
    command(0, HAL_HOST_READ, 0, 70 * 8);
    EXPECT_EQ(sent(), 64u);
    for (u32 page = 0; page < 70; ++page) {
        answer(FW_MSG_PAGE_READY, 0, page, page);
        dma_done(0, page);
        const Asked m = asked(); // the release, and a further page while there is one
        ASSERT_THAT(m, SizeIs(page + 64 < 70 ? 2 : 1)) << page;
        EXPECT_EQ(m[0][0], static_cast<u32>(FW_MSG_PAGE_RELEASE));
        if (m.size() == 2) {
            EXPECT_EQ(m[1][1], page + 64);
        }
    }
    EXPECT_TRUE(idle());
    for (u32 i = 0; i < 70; ++i) { // slots were remembered beyond the window
        EXPECT_EQ(rig.dmas[i].buf, i * 4096);
        EXPECT_EQ(rig.dmas[i].offset, i * 8);
    }
}

TEST_F(Hil, HoldsBackACommandThatOverlapsOneStillAsking)
{
    command(0, HAL_HOST_WRITE, 0, 66 * 8);
    EXPECT_EQ(sent(), 64u);
    command(1, HAL_HOST_READ, 65 * 8, 8);   // the page that tag 0 has not asked for yet
    command(2, HAL_HOST_READ, 3 * 8, 8);    // overlaps too, although that page has been asked for
    command(3, HAL_HOST_READ, 66 * 8, 8);   // does not overlap
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_READ, 66, 0, 8}));
    answer(FW_MSG_PAGE_DONE, 0);
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_WRITE, 64, 0, 8}));
    answer(FW_MSG_PAGE_DONE, 0);
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_WRITE, 65, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_READ, 65, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_READ, 3, 0, 8}));
}

TEST_F(Hil, HasNoMorePagesOutsideThanThereAreBuffers)
{
    command(0, HAL_HOST_WRITE, 0, 64 * 8);
    command(1, HAL_HOST_WRITE, 64 * 8, 64 * 8);
    command(2, HAL_HOST_READ, 128 * 8, 8);
    EXPECT_EQ(sent(), kSlots);
    answer(FW_MSG_PAGE_DONE, 0); // one buffer free: the older command goes on
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_WRITE, kSlots, 0, 8}));
}

TEST_F(Hil, LetsAReadFollowAWriteOfTheSamePageInOrder)
{
    command(0, HAL_HOST_WRITE, 0, 8);
    command(1, HAL_HOST_READ, 0, 8); // tag 0 has asked for all its pages: order is the buffer's now
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_WRITE, 0, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_READ, 0, 0, 8}));
}

TEST_F(Hil, FlushWaitsForEarlierWritesAndTrims)
{
    command(0, HAL_HOST_WRITE, 0, 8);
    command(1, HAL_HOST_TRIM, 80, 8);
    command(2, HAL_HOST_READ, 160, 8);
    rig.take();
    command(3, HAL_HOST_FLUSH, 0, 0);
    EXPECT_EQ(sent(), 0u);
    answer(FW_MSG_PAGE_DONE, 0);
    EXPECT_EQ(sent(), 0u) << "the trim has not ended";
    answer(FW_MSG_PAGE_DONE, 1);
    const fw_message flush = rig.take_one(); // the read has not ended
    EXPECT_EQ(flush.kind, FW_MSG_FLUSH);
    EXPECT_EQ(flush.tag, 3);
    answer(FW_MSG_PAGE_READY, 2, 0, 1);
    dma_done(2, 0);
    EXPECT_EQ(rig.take_one().kind, FW_MSG_PAGE_RELEASE) << "the FLUSH is sent once";
    answer(FW_MSG_FLUSH_DONE, 3);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{0, 0}, HostEnd{1, 0}, HostEnd{3, 0})) << "a read ends with its data";
    EXPECT_TRUE(idle());
}

TEST_F(Hil, FlushHoldsBackWritesTrimsAndWhatOverlapsThem)
{
    command(0, HAL_HOST_FLUSH, 0, 0);
    EXPECT_EQ(rig.take_one().kind, FW_MSG_FLUSH);
    command(1, HAL_HOST_WRITE, 800, 16); // pages 100 and 101
    command(2, HAL_HOST_TRIM, 1600, 8);  // page 200
    command(3, HAL_HOST_FLUSH, 0, 0);
    EXPECT_EQ(sent(), 0u);
    command(4, HAL_HOST_READ, 816, 8); // page 102
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_READ, 102, 0, 8}));
    command(5, HAL_HOST_READ, 808, 8);
    command(6, HAL_HOST_READ, 1600, 8);
    EXPECT_EQ(sent(), 0u) << "after the write and the trim of their pages";
    command(7, HAL_HOST_READ, 808 - 16, 8); // page 99
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_READ, 99, 0, 8}));
    answer(FW_MSG_FLUSH_DONE, 0);
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_WRITE, 100, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_WRITE, 101, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_TRIM, 200, 0, 8}));
    answer(FW_MSG_PAGE_DONE, 1, 0);
    answer(FW_MSG_PAGE_DONE, 1, 1);
    answer(FW_MSG_PAGE_DONE, 2);
    const fw_message second = rig.take_one(); // the two reads are still behind it
    EXPECT_EQ(second.kind, FW_MSG_FLUSH);
    EXPECT_EQ(second.tag, 3);
    answer(FW_MSG_FLUSH_DONE, 3);
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_READ, 101, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_READ, 200, 0, 8}));
}

TEST_F(Hil, FlushGoesAtOnceWhereNothingIsInside)
{
    command(5, HAL_HOST_FLUSH, 0, 0);
    EXPECT_EQ(rig.take_one().kind, FW_MSG_FLUSH);
    answer(FW_MSG_FLUSH_DONE, 5);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{5, HAL_HOST_OK}));
    EXPECT_TRUE(idle());
}

TEST_F(Hil, RefusesWhatLiesOutsideTheDevice)
{
    command(0, HAL_HOST_READ, capacity(), 1);
    command(1, HAL_HOST_WRITE, capacity() - 1, 2);
    command(2, HAL_HOST_TRIM, ~u64{0}, 2);          // the end wraps around 2^64
    command(3, HAL_HOST_READ, 0, 0xffffffff);
    command(4, HAL_HOST_READ, 0, 0);
    EXPECT_EQ(sent(), 0u);
    EXPECT_THAT(rig.ended,
                ElementsAre(HostEnd{0, HAL_HOST_ERROR}, HostEnd{1, HAL_HOST_ERROR},
                            HostEnd{2, HAL_HOST_ERROR}, HostEnd{3, HAL_HOST_ERROR},
                            HostEnd{4, HAL_HOST_ERROR}));
    EXPECT_TRUE(idle());
    command(0, HAL_HOST_READ, capacity() - 1, 1); // the tag is free again, the last sector exists
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_READ,
                                                        rig.config().logical_pages - 1, 7, 1}));
}

TEST_F(Hil, TrimsWholePagesOnly)
{
    command(0, HAL_HOST_TRIM, 5, 22); // sectors 5 to 26: pages 1 and 2 whole
    EXPECT_THAT(asked(), ElementsAre(std::array<u32, 4>{FW_MSG_PAGE_TRIM, 1, 0, 8},
                                     std::array<u32, 4>{FW_MSG_PAGE_TRIM, 2, 0, 8}));
    answer(FW_MSG_PAGE_DONE, 0);
    EXPECT_THAT(rig.ended, IsEmpty());
    answer(FW_MSG_PAGE_DONE, 0);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{0, HAL_HOST_OK}));
}

TEST_F(Hil, EndsATrimOfLessThanAPageAtOnce)
{
    command(0, HAL_HOST_TRIM, 5, 10); // parts of pages 0 and 1
    EXPECT_EQ(sent(), 0u);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{0, HAL_HOST_OK}));
    EXPECT_TRUE(idle());
}

TEST_F(Hil, TrimsBeyondTheWindowWithAPartialPageAtTheEnd)
{
    command(0, HAL_HOST_TRIM, 0, 66 * 8 + 1); // 66 whole pages and a sector
    EXPECT_EQ(sent(), 64u);
    for (u32 i = 0; i < 66; ++i) {
        EXPECT_THAT(rig.ended, IsEmpty());
        answer(FW_MSG_PAGE_DONE, 0);
    }
    EXPECT_EQ(sent(), 2u);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{0, HAL_HOST_OK}));
}

/// Notes how many cycles of the step had passed when each message was sent.
struct SendTimes : ModuleRig {
    using ModuleRig::ModuleRig;
    void send(u32 core, const hal_message& message) override
    {
        at.push_back(f()->step_cycles);
        ModuleRig::send(core, message);
    }
    u64 read(u64 lba, u32 sectors)
    {
        const u64 before = f()->stats.cycles[FW_MODULE_HIL];
        hal_event event{};
        event.kind = HAL_EVENT_HOST_COMMAND;
        event.u.command = hal_host_command{lba, sectors, 3, HAL_HOST_READ, 0, {}};
        give(FW_MODULE_HIL, event);
        return f()->stats.cycles[FW_MODULE_HIL] - before;
    }
    std::vector<u64> at;
};

TEST(HilCommandCycles, AreSpentOnceACommandBehindTheRequestsForItsPages)
{
    fw_config config = small_config();
    SendTimes plain(config);
    config.command_cycles = 5000;
    SendTimes slow(config);
    const u64 cycles = plain.read(5, 14); // three pages
    EXPECT_EQ(slow.read(5, 14), cycles + 5000);
    EXPECT_THAT(slow.at, SizeIs(3));
    EXPECT_EQ(slow.at, plain.at) << "the buffer's core can begin as early as without";
}

TEST(HilCommandCycles, AreNotSpentOnWhatIsRefused)
{
    fw_config config = small_config();
    SendTimes plain(config);
    config.command_cycles = 5000;
    SendTimes slow(config);
    const u64 beyond = u64{config.logical_pages} * 8;
    EXPECT_EQ(slow.read(beyond, 8), plain.read(beyond, 8));
}

TEST_F(Hil, StopsAtATagInUse)
{
    command(1, HAL_HOST_READ, 0, 8);
    EXPECT_THROW(command(1, HAL_HOST_READ, 8, 8), FirmwarePanic);
    EXPECT_THROW(command(static_cast<u16>(rig.config().host_tags), HAL_HOST_READ, 8, 8),
                 FirmwarePanic);
}

} // namespace
} // namespace tlmssd::tb
