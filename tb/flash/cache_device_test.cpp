// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cache reads and cache programs on a whole device: times of chains by hand, data, errors, time limits.
#include "tb/flash/device_rig.h"

namespace tlmssd::tb {
namespace {

using config::CacheOps;
using nand::Fault;
using nand::FaultKind;
using testing::ElementsAre;
using testing::SizeIs;

/// Pages of block 0 in plane 0. tRCBSY and tCBSY are 3 us.
class Cached : public Device {
protected:
    explicit Cached(Tweak tweak = [](config::Config& c) { set(c, CacheOps::Both); }, u32 dies = 1,
                    const std::vector<Fault>& faults = {})
        : Device(dies, tweak, faults)
    {
    }
    static void set(config::Config& c, CacheOps ops)
    {
        c.controller.cache_ops = ops;
        c.nand.t_read_cache = microseconds(3);
        c.nand.t_program_cache = microseconds(3);
    }
    /// One after the other, so that nothing is there to follow; then up to 10 ms.
    void fill(u32 pages)
    {
        for (u32 page = 0; page < pages; ++page) {
            *dram.tags(0) = {70 + page, 1};
            finish(op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, page), 0));
        }
        run_for(event_queue, kStart - event_queue.now());
        ended.clear();
        times.clear();
    }
    void submit_reads(std::initializer_list<u32> pages, u32 sectors = 16, u32 first_sector = 0)
    {
        u32 buffer = 1;
        for (const u32 page : pages) {
            controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 0, page), buffer++, first_sector, sectors));
        }
    }
    /// Behind a read, so that they wait together.
    void submit_programs(u32 pages)
    {
        controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 7, 0), 8));
        for (u32 page = 0; page < pages; ++page) {
            *dram.tags(page * 8192) = {80 + page, 1};
            controller.submit(op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, page), page));
        }
    }
    std::vector<u64> nanoseconds_after(Picoseconds start) const
    {
        std::vector<u64> all;
        for (const Picoseconds t : times) {
            all.push_back((t - start).value() / 1000);
        }
        return all;
    }
    std::vector<u8> statuses() const
    {
        std::vector<u8> all;
        for (const flash_completion& c : ended) {
            all.push_back(c.status);
        }
        return all;
    }
    /// Completions without that of the read.
    void drop_read()
    {
        ASSERT_FALSE(ended.empty());
        EXPECT_EQ(ended.front().status, FLASH_STATUS_OK);
        ended.erase(ended.begin());
        times.erase(times.begin());
    }
    static constexpr Picoseconds kStart = milliseconds(10);
    // 00h addr 30h or 31h 20 + 7 x 25; 31h or 3Fh alone 20 + 25; 80h addr data 15h 20 + 6 x 25 + tADL 70 + burst
    // 8624 / 2 x 6 + 21 + 25; page out 20 + 20 + 30 + 25872; DRAM 50 + 8192 x 0.3125 and ECC 1000; status 161
    static constexpr u64 kCommand = 195, kBare = 45, kIn = 26158, kOut = 25942, kLanding = 3610, kStatus = 161;
    static constexpr u64 kWb = 100, kRead = 50000, kProgram = 900000, kCache = 3000;
    static constexpr u64 kTurn = 80; ///< what tRHW, 100, adds to a command after a burst out
};

// 50 us of array are longer than a burst: after the first page each takes tR. Page 0: 30h, tR, 31h, tRCBSY, burst.
TEST_F(Cached, ReadsOfAChainTakeOneArrayTimeEach)
{
    fill(4);
    submit_reads({0, 1, 2, 3});
    run_for(event_queue, microseconds(400));
    const u64 first = kCommand + kWb + kRead + kBare + kWb + kCache; // ready; the array reads page 1 from here on
    EXPECT_THAT(nanoseconds_after(kStart),
                ElementsAre(first + kOut + kLanding, first + kRead + kOut + kLanding,
                            first + 2 * kRead + kOut + kLanding, first + 3 * kRead + kOut + kLanding));
    for (u32 page = 0; page < 4; ++page) {
        EXPECT_EQ(*dram.tags((page + 1) * 8192), (UnitTag{70 + page, 1}));
    }
    EXPECT_EQ(port.channel_statistics(0).cache_reads, 3u);
    EXPECT_EQ(port.channel_statistics(0).page_reads, 4u);
    expect_clean();
}

