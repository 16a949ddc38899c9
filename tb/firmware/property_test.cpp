// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL against a reference map: random commands over every allocation order and victim
// policy, with bad blocks and programs and erases that fail. No page is lost, stale or there twice.
//
// Short form: kShortCommands a variant. TLMSSD_TEST_LONG=1: kLongCommands over all variants together;
// TLMSSD_PROPERTY_COMMANDS=N sets that sum.
#include <gtest/gtest.h>

#include <cstdlib>

#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "tb/firmware/storm.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

constexpr u64 kShortCommands = 3000;
constexpr u64 kLongCommands = 12'000'000;
constexpr u32 kRound = 500; ///< commands between two looks at all tables
constexpr u32 kRounds = 12; ///< of one device: it retires blocks

struct Variant {
    u32 number = 0;
    std::array<u32, 4> order{}; ///< as fw_config::allocation
    u32 victims = 0;            ///< fw_gc_policy
    u32 mapping = 0;            ///< of kMappings
    bool cached = false;        ///< demand-cached map
    std::string name;
};

struct Mapping {
    const char* name;
    u32 units; ///< of 4 KiB in a page
};
constexpr Mapping kMappings[] = {{"", 1}, {"_half_pages", 2}, {"_quarter_pages", 4}, {"_fifths_of_pages", 5}};

const char* const kVictims[] = {
#define GC_POLICY(id, name, text) #name,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};

constexpr char kLetters[] = "CWDP";

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    std::array<u32, 4> order{0, 1, 2, 3};
    do {
        std::string name;
        for (const u32 letter : order) {
            name += kLetters[letter];
        }
        for (u32 victims = 0; victims < FW_GC_POLICY_COUNT; ++victims) {
            all.push_back({static_cast<u32>(all.size()), order, victims, 0, false, name + "_" + kVictims[victims]});
        }
    } while (std::next_permutation(order.begin(), order.end()));
    const std::size_t of_a_mapping = all.size();
    for (u32 i = 0, n = static_cast<u32>(all.size()); i < n; ++i) {
        Variant v = all[i];
        v.number = static_cast<u32>(all.size());
        v.cached = true;
        v.name += "_dftl";
        all.push_back(v);
    }
    for (u32 mapping = 1; mapping < std::size(kMappings); ++mapping) {
        for (std::size_t i = 0; i < of_a_mapping; ++i) {
            Variant v = all[i];
            v.number = static_cast<u32>(all.size());
            v.mapping = mapping;
            v.name += kMappings[mapping].name;
            all.push_back(v);
        }
    }
    return all;
}

u64 commands_of_a_variant()
{
    const char* wanted = std::getenv("TLMSSD_PROPERTY_COMMANDS");
    const u64 n = variants().size();
    if (wanted != nullptr) {
        return (std::stoull(wanted) + n - 1) / n;
    }
    return long_form() ? (kLongCommands + n - 1) / n : kShortCommands;
}

class Property : public testing::TestWithParam<Variant> {
protected:
    std::string context; ///< the device at work
};

/// Those that let collection pass the host's programs need write points of its own (configuration checks it).
bool passes_gc(u32 scheduler) { return has_trait(scheduler, SCHED_LETS_GC_PASS); }

/// Which scheduler, buffer and number of cores stand around the FTL is drawn, as are scope, share, write
/// points and wear levelling of collection: together the variants meet all of them. The sides of the
/// device differ, so that a swapped letter shows.
fw_config config(const Variant& v, u32 device)
{
    const u64 draw = draw64(7, v.number, device);
    const u32 pages = 4u << (draw >> 8 & 1);
    fw_config c = small_config(3, 2, 2, 2, 20, pages);
    const u32 units = kMappings[v.mapping].units;
    c.unit_bits = bits_for(units);
    c.page_bytes *= units;
    c.logical_pages = 24 * (units * pages * (9 + static_cast<u32>(draw >> 16 & 3)) - (c.blocks + 1) * (units - 1));
    std::copy(v.order.begin(), v.order.end(), c.allocation);
    c.scheduler = (v.number + device) % FW_SCHED_COUNT;
    c.buffer_policy = static_cast<u32>(draw >> 20) % FW_BUFFER_COUNT;
    const u32 blocks[] = {FW_BUFFER_FAB, FW_BUFFER_BPLRU, FW_BUFFER_CLC};
    c.cawr_over = blocks[(draw >> 28 & 15) % 3];
    c.cave_over = (draw >> 28 & 16) != 0 ? c.cawr_over : u32{FW_BUFFER_CCF_LRU};
    if (c.buffer_policy != FW_BUFFER_NONE) {
        const u32 mode = static_cast<u32>(draw >> 52) % 16;
        c.reads_bypass = mode % 4 == 1;
        c.write_through = mode % 4 == 2;
        c.read_ahead = mode & 4;
        c.page_padding = mode >> 3 != 0 && c.buffer_policy == FW_BUFFER_BPLRU;
    }
    c.gc_policy = v.victims;
    c.gc_choices = 1 + static_cast<u32>(draw >> 32 & 3);
    c.gc_window = 1 + static_cast<u32>(draw >> 34 & 7);
    c.gc_channel = draw >> 40 & 1;
    c.gc_mixed = !passes_gc(c.scheduler) && (draw >> 41 & 3) == 0 ? 1 : 0;
    c.gc_share = (draw >> 43 & 1) != 0 ? 64 : 0;
    c.gc_copyback = copies_back(c.scheduler) && c.gc_mixed == 0 && (draw >> 57 & 1) != 0 ? 1 + (draw >> 58 & 3) : 0;
    c.wear_dynamic = draw >> 44 & 1;
    c.wear_static = (draw >> 45 & 1) != 0 ? 4 : 0;
    while (units > 1 && has_trait(c.scheduler, SCHED_TAKES_BACK)) { // configuration refuses them
        c.scheduler = (c.scheduler + 1) % FW_SCHED_COUNT;
    }
    const bool moves = has_trait(c.scheduler, SCHED_PLACES_WRITES);
    c.static_placement = !moves && units == 1 && (draw >> 50 & 7) == 0 ? 1 : 0;
    c.channel_points = !moves && c.static_placement == 0 && (draw >> 53 & 3) == 0 ? 1 : 0;
    c.lockstep = c.static_placement == 0 && c.channel_points == 0 && (draw >> 55 & 1) != 0 ? 1 : 0;
    c.queue_aware = (c.static_placement | c.channel_points | c.lockstep) != 0 ? 0 : (draw >> 24 & 7) == 0 ? 1 : 0;
    spread(c, 1 + static_cast<u32>(draw >> 28) % FW_MAX_CORES);
    if (v.cached) { // 4 to 14 translation pages, and a table that holds a fifth of the map or less
        c.page_bytes = 512u << (draw >> 13 & 1);
        c.logical_pages = 24 * pages * 9;
        c.map_entries = 4 * 24 + 64 + static_cast<u32>(draw >> 57 & 63);
        c.gc_copyback = 0;
        c.vaq_join_window = (draw >> 11 & 1) != 0 ? 8 : 1;
        c.map_buffers = 2 + static_cast<u32>(draw >> 14 & 3);
        c.map_planes = 1 + static_cast<u32>(draw >> 60 & 7);
        c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    }
    c.gc_copyback = c.map_entries != 0 ? 0 : c.gc_copyback; // configuration refuses it
    return c;
}

