// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of what acted, from counters that are written by hand.
#include <gmock/gmock.h>

#include "models/config/keys/keys.h"
#include "models/run/acted.h"

namespace tlmssd::run {
namespace {

using testing::HasSubstr;

struct Made {
    config::Config config;
    DeviceCounters counters;
    u64 jobs = 1;

    Made()
    {
        config.buffer.bytes = 32 << 20;
        counters.segments.channels.resize(2);
    }
    fw_stats& fw() { return counters.firmware; }
    flash::SegmentPort::ChannelStatistics& segments() { return counters.segments.channels[1].counts; }

    std::vector<Acted> all() const { return acted({config, counters, jobs}); }
    std::optional<Acted> find(const std::string& name) const
    {
        for (const Acted& one : all()) {
            if (one.mechanism == name) {
                return one;
            }
        }
        return std::nullopt;
    }
    Acted at(const std::string& name) const
    {
        const auto one = find(name);
        EXPECT_TRUE(one) << name;
        return one.value_or(Acted{});
    }
};

/// All switches of the configuration on.
Made all_on(config::Scheduler scheduler)
{
    Made run;
    config::Config& c = run.config;
    c.scheduler = scheduler;
    c.geometry.planes = 2;
    c.geometry.page_bytes = 16384;
    c.host.kind = config::HostKind::Nvme;
    c.nvme.queues = 4;
    c.buffer.policy = config::BufferPolicy::CAWR;
    c.buffer.page_padding = true;
    c.buffer.read_ahead = 8;
    c.prefetch.mode = config::PrefetchMode::Fast;
    c.ftl.mapping = config::Mapping::Dftl;
    c.ftl.mapping_unit = config::MappingUnit::Unit;
    c.ftl.gc.copyback = true;
    c.ftl.gc.share = 0.5;
    c.ftl.wear.policy = config::WearPolicy::Both;
    c.controller.mode = config::ControllerMode::Ooo;
    c.controller.suspend = config::Suspend::ProgramAndErase;
    c.controller.cache_ops = config::CacheOps::Both;
    c.controller.read_retries = 4;
    c.nand.errors.enabled = true;
    return run;
}

constexpr config::Scheduler kSchedulers[] = {
#define SCHED(id, ...) config::Scheduler::id,
#include "firmware/hal/sched.def"
#undef SCHED
};

TEST(Acted, EveryRowNamesAKeyOfTheConfiguration)
{
    for (const config::Scheduler scheduler : kSchedulers) {
        for (const Acted& one : all_on(scheduler).all()) {
            EXPECT_NE(config::find_key(one.key), nullptr) << one.mechanism << ": " << one.key;
        }
    }
}

TEST(Acted, EveryRowThatDidNothingSaysWhyAndNoOtherDoes)
{
    for (const config::Scheduler scheduler : kSchedulers) {
        Made run = all_on(scheduler);
        for (const Acted& one : run.all()) {
            EXPECT_EQ(one.times, 0u) << one.mechanism;
            EXPECT_FALSE(one.why.empty()) << one.mechanism;
            EXPECT_FALSE(one.chance.empty()) << one.mechanism;
            EXPECT_EQ(one.saved.has_value(), !one.saves.empty()) << one.mechanism;
        }
        u64* const counters = reinterpret_cast<u64*>(&run.fw());
        std::fill(counters, counters + sizeof(fw_stats) / sizeof(u64), 3);
        run.fw().packed_units = 4; // three pages
        run.jobs = 2;
        run.counters.order.reordered = 3;
        run.counters.ecc = {3, 3, 3, 3, 3};
        run.segments().suspends = run.segments().cache_reads = run.segments().cache_programs = 3;
        for (const Acted& one : run.all()) {
            EXPECT_GT(one.times, 0u) << one.mechanism;
            EXPECT_TRUE(one.why.empty()) << one.mechanism << ": " << one.why;
        }
    }
}

TEST(Acted, OnlyWhatIsSwitchedOnHasARow)
{
    const Made plain; // a write-back buffer, in order, one plane
    std::vector<std::string> names;
    for (const Acted& one : plain.all()) {
        names.push_back(one.mechanism);
    }
    EXPECT_THAT(names, testing::ElementsAre("read hits", "write hits", "programs of the host's pages",
                                            "garbage collection"));
}

TEST(Acted, ABufferThatAbsorbsAllWritesIsNamedWhereverNothingWasQueued)
{
    Made run = all_on(config::Scheduler::SOST);
    run.fw().write_misses = 4000;
    const std::string all = "the 32 MiB write buffer absorbed all 4,000 page writes";
    for (const char* const name : {"programs of the host's pages", "garbage collection", "leveler",
                                   "withdrawal of overwritten writes", "return of hot pages", "copyback"}) {
        EXPECT_EQ(run.at(name).why, all) << name;
    }
    EXPECT_EQ(run.at("read hits").why, "the host read nothing");
}

TEST(Acted, ReadsAlone)
{
    Made run;
    run.fw().read_hits = 7;
    run.fw().read_misses = 3;
    EXPECT_EQ(run.at("read hits").chances, 10u);
    EXPECT_EQ(run.at("read hits").times, 7u);
    EXPECT_EQ(run.at("read hits").saved, 7u);
    EXPECT_EQ(run.at("write hits").why, "the host wrote nothing");
    EXPECT_EQ(run.at("garbage collection").why, "the host wrote nothing");
}

TEST(Acted, OverwrittenWritesOfTheHitManager)
{
    Made run;
    run.config.scheduler = config::Scheduler::SOST;
    run.fw().write_misses = 100;
    run.fw().host_pages_written = 90; // ten taken back
    run.fw().cancelled_writes = 6;
    run.fw().returned_pages = 4;
    run.fw().queued_overwrites = 8;
    run.fw().return_chances = 5;
    const Acted overwritten = run.at("withdrawal of overwritten writes");
    EXPECT_EQ(overwritten.key, "sost.hit_manager");
    EXPECT_EQ(overwritten.chances, 8u);
    EXPECT_EQ(overwritten.times, 6u);
    EXPECT_EQ(overwritten.saved, 6u);
    EXPECT_EQ(run.at("return of hot pages").chances, 5u);
    EXPECT_EQ(run.at("return of hot pages").times, 4u);
    EXPECT_EQ(run.at("leveler").why, "of 100 queued page writes none was worth a move to another die");
    run.fw().moves_asked = 2;
    EXPECT_EQ(run.at("leveler").why, "of 100 queued page writes none found a page on another die");
    run.config.scheduler = config::Scheduler::HYBRID;
    EXPECT_EQ(run.at("withdrawal of overwritten writes").key, "hybrid.hit_manager");
    run.config.hybrid.hit_manager = false;
    EXPECT_FALSE(run.find("withdrawal of overwritten writes"));
}

TEST(Acted, GarbageCollectionThatNeverHadToStartNamesItsThreshold)
{
    Made run;
    run.config.ftl.gc.copyback = true;
    run.fw().write_misses = 10;
    run.fw().host_pages_written = run.fw().flash_pages_written = 8;
    EXPECT_THAT(run.at("garbage collection").why, HasSubstr("ftl.gc.threshold_blocks (4)"));
    EXPECT_EQ(run.at("copyback").why, run.at("garbage collection").why);
    run.fw().gc_runs = 2;
    EXPECT_EQ(run.at("copyback").why, "no victim block had a valid page");
    run.fw().gc_pages_moved = 5;
    EXPECT_EQ(run.at("copyback").why, "no page of 5 could stay in its plane");
    run.fw().gc_copybacks = 3;
    EXPECT_EQ(run.at("copyback").saved, 6u); // a transfer out and one in for each page
}

TEST(Acted, PrefetcherSaysHowFarItCame)
{
    Made run;
    run.config.prefetch.mode = config::PrefetchMode::TwoPhase;
    run.fw().read_misses = 9;
    EXPECT_THAT(run.at("prefetching of launches").why, HasSubstr("no launch was recorded"));
    run.fw().prefetch_recorded = 2;
    EXPECT_EQ(run.at("prefetching of launches").why, "none of 2 launches that it recorded came again");
    run.fw().prefetch_recognised = 1;
    EXPECT_EQ(run.at("prefetching of launches").why, "launches that it recognised went elsewhere");
    run.fw().prefetch_present = 30;
    EXPECT_EQ(run.at("prefetching of launches").why, "the buffer held all 30 pages that it would have brought");
}

TEST(Acted, SuspensionNeedsSomethingThatMayBeSuspended)
{
    Made run;
    run.config.controller.suspend = config::Suspend::Erase;
    EXPECT_EQ(run.at("suspension").why, "no page was read from flash");
    run.segments().page_reads = 5;
    run.segments().page_programs = 5;
    EXPECT_EQ(run.at("suspension").why, "nothing was erased");
    run.config.controller.suspend = config::Suspend::ProgramAndErase;
    EXPECT_EQ(run.at("suspension").why, "no read came to a die while it worked on what may be suspended");
}

TEST(Acted, CacheOperationsNeedTheNextOneAtTheDie)
{
    Made run;
    run.config.controller.cache_ops = config::CacheOps::Read;
    EXPECT_FALSE(run.find("cache programs"));
    EXPECT_EQ(run.at("cache reads").why, "no page was read from flash");
    run.segments().page_reads = 5;
    EXPECT_EQ(run.at("cache reads").why, "a die was never ready with a page while its next operation was a read");
    run.segments().cache_reads = 2;
    EXPECT_EQ(run.at("cache reads").times, 2u);
    EXPECT_EQ(run.at("cache reads").chances, 5u);
    run.config.controller.cache_ops = config::CacheOps::Both;
    run.fw().flash_pages_written = 4;
    EXPECT_EQ(run.at("cache programs").why, "the next operation of a die was never a program of the block's next page");
}

TEST(Acted, QueuePairsBesideTheFirstNeedJobs)
{
    Made run;
    run.config.host.kind = config::HostKind::Nvme;
    run.config.nvme.queues = 4;
    EXPECT_EQ(run.at("queue pairs beside the first").times, 0u);
    EXPECT_EQ(run.at("queue pairs beside the first").why, "each job has one queue pair, and there is one job");
    run.jobs = 3;
    EXPECT_EQ(run.at("queue pairs beside the first").times, 2u);
    run.jobs = 1;
    run.config.nvme.steer = config::NvmeSteer::RoundRobin;
    EXPECT_EQ(run.at("queue pairs beside the first").times, 3u);
}

TEST(Acted, UnitsShareAProgram)
{
    Made run;
    run.config.geometry.page_bytes = 16384;
    run.config.ftl.mapping_unit = config::MappingUnit::Unit;
    run.fw().packed_units = 10;
    run.fw().packed_pages = 3;
    EXPECT_EQ(run.at("packing of units").chances, 10u);
    EXPECT_EQ(run.at("packing of units").times, 7u); // ten units would have taken ten programs
    EXPECT_EQ(run.at("packing of units").saved, 7u);
}

} // namespace
} // namespace tlmssd::run
