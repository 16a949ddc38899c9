// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: launches that come again among random writes and trims of the same pages, on all schedulers and policies:
// the device gives back what was written last, and everything ends.
#include <gtest/gtest.h>

#include <iostream>

#include "tb/firmware/device.h"
#include "tb/firmware/private.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

struct Sum {
    u64 recognised = 0, aborted = 0, pages = 0, hits = 0, unused = 0, late = 0;
};

void run(u32 scheduler, u32 policy, u32 mode, u64 seed, Sum& sum)
{
    fw_config c = small_config();
    c.scheduler = scheduler;
    c.buffer_policy = policy;
    c.lines = seed % 2 != 0 ? 32 : 64;
    c.reads_bypass = seed % 5 == 4;
    c.evict_on_demand = static_cast<u32>(seed % 3);
    c.prefetch_mode = mode;
    c.prefetch_match = 2;
    c.prefetch_anchors = 4;
    c.prefetch_sequences = 3;
    c.prefetch_pages = 64;
    c.prefetch_gap_us = 100;
    c.prefetch_misses = 3;
    c.prefetch_depth = static_cast<u32>(seed % 3) * 4;
    c.prefetch_lead = 8;
    c.prefetch_held = 4 + static_cast<u32>(seed % 4) * 6;
    c.prefetch_clean_victims = seed % 4 != 3;
    c.prefetch_yield = seed % 2;
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    Device d(c, seed);
    const u32 capacity = static_cast<u32>(d.host_sectors());
    std::vector<std::vector<u64>> apps(4);
    for (std::vector<u64>& app : apps) {
        for (u32 i = 0; i < 30; ++i) {
            app.push_back(d.draw(capacity - 16));
        }
    }
    storm(d, 200);
    for (u32 launch = 0; launch < 30; ++launch) {
        d.now_us += 1000;
        const std::vector<u64>& app = apps[d.draw(4)];
        const bool leaves = d.draw(4) == 0;
        for (u32 i = 0; i < app.size(); ++i) {
            d.now_us += 5;
            d.issue(HAL_HOST_READ, leaves && i > 10 ? d.draw(capacity - 16) : app[i], 1 + d.draw(16));
            if (d.draw(3) == 0) { // over what is brought now, or was
                const u64 lba = app[std::min<u32>(29, i + d.draw(6))];
                d.issue(d.draw(8) == 0 ? HAL_HOST_TRIM : HAL_HOST_WRITE, lba, 1 + d.draw(12));
            }
            if (d.draw(40) == 0) {
                d.flush();
            }
            d.tick_until(d.draw(4));
        }
    }
    d.flush();
    d.tick_until(0);
    while (d.tick()) {
    }
    EXPECT_TRUE(d.firmware_idle());
    const fw_prefetch& p = *d.f()->buffer->prefetch;
    u32 held = 0;
    for (u32 i = 0; i < c.lines; ++i) {
        const cache_line& s = d.f()->buffer->lines[i];
        held += s.state != LINE_FREE && s.fetched == LINE_PREFETCH;
    }
    EXPECT_EQ(p.held, held);
    EXPECT_EQ(p.fetching, 0u);
    EXPECT_EQ(d.f()->buffer->reading, 0u);
    const fw_stats& s = d.stats();
    EXPECT_EQ(s.prefetch_pages, s.prefetch_hits + s.prefetch_unused + held);
    sum.recognised += s.prefetch_recognised;
    sum.aborted += s.prefetch_aborted;
    sum.pages += s.prefetch_pages;
    sum.hits += s.prefetch_hits;
    sum.unused += s.prefetch_unused;
    sum.late += s.prefetch_late;
}

class PrefetchStorm : public testing::TestWithParam<u32> {};

TEST_P(PrefetchStorm, KeepsData)
{
    Sum sum;
    u64 seed = 0;
    for (u32 scheduler = 0; scheduler < FW_SCHED_COUNT; ++scheduler) {
        for (const u32 policy : {FW_BUFFER_LRU, FW_BUFFER_FIFO, FW_BUFFER_CLOCK, FW_BUFFER_CFLRU, FW_BUFFER_LRU_WSR,
                                 FW_BUFFER_CCF_LRU, FW_BUFFER_REF, FW_BUFFER_FAB, FW_BUFFER_BPLRU, FW_BUFFER_CLC}) {
            SCOPED_TRACE(std::string(kSchedulers[scheduler]) + ", " + kPolicies[policy] + ", seed " +
                         std::to_string(++seed));
            run(scheduler, policy, GetParam(), seed, sum);
            if (HasFailure()) {
                return;
            }
        }
    }
    std::cout << sum.recognised << " recognised, " << sum.aborted << " given up; pages: " << sum.pages << ", used "
              << sum.hits << ", late " << sum.late << ", unused " << sum.unused << "\n";
    EXPECT_GT(sum.recognised, 100u);
    EXPECT_GT(sum.aborted, 20u);
    EXPECT_GT(sum.hits, 1000u);
    EXPECT_GT(sum.late, 10u);
    EXPECT_GT(sum.unused, 10u);
}

INSTANTIATE_TEST_SUITE_P(Modes, PrefetchStorm,
                         testing::Values(u32{FW_PREFETCH_BASELINE}, u32{FW_PREFETCH_TWO_PHASE}, u32{FW_PREFETCH_FAST}));

} // namespace
} // namespace tlmssd::tb
