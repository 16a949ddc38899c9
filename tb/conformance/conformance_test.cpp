// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the conformance suite: what each scheduler of sched.def keeps on each CPU. That its checks
// catch firmware which does not: broken_test.cpp.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tb/conformance/loads.h"
#include "tb/cpu/iss_support.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

struct Subject {
    u32 scheduler;
    On on;
    friend void PrintTo(const Subject& s, std::ostream* out) { *out << kSchedulers[s.scheduler]; }
};

struct AgeLimit {
    u64 us = 0; ///< 0: it has none, so it is first in, first out
    bool own_die = false;
};

/// Sets the scheduler's limit where it has one.
AgeLimit age_limit(fw_config& c, u64& controller_age_us)
{
    enum Reach { QUEUE, DIE };
    const std::string name = kSchedulers[c.scheduler];
    (void)controller_age_us;
#define AGE_LIMIT(scheduler, limit, reach, set) \
    if (name == #scheduler) {                   \
        [[maybe_unused]] const u32 us = limit;  \
        set;                                    \
        return {limit, reach == DIE};           \
    }
#include "tb/conformance/age_limits.def"
#undef AGE_LIMIT
    return {};
}

class Conformance : public testing::TestWithParam<Subject> {
protected:
    void SetUp() override
    {
        if (GetParam().on == On::Iss) {
            TLMSSD_NEEDS_ISS();
        }
    }
    u32 scheduler() const { return GetParam().scheduler; }
    On on() const { return GetParam().on; }
};

/// What others ask of the row must be there to be called.
TEST_P(Conformance, RowOfSchedDefSaysWhatItsFunctionsDo)
{
    static const sched_ops* const all[] = {
#define SCHED(id, name, mode, traits, text) &sched_##name,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    const sched_ops& ops = *all[scheduler()];
    const auto has = [this](u32 trait) { return has_trait(scheduler(), trait); };
    EXPECT_EQ(ops.cancel != nullptr, has(SCHED_TAKES_BACK));
    EXPECT_EQ(ops.read_hit != nullptr, has(SCHED_COUNTS_HITS));
    EXPECT_EQ(ops.stays != nullptr, has(SCHED_PLACES_WRITES));
    EXPECT_TRUE(ops.translated != nullptr || !has(SCHED_TRANSLATES_LATE));
    EXPECT_TRUE(ops.late != nullptr || !has(SCHED_TRANSLATES_LATE | SCHED_HEARS_OF_WAITS));
    EXPECT_TRUE(has(SCHED_PLACES_WRITES) || !has(SCHED_REALLOCATES | SCHED_ASSIGNS_TOGETHER));
    EXPECT_TRUE(has(SCHED_TAKES_BACK) || !has(SCHED_COUNTS_HITS | SCHED_JOINS_WRITES));
}

/// Random commands in random order of events; every read must find the version that was current
/// when it arrived, a command that ends twice or never throws.
TEST_P(Conformance, EndsEachCommandOnceWithTheRightData)
{
    for (u32 policy = 0; policy < FW_BUFFER_COUNT; ++policy) {
        for (const bool small : {false, true}) {
            SCOPED_TRACE(std::string(kPolicies[policy]) + (small ? ", small device" : ""));
            Conformer d(conformance_config(scheduler(), policy, small), 11, on());
            d.capacity = one_a_die(scheduler()) ? 3 : 12; // so that the controller refuses now and then
            storm(d, small ? 300 : 800);
            EXPECT_EQ(d.ended.size(), small ? 301u : 801u); // and storm()'s last FLUSH
            EXPECT_EQ(d.inside(), 0u);
            EXPECT_TRUE(d.firmware_idle());
            EXPECT_GT(d.stats().gc_blocks_erased, 10u) << "too weak to collect garbage";
            for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
                d.tick_until(d.config().host_tags - 1);
                d.read_page(lpn);
            }
            d.tick_until(0);
        }
    }
}

/// All in four pages, at partial and crossing ranges: nearly every command overlaps others inside.
TEST_P(Conformance, OverlappingCommandsTakeEffectInOrderOfArrival)
{
    for (u32 policy = 0; policy < FW_BUFFER_COUNT; ++policy) {
        for (const u64 seed : {1, 2, 3}) {
            Conformer d(conformance_config(scheduler(), policy, seed == 3), seed, on());
            const u32 issued = overlap_storm(d, 500, 32);
            EXPECT_EQ(d.ended.size(), issued);
            d.read_page(0);
            d.issue(HAL_HOST_READ, 0, 32);
            d.tick_until(0);
        }
    }
}

/// At the end of each FLUSH all older writes are in flash, at the end of a FUA write its own data.
TEST_P(Conformance, FlushAndFuaHold)
{
    for (u32 policy = 0; policy < FW_BUFFER_COUNT; ++policy) {
        Conformer d(conformance_config(scheduler(), policy, false), 5, on());
        const u32 sectors = static_cast<u32>(d.host_sectors()) / 8;
        overlap_storm(d, 700, sectors);
        EXPECT_GT(d.promises_kept, 50u);
    }
}

/// Each scheduler in both of its ways of waiting (vaq.block, paq.wait); the others have one.
template <class Load>
void expect_bounded(const Subject& subject, u64 (*bound_us)(const AgeLimit&))
{
    for (const u32 block : {0u, 1u}) {
        SCOPED_TRACE(block);
        fw_config c = Load::config(subject.scheduler);
        c.vaq_block_request = c.paq_wait_block = block;
        u64 controller_age_us = 0;
        const AgeLimit limit = age_limit(c, controller_age_us);
        TimedConformer d(c, subject.on, controller_age_us);
        EXPECT_LE(Load::longest_us(d), bound_us(limit))
            << "a scheduler that lets younger operations pass needs a limit, and a line in "
               "tb/conformance/age_limits.def";
        EXPECT_EQ(d.stats().gc_runs, 0u) << "the bound knows no collection";
    }
}

TEST_P(Conformance, NoWriteStarvesBehindReaders)
{
    expect_bounded<ReadersAgainstAWriter>(
        GetParam(), [](const AgeLimit& limit) { return ReadersAgainstAWriter::bound_us(limit.us); });
}

TEST_P(Conformance, NoReadStarvesBehindWriters)
{
    expect_bounded<WritersAgainstAReader>(
        GetParam(), [](const AgeLimit& limit) { return WritersAgainstAReader::bound_us(limit.us); });
}

TEST_P(Conformance, NoReadStarvesBehindACrowdOnAnotherDie)
{
    expect_bounded<CrowdOnTheOtherDie>(GetParam(), [](const AgeLimit& limit) {
        return CrowdOnTheOtherDie::bound_us(limit.us, limit.own_die);
    });
}

std::vector<Subject> subjects()
{
    std::vector<Subject> all;
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) {
        all.push_back({s, On::Native});
        all.push_back({s, On::Iss});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Schedulers, Conformance, testing::ValuesIn(subjects()), [](const auto& test) {
    return std::string(kSchedulers[test.param.scheduler]) +
           (test.param.on == On::Native ? "_native" : "_iss");
});

/// Each line of age_limits.def names a scheduler.
TEST(ConformanceTable, NamesSchedulersOnly)
{
    u32 lines = 0, found = 0;
#define AGE_LIMIT(scheduler, limit, reach, set) \
    ++lines;                                    \
    for (const std::string name : kSchedulers) { \
        found += name == #scheduler;            \
    }
#include "tb/conformance/age_limits.def"
#undef AGE_LIMIT
    EXPECT_EQ(found, lines);
}

} // namespace
} // namespace tlmssd::tb
