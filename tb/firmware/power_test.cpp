// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random power cuts, inside programs, erases and mounts: everything that was acknowledged as
// durable is there, nothing older than it comes back, and the device goes on.
//
// TLMSSD_POWER_CUTS=n: n cuts over all variants together; 1400 otherwise. Failures name their seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "models/common/hash.h"
#include "tb/firmware/device_power.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

struct Variant {
    u32 scheduler, policy, cores;
    bool failing, capacitors;
};

std::string name_of(const Variant& v)
{
    return std::string(kSchedulers[v.scheduler]) + "_" + kPolicies[v.policy] + "_" +
           std::to_string(v.cores) + "core" + (v.failing ? "_failing" : "") + (v.capacitors ? "_capacitors" : "");
}
/// GoogleTest prints each parameter when it registers a test, in every process: bytes in hex take ten times as long.
void PrintTo(const Variant& v, std::ostream* out) { *out << name_of(v); }

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) {
        for (u32 p = 0; p < FW_BUFFER_COUNT; ++p) {
            all.push_back({s, p, s % 2 == 0 ? 1u : 4u, false, false});
            all.push_back({s, p, s % 2 == 0 ? 4u : 1u, true, false});
            if (p != FW_BUFFER_NONE) {
                all.push_back({s, p, p % 2 == 0 ? 1u : 4u, (s + p) % 3 == 0, true});
            }
        }
    }
    return all;
}

u64 cuts_each()
{
    const char* const n = std::getenv("TLMSSD_POWER_CUTS");
    const u64 all = n != nullptr ? std::strtoull(n, nullptr, 10) : 1400;
    const u64 among = variants().size();
    return (all + among - 1) / among;
}

/// Drawn: journal pages or none; collection's victims, scope, share, wear levelling.
fw_config config(const Variant& v, u64 seed)
{
    const u64 draw = draw64(seed, 9, v.scheduler * 16 + v.policy);
    const bool journal = draw >> 16 & 1;
    fw_config c = journal ? journal_config(v.scheduler, v.policy, v.cores, v.failing ? 22 : 13)
                          : power_config(v.scheduler, v.policy, v.cores, v.failing ? 20 : 11);
    c.capacitors = v.capacitors;
    c.gc_policy = static_cast<u32>(draw & 0xff) % FW_GC_POLICY_COUNT;
    c.gc_choices = 3;
    c.gc_window = 4;
    c.gc_channel = draw >> 8 & 1;
    c.gc_share = (draw >> 9 & 1) != 0 ? 64 : 0;
    c.wear_dynamic = draw >> 10 & 1;
    c.wear_static = (draw >> 11 & 1) != 0 ? 3 : 0;
    c.gc_copyback = copies_back(c.scheduler) && (draw >> 12 & 1) != 0 ? 1 + (draw >> 13 & 1) : 0;
    return c;
}

class PowerCuts : public testing::TestWithParam<Variant> {};

TEST_P(PowerCuts, LoseNothingDurableAndBringNothingBack)
{
    const Variant& v = GetParam();
    u64 torn = 0;
    u64 survivors = 0;
    u64 done = 0;
    u64 journals = 0;
    u64 doubts = 0;
    u64 scans = 0;
    const u64 cuts = cuts_each();
    for (u64 seed = 1; done < cuts; ++seed) {
        auto d = std::make_unique<PowerDevice>(config(v, seed), seed * 1000);
        if (v.failing) {
            d->faults = seed % 2 == 0 ? Faults{60, 60, 0, 24} : Faults{1000, 100, 0, 24};
        }
        d->capacity = one_a_die(v.scheduler) ? 4 : 1 + d->draw(16);
        d->trims_of_100 = 4 + d->draw(20);
        for (u32 life = 0; life < 8 && done < cuts; ++life, ++done) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " cut " + std::to_string(life));
            try {
                d->work(200 + d->draw(12000));
                if (v.capacitors) {
                    d->save();
                }
                d = d->cut(seed * 1000 + life * 20 + 1);
                for (u32 again = 0; d->draw(3) == 0 && again < 18; ++again) { // inside the mount, or just after
                    if (d->mount(d->draw(6000))) {
                        d->expect_as_scanned();
                        for (u32 i = d->draw(600); i != 0; --i) { // collection
                            d->tick();
                        }
                    }
                    d = d->cut(seed * 1000 + life * 20 + 2 + again);
                }
                d->mount();
                d->expect_as_scanned();
                journals += d->stats().mount_journals;
                doubts += d->stats().mount_doubts;
                scans += d->stats().mount_scans;
                d->read_all();
                ASSERT_FALSE(d->f()->ftl->read_only);
            } catch (const std::exception& error) {
                FAIL() << error.what();
            }
        }
        torn += d->torn_programs + d->torn_erases;
        survivors += d->survivors;
        try { // the tables of a device that comes to rest
            d->tick_until(0);
            d->flush();
            d->tick_until(0);
            while (d->tick()) {
            }
            d->expect_all_in_flash();
        } catch (const std::exception& error) {
            FAIL() << "seed " << seed << " at rest: " << error.what();
        }
        ASSERT_NO_FATAL_FAILURE(check_map(*d)) << "seed " << seed;
        EXPECT_GT(d->stats().mount_reads, 0u);
    }
    if (cuts >= 50) { // fewer may all fall between operations
        EXPECT_GT(torn, 0u) << "cuts inside programs and erases";
        EXPECT_GT(journals, 0u);
        EXPECT_GT(doubts, 0u);
    }
    EXPECT_EQ(scans, 0u) << "a page that a journal page names was missing";
}

INSTANTIATE_TEST_SUITE_P(All, PowerCuts, testing::ValuesIn(variants()),
                         [](const auto& test) { return name_of(test.param); });

} // namespace
} // namespace tlmssd::tb