// One after the other: 4 x (command, tR, burst), and tRHW between them.
class NotCached : public Cached {
protected:
    NotCached() : Cached([](config::Config& c) { set(c, CacheOps::Program); }) {}
};
TEST_F(NotCached, ReadsTakeTurnsWithTheirBursts)
{
    fill(4);
    submit_reads({0, 1, 2, 3});
    run_for(event_queue, microseconds(400));
    EXPECT_EQ(nanoseconds_after(kStart).back(), 4 * (kCommand + kWb + kRead + kOut) + 3 * kTurn + kLanding);
    EXPECT_EQ(port.channel_statistics(0).cache_reads, 0u);
    expect_clean();
}

// 10 us of array are hidden behind a burst: each page takes its burst, 31h and tRCBSY.
class FastArray : public Cached {
protected:
    FastArray()
        : Cached([](config::Config& c) {
              set(c, CacheOps::Read);
              c.nand.t_read = microseconds(10);
          })
    {
    }
};
TEST_F(FastArray, ReadsOfAChainTakeOneTransferEach)
{
    fill(4);
    submit_reads({0, 1, 2, 3});
    run_for(event_queue, microseconds(400));
    const u64 first = kCommand + kWb + 10000 + kBare + kWb + kCache + kOut;
    const u64 each = kTurn + kBare + kWb + kCache + kOut; // 3Fh takes as long as 31h
    EXPECT_THAT(nanoseconds_after(kStart), ElementsAre(first + kLanding, first + each + kLanding,
                                                       first + 2 * each + kLanding, first + 3 * each + kLanding));
    expect_clean();
}

// Any page of the plane may follow, with its address: 00h addr 31h. Half a page takes 05h column E0h, too.
TEST_F(FastArray, ReadsAnyPageOfThePlaneAndAnyPartOfIt)
{
    fill(4);
    submit_reads({3, 1, 0}, 8, 8);
    run_for(event_queue, microseconds(400));
    // 05h column E0h: 20 + 4 x 25, tCCS 300; the burst 30 + 8 x 539 / 2 x 6
    const u64 half = 20 + 100 + 300 + 30 + 12936;
    const u64 first = kCommand + kWb + 10000 + kCommand + kWb + kCache + half;
    const u64 landing = 1330 + 1000;
    const u64 second = first + kTurn + kCommand + kWb + kCache + half;
    const u64 third = second + kTurn + kBare + kWb + kCache + half;
    EXPECT_THAT(nanoseconds_after(kStart), ElementsAre(first + landing, second + landing, third + landing));
    expect_clean();
}

// 06h addr E0h before each burst: 20 + 7 x 25, tCCS 300, 30 + 25872.
TEST_F(FastArray, ReadsOfBothPlanesChooseTheirs)
{
    fill(2);
    *dram.tags(0) = {90, 1};
    finish(op(FLASH_OP_PROGRAM, geometry.row(0, 1, 0, 0), 0));
    run_for(event_queue, 2 * kStart - event_queue.now());
    ended.clear();
    times.clear();
    submit_reads({0});
    controller.submit(op(FLASH_OP_READ, geometry.row(0, 1, 0, 0), 2));
    controller.submit(op(FLASH_OP_READ, geometry.row(0, 0, 0, 1), 3));
    run_for(event_queue, microseconds(400));
    const u64 out = kCommand + 300 + 30 + 25872;
    const u64 first = kCommand + kWb + 10000 + kCommand + kWb + kCache + out;
    const u64 second = first + kTurn + kCommand + kWb + kCache + out;
    const u64 third = second + kTurn + kBare + kWb + kCache + out;
    EXPECT_THAT(nanoseconds_after(2 * kStart), ElementsAre(first + kLanding, second + kLanding, third + kLanding));
    EXPECT_EQ(*dram.tags(1 * 8192), (UnitTag{70, 1}));
    EXPECT_EQ(*dram.tags(2 * 8192), (UnitTag{90, 1}));
    EXPECT_EQ(*dram.tags(3 * 8192), (UnitTag{71, 1}));
    expect_clean();
}

