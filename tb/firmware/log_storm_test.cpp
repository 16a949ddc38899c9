// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log-block map under random commands, against models of a few lines that count merges, and with flash
// that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <vector>

#include "tb/firmware/log_rig.h"

namespace tlmssd::tb {
namespace {

/// BAST without flash: of each logical block the pages that exist, and the offsets in its log block.
class BastModel {
public:
    BastModel(u32 blocks, u32 pages, u32 logs)
        : pages_(pages), logs_(logs), exists_(blocks, std::vector<bool>(pages))
    {
    }

    void write(u32 lpn)
    {
        const u32 block = lpn / pages_;
        auto log = std::find_if(log_.begin(), log_.end(), [&](const Log& l) { return l.block == block; });
        if (log != log_.end() && log->offsets.size() == pages_) {
            merge(log);
            log = log_.end();
        }
        if (log == log_.end()) {
            if (log_.size() == logs_) {
                merge(log_.begin());
            }
            log = log_.insert(log_.end(), Log{block, {}});
        }
        log->offsets.push_back(lpn % pages_);
        exists_[block][lpn % pages_] = true;
        log_.splice(log_.end(), log_, log);
        if (log->offsets.size() == pages_ && in_order(*log)) {
            merge(log);
        }
    }
    Merges merges;

private:
    struct Log {
        u32 block;
        std::vector<u32> offsets;
    };
    static bool in_order(const Log& log)
    {
        for (u32 i = 0; i < log.offsets.size(); ++i) {
            if (log.offsets[i] != i) {
                return false;
            }
        }
        return true;
    }
    void merge(std::list<Log>::iterator log)
    {
        const std::vector<bool>& exists = exists_[log->block];
        const u32 end = static_cast<u32>(exists.rend() - std::find(exists.rbegin(), exists.rend(), true));
        const u32 first = in_order(*log) ? static_cast<u32>(log->offsets.size()) : 0;
        ++(!in_order(*log) ? merges.fulls : first < end ? merges.partials : merges.switches);
        for (u32 i = first; i < end; ++i) {
            ++(exists[i] ? merges.copied : merges.fillers);
        }
        log_.erase(log);
    }

    u32 pages_, logs_;
    std::vector<std::vector<bool>> exists_;
    std::list<Log> log_; ///< the one written longest ago first
};

// Writes of one to eight pages in order, at random places: all kinds of merges.
TEST(LogMerges, OfBastAreThoseOfTheModel)
{
    Merges all; // of 15 devices: each kind has been met often
    for (const u64 seed : {1, 2, 3, 4, 5}) {
        for (const u32 logs : {1u, 2u, 5u}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", log blocks " + std::to_string(logs));
            LogDevice d(log_config(false, logs, 12), seed);
            BastModel model(12, 8, logs);
            for (u32 i = 0; i < 600; ++i) {
                const u32 count = 1 + d.draw(8);
                const u32 first = d.draw(2) == 0 ? d.draw(12) * 8 : d.draw(12 * 8 - count);
                for (u32 lpn = first; lpn < first + count; ++lpn) {
                    d.write(lpn);
                    model.write(lpn);
                    ASSERT_EQ(merges(d), model.merges) << "write " << i << " of LPN " << lpn;
                }
                d.read(d.draw(12 * 8));
            }
            all.switches += model.merges.switches;
            all.partials += model.merges.partials;
            all.fulls += model.merges.fulls;
            all.fillers += model.merges.fillers;
            ASSERT_NO_FATAL_FAILURE(check_map(d));
            EXPECT_EQ(d.stats().flash_pages_written,
                      d.stats().host_pages_written + model.merges.copied + model.merges.fillers);
        }
    }
    EXPECT_GT(all.switches, 100u);
    EXPECT_GT(all.partials, 100u);
    EXPECT_GT(all.fulls, 100u);
    EXPECT_GT(all.fillers, 0u);
}

/// Those that neither translate late nor place writes themselves.
std::vector<u32> schedulers()
{
    std::vector<u32> all;
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) {
        if (!has_trait(s, SCHED_TRANSLATES_LATE | SCHED_PLACES_WRITES)) {
            all.push_back(s);
        }
    }
    return all;
}

fw_config storm_config(bool fast, u32 scheduler, u32 number)
{
    fw_config c = log_config(fast, 2 + number % 4, 6, 2 + number % 3, 2, 2);
    c.logical_pages -= 3; // the last block is no whole one
    c.scheduler = scheduler;
    c.buffer_policy = number % FW_BUFFER_COUNT;
    c.page_padding = c.buffer_policy == FW_BUFFER_BPLRU;
    c.wear_dynamic = number & 1;
    c.lines = 24;
    spread(c, 1 + number % 3);
    return c;
}

