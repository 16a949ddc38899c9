// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: storms over configurations drawn from all that configuration allows together: options of
// schedulers, buffer, placement, collection and recovery, failing programs, erases and reads, bad blocks.
//
// TLMSSD_CONFIG_STORMS=N configurations instead of kStorms, from TLMSSD_CONFIG_STORM_SEED (1) on. Failures
// name their seed and what it draws.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "models/common/hash.h"
#include "tb/firmware/device_power.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

constexpr u64 kStorms = 120;

u64 setting(const char* name, u64 otherwise)
{
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Draw {
public:
    explicit Draw(u64 seed) : seed_(seed) {}
    u32 below(u32 n) { return static_cast<u32>(draw_below(draw64(seed_, 99, count_++), n)); }
    u32 one_of(std::initializer_list<u32> all) { return all.begin()[below(static_cast<u32>(all.size()))]; }

private:
    u64 seed_;
    u64 count_ = 0;
};

struct Drawn {
    fw_config config{};
    Faults faults{};
    u32 capacity = 1;
    std::string text;
};

void draw_buffer(fw_config& c, Draw& r, bool sets)
{
    c.clean_window = r.below(33);
    c.victim_window = 1 + r.below(20);
    c.victim_blocks = 1 + r.below(4);
    c.hot_blocks = r.below(1025);
    c.cawr_list = 1 + r.below(8);
    c.cawr_any_neighbour = r.below(2);
    c.cave_over = r.one_of({FW_BUFFER_LRU, FW_BUFFER_CCF_LRU, FW_BUFFER_CFLRU, FW_BUFFER_FAB});
    if (c.buffer_policy == FW_BUFFER_NONE) {
        return;
    }
    const u32 mode = r.below(4);
    c.reads_bypass = mode == 1;
    c.write_through = mode == 2;
    c.read_ahead = sets ? 0 : r.one_of({0, 0, 4}); // an eighth of the slots
    c.page_padding = c.buffer_policy == FW_BUFFER_BPLRU ? r.below(2) : 0;
    c.evict_on_demand = r.below(3);
    c.free_lines = 1 + r.below(8);
    c.flush_after_us = c.write_through != 0 ? 0 : r.one_of({0, 0, 100});
}

void draw_scheduler(fw_config& c, Draw& r)
{
    c.vaq_join_window = r.below(2) != 0 ? 1 + r.below(10) : 1;
    const std::array<u32, 3> units{1, c.dies, c.ways * c.dies};
    c.vaq_conflict_dies = units.at(r.below(3));
    c.vaq_block_request = r.below(2);
    c.vaq_join = r.below(4) != 0;
    c.join_writes = r.below(3) != 0;
    c.hybrid_place_late = r.below(3) != 0;
    c.hybrid_pack = r.below(3) != 0;
    c.hybrid_defer_gc = r.below(2);
    c.hybrid_window = r.below(3) != 0 ? 0 : 1 + r.below(4);
    c.hybrid_window_sectors = r.below(3) != 0 ? 0 : 1 + r.below(64);
    c.hybrid_gc_window = 1 + r.below(8);
    c.hybrid_priorities = r.below(2);
    c.sost_leveler = r.below(3) != 0;
    c.hit_manager = r.below(3) != 0;
    c.return_reads = r.below(4);
    c.sost_priorities = r.below(2);
    c.sost_reads_first = r.below(2);
    c.paq_cluster_die = r.below(2);
    c.paq_wait_block = r.below(2);
    c.paq_age_limit_us = r.below(2) != 0 ? 1000 : 0;
    c.host_streams = r.below(3);
    c.host_reads_first = r.below(2);
}

/// What does not go together is what models/config/rules/checks.cpp refuses.
Drawn drawn(u64 seed)
{
    Draw r(seed);
    Drawn d;
    const bool failing = r.below(2) != 0;
    const u32 blocks = 14 + r.below(3);
    const u32 scheduler = r.below(FW_SCHED_COUNT);
    u32 policy = r.below(FW_BUFFER_COUNT);
    const bool moves = has_trait(scheduler, SCHED_PLACES_WRITES);
    bool sets = policy == FW_BUFFER_GATING || policy == FW_BUFFER_CAVE || policy == FW_BUFFER_CAWR ||
                policy == FW_BUFFER_CAWR_BLOCK;
    if (moves && sets) {
        policy = FW_BUFFER_CCF_LRU;
        sets = false;
    }
    fw_config& c = d.config;
    c = power_config(scheduler, policy, 1 + r.below(4), failing ? blocks + 10 : blocks);
    c.recovery_span = r.below(4) != 0 ? 64 : 0;
    draw_buffer(c, r, sets);
    draw_scheduler(c, r);
    c.gc_policy = r.below(FW_GC_POLICY_COUNT);
    c.gc_choices = 1 + r.below(4);
    c.gc_window = 1 + r.below(8);
    c.gc_channel = r.below(2);
    c.gc_share = r.below(2) != 0 ? 1 + r.below(256) : 0;
    c.wear_dynamic = r.below(2);
    c.wear_static = r.below(2) != 0 ? 1 + r.below(4) : 0;
    c.gc_hard = 1 + r.below(3);
    c.gc_threshold = std::max(3u, c.gc_hard + 1 + r.below(2));
    const bool passes = has_trait(scheduler, SCHED_LETS_GC_PASS);
    c.gc_mixed = !passes && c.recovery_span == 0 ? r.below(2) : 0;
    c.gc_copyback = copies_back(scheduler) && c.gc_mixed == 0 && r.below(2) != 0 ? 1 + r.below(4) : 0;
    c.static_placement = !moves && !sets && r.below(4) == 0;
    c.channel_points = !moves && c.static_placement == 0 && r.below(3) == 0;
    c.lockstep = !moves && c.static_placement == 0 && c.channel_points == 0 && r.below(3) == 0;
    c.queue_aware = (c.static_placement | c.channel_points | c.lockstep) != 0 || sets ? 0 : r.below(2);
    c.logical_pages = std::min(188u, 8 * 4 * (blocks - c.gc_threshold - 3 - (c.wear_static != 0)) - 5);
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    const u32 reads = r.below(3) == 0 ? 40 : 0;
    d.faults = failing ? Faults{60, 60, reads, 24} : Faults{0, 0, reads, 0};
    d.capacity = one_a_die(scheduler) ? 4 : 1 + r.below(20);
    d.text = std::string(kSchedulers[scheduler]) + ", buffer " + kPolicies[policy];
    for (const auto& [name, value] :
         {std::pair{"cores", c.cores}, {"blocks", c.blocks}, {"logical", c.logical_pages}, {"recovery", c.recovery_span},
          {"failing", u32{failing}}, {"read faults", reads}, {"capacity", d.capacity}, {"bypass", c.reads_bypass},
          {"through", c.write_through}, {"ahead", c.read_ahead}, {"padding", c.page_padding}, {"demand", c.evict_on_demand}, {"free", c.free_lines},
          {"flush_after", c.flush_after_us}, {"victims", c.gc_policy}, {"scope", c.gc_channel}, {"share", c.gc_share},
          {"hard", c.gc_hard}, {"threshold", c.gc_threshold}, {"mixed", c.gc_mixed}, {"copyback", c.gc_copyback},
          {"wear_dynamic", c.wear_dynamic}, {"wear_static", c.wear_static}, {"static", c.static_placement},
          {"points", c.channel_points}, {"lockstep", c.lockstep}, {"queue_aware", c.queue_aware},
          {"vaq window", c.vaq_join_window}, {"defer_gc", c.hybrid_defer_gc}}) {
        d.text += std::string(", ") + name + " " + std::to_string(value);
    }
    return d;
}

/// What has happened in all storms together.
struct Sum {
    u64 cuts = 0, read_only = 0, collected = 0;
};

void run(u64 seed, const Drawn& drawn, Sum& sum)
{
    auto d = std::make_unique<PowerDevice>(drawn.config, seed);
    d->faults = drawn.faults;
    d->capacity = drawn.capacity;
    for (u64 round = 0; round < 3; ++round) {
        const u64 erased = d->stats().gc_blocks_erased;
        storm(*d, 400);
        d->expect_all_in_flash();
        ASSERT_NO_FATAL_FAILURE(check_map(*d));
        sum.collected += d->stats().gc_blocks_erased - erased;
        if (d->f()->ftl->read_only) {
            ++sum.read_only;
            return;
        }
        if (drawn.config.recovery_span != 0 && drawn.faults.read == 0) {
            d->work(500 + d->draw(3000));
            d = d->cut(seed * 1000 + round);
            d->mount();
            d->expect_as_scanned();
            d->read_all();
            ++sum.cuts;
        }
    }
}

TEST(ConfigStorm, KeepsDataAndMapWhateverIsDrawn)
{
    const u64 first = setting("TLMSSD_CONFIG_STORM_SEED", 1);
    const u64 count = setting("TLMSSD_CONFIG_STORMS", kStorms);
    Sum sum;
    for (u64 seed = first; seed < first + count; ++seed) {
        const Drawn d = drawn(seed);
        SCOPED_TRACE("TLMSSD_CONFIG_STORM_SEED=" + std::to_string(seed) + ": " + d.text);
        try {
            run(seed, d, sum);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    std::cout << "seeds " << first << " to " << first + count - 1 << ": " << sum.cuts << " cuts, " << sum.collected
              << " blocks collected, " << sum.read_only << " worn out\n";
    if (count >= 50) {
        EXPECT_GT(sum.cuts, count / 2);
        EXPECT_GT(sum.collected, count * 10);
    }
}

} // namespace
} // namespace tlmssd::tb