TEST_F(Cached, AnEraseEndsTheChain)
{
    fill(2);
    submit_reads({0, 1});
    controller.submit(op(FLASH_OP_ERASE, geometry.row(0, 1, 0, 0), 0));
    run_for(event_queue, milliseconds(4));
    EXPECT_THAT(statuses(), ElementsAre(0, 0, 0));
    EXPECT_EQ(port.channel_statistics(0).cache_reads, 1u);
    expect_clean();
}

// 80h data 15h, tCBSY; 80h data 15h: ready when page 0 is programmed; status: its result. The last page by 10h, after
// which one status byte has the results of two. In between the array rests for a status byte at most.
TEST_F(Cached, ProgramsOfAChainHideTheirBursts)
{
    fill(0);
    submit_programs(3);
    run_for(event_queue, milliseconds(4));
    drop_read();
    const u64 begin = kCommand + kWb + kRead + kOut + kTurn;
    const u64 ready = begin + kIn + kWb + kCache; // the array programs page 0 from here on
    const u64 page0 = ready + kProgram;           // and page 1 from here on, whose data came long ago
    const u64 page1 = page0 + kProgram;
    EXPECT_THAT(nanoseconds_after(kStart),
                ElementsAre(page0 + kStatus, page1 + kProgram + kStatus, page1 + kProgram + kStatus));
    EXPECT_THAT(statuses(), ElementsAre(0, 0, 0));
    EXPECT_EQ(port.channel_statistics(0).cache_programs, 2u);
    EXPECT_EQ(port.channel_statistics(0).status_reads, 2u);
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).busy, nanoseconds(page1 + kProgram));
    submit_reads({0, 1, 2});
    run_for(event_queue, microseconds(400));
    for (u32 page = 0; page < 3; ++page) {
        EXPECT_EQ(*dram.tags((page + 1) * 8192), (UnitTag{80 + page, 1}));
    }
    expect_clean();
}

// The block goes bad while page 1 is programmed: page 0 is well, the others fail.
class GoesBad : public Cached {
protected:
    explicit GoesBad(Tweak tweak = [](config::Config& c) { set(c, CacheOps::Both); })
        : Cached(tweak, 1, {{kStart + microseconds(1100), FaultKind::BlockGoesBad, 0, 0, 0}})
    {
    }
};
TEST_F(GoesBad, EachPageGetsItsOwnResult)
{
    fill(0);
    submit_programs(4);
    run_for(event_queue, milliseconds(5));
    drop_read();
    ASSERT_THAT(ended, SizeIs(4));
    for (u32 i = 0; i < 4; ++i) {
        EXPECT_EQ(ended[i].tag, i + 1);
        EXPECT_EQ(ended[i].status, i == 0 ? FLASH_STATUS_OK : FLASH_STATUS_FAIL);
        EXPECT_EQ(ended[i].failed_planes, i == 0 ? 0 : 1);
        EXPECT_EQ(store.torn({0, 0, 0, i}), i != 0);
    }
    EXPECT_EQ(log.count(), 0u);
}

class GoesBadPolled : public GoesBad {
protected:
    GoesBadPolled()
        : GoesBad([](config::Config& c) {
              set(c, CacheOps::Both);
              c.onfi.ready = config::ReadySense::Status;
          })
    {
    }
};
TEST_F(GoesBadPolled, EachPageGetsItsOwnResult)
{
    fill(0);
    submit_programs(4);
    run_for(event_queue, milliseconds(5));
    drop_read();
    EXPECT_THAT(statuses(), ElementsAre(FLASH_STATUS_OK, FLASH_STATUS_FAIL, FLASH_STATUS_FAIL, FLASH_STATUS_FAIL));
    EXPECT_EQ(log.count(), 0u);
}

void with_timeout(config::Config& c)
{
    c.controller.cache_ops = CacheOps::Both;
    c.nand.t_read_cache = c.nand.t_program_cache = microseconds(3);
    c.controller.timeout = milliseconds(2);
}