TEST(LogStorm, EveryReadBringsTheLastWrite)
{
    u32 number = 0;
    Merges all;
    for (const bool fast : {false, true}) {
        for (const u32 scheduler : schedulers()) {
            for (u32 i = 0; i < 6; ++i) {
                SCOPED_TRACE(std::string(fast ? "fast " : "bast ") + kSchedulers[scheduler] + " " +
                             std::to_string(number));
                Device d(storm_config(fast, scheduler, number), number + 1);
                ++number;
                d.capacity = one_a_die(scheduler) ? 4 : 20;
                for (u32 round = 0; round < 4; ++round) {
                    storm(d, 150);
                    d.expect_all_in_flash();
                    ASSERT_NO_FATAL_FAILURE(check_map(d));
                }
                read_back(d);
                const Merges m = merges(d);
                all = {all.switches + m.switches, all.partials + m.partials, all.fulls + m.fulls,
                       all.copied + m.copied,     all.fillers + m.fillers,   all.drops + m.drops};
            }
        }
    }
    EXPECT_GT(all.switches, 100u);
    EXPECT_GT(all.partials, 100u);
    EXPECT_GT(all.fulls, 1000u);
    EXPECT_GT(all.fillers, 0u);
    EXPECT_GT(all.drops, 0u);
}

TEST(LogStorm, PagesThatCannotBeReadAreLostAndNothingElse)
{
    u64 lost = 0;
    for (const bool fast : {false, true}) {
        for (const u64 seed : {1, 2, 3}) {
            Device d(storm_config(fast, FW_SCHED_HOST, static_cast<u32>(seed)), seed);
            fill(d);
            for (u32 round = 0; round < 10; ++round) {
                for (u32 i = 0; i < 4; ++i) {
                    const u32 entry = d.map_entry(d.draw(d.config().logical_pages));
                    if (ftl_is_mapped(entry)) {
                        d.unreadable.insert(entry - 1);
                    }
                }
                storm(d, 100);
                d.expect_all_in_flash();
                ASSERT_NO_FATAL_FAILURE(check_map(d));
            }
            lost += d.stats().pages_lost;
        }
    }
    EXPECT_GT(lost, 20u);
}

// A few blocks fail, fewer than a plane has spare: nothing shows to the host.
TEST(LogStorm, BlocksThatFailAreRetired)
{
    u64 retired = 0;
    for (const bool fast : {false, true}) {
        for (u32 number = 0; number < 8; ++number) {
            SCOPED_TRACE(number);
            fw_config c = storm_config(fast, schedulers()[number % schedulers().size()], number);
            c.blocks += 6;
            Device d(c, 100 + number);
            d.mark_bad(0, 0, 3);
            d.faults = {60, 100, 0, 4};
            for (u32 round = 0; round < 4; ++round) {
                storm(d, 150);
                d.expect_all_in_flash();
                ASSERT_NO_FATAL_FAILURE(check_map(d));
            }
            EXPECT_EQ(d.stats().read_only, 0u);
            retired += d.stats().blocks_retired;
        }
    }
    EXPECT_GT(retired, 30u);
}

// Half of what is programmed and erased fails at last: it ends read-only, and nothing hangs.
TEST(LogStorm, WearsOut)
{
    u32 ended = 0;
    u32 devices = 0;
    for (const bool fast : {false, true}) {
        for (const u32 scheduler : schedulers()) {
            SCOPED_TRACE(std::string(fast ? "fast " : "bast ") + kSchedulers[scheduler]);
            Device d(storm_config(fast, scheduler, scheduler), 10 + scheduler);
            d.capacity = one_a_die(scheduler) ? 4 : 20;
            fill(d);
            d.faults = {100, 500, 0, ~0u};
            for (u32 round = 0; round < 60 && d.stats().read_only == 0; ++round) {
                storm(d, 100);
            }
            storm(d, 100);
            ++devices;
            ended += d.stats().read_only != 0;
            EXPECT_EQ(d.inside(), 0u);
        }
    }
    EXPECT_EQ(ended, devices);
}

TEST(LogWear, TheLeastWornFreeBlockIsNext)
{
    u32 spread[2];
    for (const u32 dynamic : {0u, 1u}) {
        fw_config c = log_config(false, 2, 4, 6);
        c.wear_dynamic = dynamic;
        LogDevice d(c);
        d.write(0, 32);
        for (u32 i = 0; i < 400; ++i) {
            d.write(8 + d.draw(16));
        }
        u32 least = ~0u;
        u32 most = 0;
        for (u32 b = 0; b < d.config().blocks; ++b) {
            const u32 erases = d.f()->ftl->blocks[b].erases;
            if (d.f()->ftl->blocks[b].state == BLOCK_FREE) {
                least = std::min(least, erases);
                most = std::max(most, erases);
            }
        }
        spread[dynamic] = most - least;
    }
    EXPECT_LE(spread[1], 1u);
}

} // namespace
} // namespace tlmssd::tb
