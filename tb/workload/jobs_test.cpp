// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: jobs of a configuration: their rules, their seeds, their place on the device.
#include <gmock/gmock.h>

#include <fstream>

#include "models/common/error.h"
#include "models/workload/factory.h"
#include "models/workload/jobs.h"
#include "models/workload/offset_source.h"

namespace tlmssd::workload {
namespace {

using config::load_text;
using testing::ElementsAre;

constexpr u64 kSectors = 1 << 20;

std::vector<Job> jobs_of(const std::string& workload, const std::vector<std::string>& sets = {})
{
    const config::Config c = load_text("host: {queue_depth: 24}\nworkload: " + workload, "t.yaml", {sets});
    return make_jobs(c.workloads(), c.seed, kSectors, nullptr);
}

std::vector<u64> addresses(RequestSource& source, u32 n)
{
    std::vector<u64> list;
    Request r;
    for (u32 i = 0; i < n && source.next(r); ++i) {
        list.push_back(r.lba);
    }
    return list;
}

TEST(MakeJobs, PlainKeysAreOneJobWithTheRunsSeed)
{
    const config::Config c = load_text("seed: 9\nworkload: {bs: 8k}", "t.yaml", {});
    std::vector<Job> jobs = make_jobs(c.workloads(), c.seed, kSectors, nullptr);
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0].rules.name, "generator");
    EXPECT_EQ(jobs[0].workload, "randread");
    EXPECT_EQ(jobs[0].rules.iodepth, 32u);
    EXPECT_EQ(jobs[0].rules.runtime, Picoseconds());
    EXPECT_EQ(addresses(*jobs[0].source, 50),
              addresses(*make_source(c.workload, kSectors, 9, nullptr), 50));
}

TEST(MakeJobs, TakesTheRulesOfEachEntry)
{
    const auto jobs =
        jobs_of("{jobs: [{name: a, iodepth: 3, priority: 2, start_us: 5, runtime_ms: 7, "
                "thinktime_us: 11, thinktime_blocks: 4, rate_iops: 1000}, {rw: write}]}");
    ASSERT_EQ(jobs.size(), 2u);
    const JobRules& r = jobs[0].rules;
    EXPECT_EQ(r.name, "a");
    EXPECT_EQ(r.mode, config::LoopMode::Closed);
    EXPECT_EQ(r.iodepth, 3u);
    EXPECT_EQ(r.priority, 2u);
    EXPECT_EQ(r.start, microseconds(5));
    EXPECT_EQ(r.runtime, milliseconds(7));
    EXPECT_EQ(r.thinktime, microseconds(11));
    EXPECT_EQ(r.thinktime_blocks, 4u);
    EXPECT_EQ(r.rate_interval, milliseconds(1)); // 1 s / 1000
    EXPECT_EQ(jobs[1].rules.iodepth, 24u);
    EXPECT_EQ(jobs[1].workload, "write");
}

TEST(MakeJobs, InAnOpenLoopTheRateIsInTheArrivalsAlready)
{
    const auto jobs = jobs_of("{jobs: [{mode: open, rate_iops: 1000}]}");
    EXPECT_EQ(jobs[0].rules.mode, config::LoopMode::Open);
    EXPECT_EQ(jobs[0].rules.rate_interval, Picoseconds());
}

TEST(MakeJobs, EachJobDrawsItsOwnAddresses)
{
    auto jobs = jobs_of("{jobs: [{rw: randread}, {rw: randread}, {rw: randread}]}");
    const auto first = addresses(*jobs[0].source, 20);
    EXPECT_NE(addresses(*jobs[1].source, 20), first);
    auto again = jobs_of("{jobs: [{rw: randread}, {rw: randread}]}");
    EXPECT_EQ(addresses(*again[0].source, 20), first);
    const auto defaults = jobs_of("{jobs: [{}, {}, {}]}");
    EXPECT_EQ(addresses(*again[1].source, 20), addresses(*defaults[1].source, 20));
}