std::string text(const fw_config& c)
{
    std::string t = std::string(kSchedulers[c.scheduler]) + ", buffer " + kPolicies[c.buffer_policy] +
                    ", victims " + kVictims[c.gc_policy];
    for (const auto& [name, value] :
         {std::pair{"pages", c.pages}, {"unit_bits", c.unit_bits}, {"logical", c.logical_pages}, {"cores", c.cores},
          {"queue_aware", c.queue_aware}, {"static", c.static_placement},
          {"channel_points", c.channel_points}, {"lockstep", c.lockstep}, {"choices", c.gc_choices}, {"window", c.gc_window},
           {"channel", c.gc_channel}, {"mixed", c.gc_mixed}, {"copyback", c.gc_copyback}, {"share", c.gc_share},
           {"wear_dynamic", c.wear_dynamic}, {"wear_static", c.wear_static}, {"map entries", c.map_entries},
           {"map buffers", c.map_buffers}, {"map planes", c.map_planes}}) {
        t += std::string(", ") + name + " " + std::to_string(value);
    }
    return t;
}

TEST_P(Property, HoldsAgainstTheReferenceMap) try {
    const Variant& v = GetParam();
    const u64 commands = commands_of_a_variant();
    u64 done = 0;
    u64 collected = 0;
    u64 failed_programs = 0;
    u64 failed_erases = 0;
    u64 erases = 0;
    u64 translated = 0;
    u64 collected_tables = 0;
    for (u32 device = 0; done < commands; ++device) {
        const u64 seed = u64{v.number} << 32 | device;
        context = text(config(v, device));
        SCOPED_TRACE(context);
        SCOPED_TRACE(v.name + ", device " + std::to_string(device) + ", seed " + std::to_string(seed));
        Device d(config(v, device), seed);
        d.capacity = one_a_die(d.config().scheduler) ? 4 : 20;
        const u32 dies = d.config().channels * d.config().ways * d.config().dies;
        for (u32 bad = 0; bad < 5; ++bad) {
            d.mark_bad(d.draw(dies), bad % 2, 4 * bad + d.draw(4));
        }
        d.faults = {20, 200, 0, 30};
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.write_page(lpn);
        }
        for (u32 round = 0; round < kRounds && done < commands; ++round, done += kRound) {
            storm(d, kRound);
            ASSERT_EQ(d.inside(), 0u);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.read_page(lpn);
        }
        d.tick_until(0);
        EXPECT_EQ(d.read_errors + d.write_errors, 0u);
        EXPECT_EQ(d.stats().pages_lost, 0u);
        EXPECT_EQ(d.stats().factory_bad, 5u);
        EXPECT_EQ(d.stats().program_fails, d.failed_programs);
        EXPECT_EQ(d.stats().erase_fails, d.failed_erases);
        if (v.cached) {
            const fw_stats s = d.stats();
            translated += s.map_misses;
            EXPECT_GT(s.map_evictions, 0u);
            EXPECT_GT(s.map_merged, s.map_writes) << "several entries a translation page";
            collected_tables += s.map_erases;
        }
        collected += d.stats().gc_blocks_erased;
        failed_programs += d.failed_programs;
        failed_erases += d.failed_erases;
        erases += d.erases;
    }
    const u64 units = kMappings[v.mapping].units; // a block holds so much more
    EXPECT_GT(collected, units == 1 ? done / 20 : done / (40 * units)) << "too weak to collect garbage";
    EXPECT_GT(failed_programs, 0u);
    if (erases >= 700) { // one in 50 fails: none of 700 does once in a million
        EXPECT_GT(failed_erases, 0u);
    }
    EXPECT_EQ(v.cached, translated > done / 2);
    EXPECT_EQ(v.cached, collected_tables > done / 100) << "too weak to collect translation pages";
} catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << "; " << context;
}

INSTANTIATE_TEST_SUITE_P(All, Property, testing::ValuesIn(variants()),
                         [](const auto& test) { return test.param.name; });

} // namespace
} // namespace tlmssd::tb