// It dies while it reads page 1: page 0 has come, nothing else does.
class DiesReading : public Cached {
protected:
    DiesReading() : Cached(with_timeout, 1, {{kStart + microseconds(80), FaultKind::StopsAnswering, 0, 0, 0}}) {}
};
TEST_F(DiesReading, AllThatTheLunHasIsGivenUp)
{
    fill(4);
    submit_reads({0, 1, 2, 3});
    run_for(event_queue, milliseconds(5));
    EXPECT_THAT(statuses(), ElementsAre(FLASH_STATUS_OK, FLASH_STATUS_TIMEOUT, FLASH_STATUS_TIMEOUT,
                                        FLASH_STATUS_TIMEOUT));
    EXPECT_EQ(log.count(), 0u);
    controller.submit(op(FLASH_OP_READ, 0, 0));
    run_for(event_queue, milliseconds(1));
    EXPECT_EQ(statuses().back(), FLASH_STATUS_TIMEOUT) << "the LUN is lost";
}

// It dies while the second page's data are on the bus.
class DiesProgramming : public Cached {
protected:
    DiesProgramming() : Cached(with_timeout, 1, {{kStart + microseconds(120), FaultKind::StopsAnswering, 0, 0, 0}}) {}
};
TEST_F(DiesProgramming, AllThatTheLunHasIsGivenUp)
{
    fill(0);
    submit_programs(4);
    run_for(event_queue, milliseconds(5));
    drop_read();
    ASSERT_THAT(ended, SizeIs(4));
    for (const flash_completion& c : ended) {
        EXPECT_EQ(c.status, FLASH_STATUS_TIMEOUT);
        EXPECT_EQ(c.failed_planes, 1);
    }
    EXPECT_EQ(log.count(), 0u);
}

// No ready line: 31h is polled after tWB + tRCBSY, or when the page before is due.
class CachedPolled : public Cached {
protected:
    CachedPolled()
        : Cached([](config::Config& c) {
              set(c, CacheOps::Both);
              c.onfi.ready = config::ReadySense::Status;
          })
    {
    }
};
TEST_F(CachedPolled, PollsAtTheTimesOfAChain)
{
    fill(3);
    const u64 before = port.channel_statistics(0).status_reads;
    submit_reads({0, 1, 2});
    run_for(event_queue, microseconds(400));
    // After a status byte 31h waits for tRHW; a burst has 00h first: 80 + 20 + 25 + tWHR 80 + 30 + 25872.
    const u64 out = kTurn + 20 + 25 + 80 + 30 + 25872;
    const u64 seen0 = kCommand + kWb + kRead + kStatus;
    const u64 seen1 = seen0 + kTurn + kBare + kWb + kCache + kStatus; // the array reads page 1 since tRCBSY
    const u64 seen2 = seen1 + kRead + kStatus; // as far as the controller knows
    const u64 seen3 = seen2 + kRead + kStatus;
    EXPECT_THAT(nanoseconds_after(kStart),
                ElementsAre(seen1 + out + kLanding, seen2 + out + kLanding, seen3 + out + kLanding));
    EXPECT_EQ(port.channel_statistics(0).status_reads - before, 4u);
    EXPECT_EQ(port.channel_statistics(0).polls, 0u);
    expect_clean();
}

// Each page of level 0 is lost, and read well at level 1. 31h for page 1 has gone by the time that page 0 is found
// lost: page 1 leaves by 3Fh; then page 1 is read again, then page 0, then page 2.
class LostPages : public Cached {
protected:
    LostPages()
        : Cached([](config::Config& c) {
              set(c, CacheOps::Both);
              c.nand.errors.enabled = true;
              c.nand.errors.e = 0.01;
              c.nand.errors.retry_gain = 0.1;
              c.nand.errors.retry_levels = 3;
              c.controller.read_retries = 3;
          })
    {
    }
};
TEST_F(LostPages, AreReadAgainWhenTheChainHasEnded)
{
    fill(3);
    submit_reads({0, 1, 2});
    run_for(event_queue, milliseconds(2));
    ASSERT_THAT(ended, SizeIs(3));
    EXPECT_THAT((std::vector<u32>{ended[0].tag - 3u, ended[1].tag - 3u, ended[2].tag - 3u}), ElementsAre(1, 0, 2));
    for (const flash_completion& c : ended) {
        EXPECT_EQ(c.status, FLASH_STATUS_OK);
        EXPECT_EQ(c.retries, 1);
    }
    for (u32 page = 0; page < 3; ++page) {
        EXPECT_EQ(*dram.tags((page + 1) * 8192), (UnitTag{70 + page, 1}));
    }
    EXPECT_EQ(port.channel_statistics(0).cache_reads, 1u);
    expect_clean();
}

} // namespace
} // namespace tlmssd::tb