TEST(MakeJobs, ClonesHaveNamesAndDrawsOfTheirOwnAndTheSameRules)
{
    auto jobs = jobs_of("{jobs: [{name: a, numjobs: 3, iodepth: 2}, {name: a}, {rw: read}]}");
    std::vector<std::string> names;
    for (const Job& job : jobs) {
        names.push_back(job.rules.name);
    }
    EXPECT_THAT(names, ElementsAre("a", "a#2", "a#3", "a#4", "generator"));
    EXPECT_EQ(jobs[2].rules.iodepth, 2u);
    EXPECT_NE(addresses(*jobs[0].source, 20), addresses(*jobs[1].source, 20));
    EXPECT_EQ(jobs_of("{numjobs: 5}").size(), 5u); // of the plain keys too
}

TEST(MakeJobs, MovesTheAddressesOfAJob)
{
    // 4 KiB are 8 sectors; 1 MiB is 2048.
    auto jobs =
        jobs_of("{jobs: [{rw: read, requests: 3}, {rw: read, requests: 3, lba_offset: 1m}]}");
    EXPECT_THAT(addresses(*jobs[0].source, 9), ElementsAre(0, 8, 16));
    EXPECT_THAT(addresses(*jobs[1].source, 9), ElementsAre(2048, 2056, 2064));
}

TEST(MakeJobs, SumsAndProgressAreOverAllJobs)
{
    auto jobs = jobs_of("{jobs: [{requests: 10}, {requests: 30}]}");
    EXPECT_EQ(total_expected(jobs), 40u);
    addresses(*jobs[0].source, 10);
    addresses(*jobs[1].source, 15);
    EXPECT_EQ(total_counts(jobs).requests, 25u);
    EXPECT_DOUBLE_EQ(total_progress(jobs), 0.5); // of the second
    auto timed = jobs_of("{jobs: [{requests: 10}, {runtime_ms: 5}]}");
    EXPECT_EQ(total_expected(timed), 0u); // unknown
}

class List : public RequestSource {
public:
    explicit List(std::vector<Request> requests) : list_(std::move(requests)) {}
    bool next(Request& out) override
    {
        if (counts_.requests == list_.size()) {
            return false;
        }
        out = list_[counts_.requests++];
        return true;
    }
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return list_.size(); }
    double progress() const override { return 0.25; }

private:
    std::vector<Request> list_;
    SourceCounts counts_;
};

std::unique_ptr<List> some()
{
    std::vector<Request> list(4);
    list[0].lba = 0;
    list[1].lba = 89;
    list[2].lba = 95;
    list[3].kind = Kind::Flush;
    for (u32 i = 0; i < 3; ++i) {
        list[i].sectors = 4;
    }
    return std::make_unique<List>(list);
}

TEST(OffsetSource, FoldsWhatReachesBeyondTheDevice)
{
    OffsetSource source(some(), 10, config::Beyond::Fold, 100);
    // 10; 99 does not fit in 100 and moves down to 96; 105 is 5; a flush has no address.
    EXPECT_THAT(addresses(source, 9), ElementsAre(10, 96, 5, 0));
    EXPECT_EQ(source.counts().folded, 2u);
    EXPECT_EQ(source.counts().dropped, 0u);
    EXPECT_EQ(source.counts().requests, 4u);
    EXPECT_EQ(source.expected(), 4u);
    EXPECT_EQ(source.progress(), 0.25);
}

TEST(OffsetSource, DropsWhatReachesBeyondTheDevice)
{
    OffsetSource source(some(), 10, config::Beyond::Drop, 100);
    EXPECT_THAT(addresses(source, 9), ElementsAre(10, 0));
    EXPECT_EQ(source.counts().dropped, 2u);
    EXPECT_EQ(source.counts().requests, 2u); // handed out
}

TEST(MakeJobs, ABrokenTraceOfAnyJobIsAnError)
{
    const std::string path = testing::TempDir() + "jobs_test_broken.csv";
    std::ofstream(path) << "0,1,x\n";
    EXPECT_THROW(jobs_of("{jobs: [{rw: read}, {trace: " + path + "}]}"), InputError);
}

} // namespace
} // namespace tlmssd::workload
