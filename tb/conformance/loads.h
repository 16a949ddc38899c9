// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the conformance suite's loads: storms on tiny devices, and crowds that starve somebody.
#pragma once

#include <algorithm>

#include "tb/conformance/rig.h"

namespace tlmssd::tb {

/// 8 dies of 2 planes, or 2 of 1; garbage is collected soon. The switches that let operations pass
/// each other are on.
inline fw_config conformance_config(u32 scheduler, u32 policy, bool small)
{
    fw_config c = small ? small_config(1, 2, 1, 1, 12, 4) : small_config(2, 2, 2, 2, 12, 4);
    c.scheduler = scheduler;
    c.buffer_policy = policy;
    c.host_streams = FW_STREAMS_PER_REQUEST;
    c.host_reads_first = 1;
    c.sost_reads_first = 1;
    spread(c, small ? 1 : 4);
    return c;
}

/// `commands` of 1 to 24 sectors in the first `sectors`: writes (some FUA), reads, trims, FLUSHes; up
/// to 32 at once. Ends when the device is idle. Returns how many were issued.
inline u32 overlap_storm(Device& d, u32 commands, u32 sectors)
{
    u32 issued = 0;
    for (; issued < commands; ++issued) {
        d.tick_until(d.draw(d.config().host_tags));
        const u32 n = 1 + d.draw(24);
        const u64 lba = d.draw(sectors - n + 1);
        const u32 kind = d.draw(100);
        const u8 priority = static_cast<u8>(d.draw(4) << HAL_HOST_PRIORITY_SHIFT);
        if (kind < 50) {
            const u8 fua = d.draw(8) == 0 ? HAL_HOST_FUA : 0;
            d.issue(HAL_HOST_WRITE, lba, n, static_cast<u8>(priority | fua));
        } else if (kind < 88) {
            d.issue(HAL_HOST_READ, lba, n, priority);
        } else if (kind < 94) {
            d.issue(HAL_HOST_TRIM, lba, n);
        } else {
            d.flush();
        }
    }
    d.tick_until(0);
    while (d.tick()) {
    }
    return issued;
}

/// One die, depth 32: 31 jobs read it without end, one writes to it, each command a page.
/// By hand: what stands before a command when nothing may pass it any more is at most the 31
/// others, of which one is a write; then its own. So no wait is longer than
///     limit + 31 reads + 1 program.
struct ReadersAgainstAWriter {
    static constexpr u32 kReaders = 31;
    static u64 bound_us(u64 limit_us) { return limit_us + kReaders * 50 + 500; }

    static fw_config config(u32 scheduler)
    {
        fw_config c = conformance_config(scheduler, FW_BUFFER_NONE, true);
        c.ways = 1;
        c.blocks = 64;
        c.pages = 16;
        c.logical_pages = 512;
        c.lines = 256;
        return c;
    }
    /// 25 ms: an age limit of 1 ms is reached at least ten times.
    static u64 longest_us(TimedConformer& d)
    {
        for (u32 lpn = 0; lpn < kReaders; ++lpn) {
            d.start({HAL_HOST_WRITE, lpn, 1, false});
        }
        d.run_until(~u64{0} - 1);
        std::vector<u32> jobs;
        for (u32 lpn = 0; lpn < kReaders; ++lpn) {
            jobs.push_back(d.start({HAL_HOST_READ, lpn, 1, true}));
        }
        jobs.push_back(d.start({HAL_HOST_WRITE, 100, 1, true}));
        d.run_until(d.now_us + 25'000);
        u64 longest = 0;
        for (const u32 job : jobs) {
            longest = std::max(longest, d.longest_us(job));
        }
        return longest;
    }
};

/// The other way round: 31 jobs write, one reads. By hand: limit + 31 programs + 1 read.
struct WritersAgainstAReader {
    static constexpr u32 kWriters = 31;
    static u64 bound_us(u64 limit_us) { return limit_us + kWriters * 500 + 50; }

    static fw_config config(u32 scheduler) { return ReadersAgainstAWriter::config(scheduler); }
    /// 80 ms are 160 programs; the die has 1,024 pages.
    static u64 longest_us(TimedConformer& d)
    {
        d.start({HAL_HOST_WRITE, 100, 1, false});
        d.run_until(~u64{0} - 1);
        std::vector<u32> jobs;
        for (u32 lpn = 0; lpn < kWriters; ++lpn) {
            jobs.push_back(d.start({HAL_HOST_WRITE, lpn, 1, true}));
        }
        jobs.push_back(d.start({HAL_HOST_READ, 100, 1, true}));
        d.run_until(d.now_us + 80'000);
        u64 longest = 0;
        for (const u32 job : jobs) {
            longest = std::max(longest, d.longest_us(job));
        }
        return longest;
    }
};

/// A package of two dies, depth 32: 31 jobs read four pages each of die 1 without end, one reads a page
/// of die 0. By hand, for the one: first in, first out, 31 x 4 reads and its own; where its own die
/// is all it has to wait for beyond the limit, that and its own read.
struct CrowdOnTheOtherDie {
    static constexpr u32 kCrowd = 31, kPages = 4, kVictim = 400;
    static u64 bound_us(u64 limit_us, bool own_die)
    {
        return limit_us + (own_die ? 50 : (kCrowd * kPages + 1) * 50);
    }

    static fw_config config(u32 scheduler)
    {
        fw_config c = ReadersAgainstAWriter::config(scheduler);
        c.dies = 2;
        return c;
    }
    /// Of the one. Throws where the pages cannot be put on their dies.
    static u64 longest_us(TimedConformer& d)
    {
        for (u32 i = 0; i < kCrowd * kPages; ++i) { // one at a time: the dies take turns
            for (const u32 lpn : {kVictim + i % 16, i}) {
                d.start({HAL_HOST_WRITE, lpn, 1, false});
                d.run_until(~u64{0} - 1);
            }
        }
        for (u32 i = 0; i < kCrowd * kPages; ++i) {
            if (d.die_of_page(i) != 1) {
                throw std::runtime_error("page " + std::to_string(i) + " is not on die 1");
            }
        }
        for (u32 i = 0; i < kCrowd; ++i) {
            d.start({HAL_HOST_READ, i * kPages, kPages, true});
        }
        const u32 victim = d.start({HAL_HOST_READ, kVictim, 1, true});
        d.run_until(d.now_us + 40'000);
        return d.longest_us(victim);
    }
};

} // namespace tlmssd::tb
