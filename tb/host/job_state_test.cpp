// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: when a job's requests arrive, by hand.
#include <gtest/gtest.h>

#include "models/host/job_state.h"

namespace tlmssd::host {
namespace {

struct NoSource : public workload::RequestSource {
    bool next(workload::Request&) override { return false; }
    const workload::SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return 0; }
    double progress() const override { return -1; }

private:
    workload::SourceCounts counts_;
};

class JobArrivals : public testing::Test {
protected:
    JobState job(const workload::JobRules& rules, Picoseconds now = Picoseconds())
    {
        return JobState(rules, source_, 0, now);
    }
    static workload::JobRules closed(u32 iodepth)
    {
        workload::JobRules rules;
        rules.iodepth = iodepth;
        return rules;
    }
    /// The head arrives and is issued at once.
    static void send(JobState& job)
    {
        job.arrive(job.next_arrival(), false);
        job.issued(false);
    }
    NoSource source_;
};

TEST_F(JobArrivals, OfAnOpenLoopCountFromTheJobsStart)
{
    workload::JobRules rules;
    rules.mode = config::LoopMode::Open;
    rules.start = microseconds(30);
    JobState j = job(rules, microseconds(5));
    j.head.arrival = microseconds(7);
    EXPECT_EQ(j.next_arrival(), microseconds(42));
}

TEST_F(JobArrivals, OfAClosedLoopNeedAFreeSlot)
{
    JobState j = job(closed(2), microseconds(1));
    EXPECT_EQ(j.next_arrival(), microseconds(1));
    send(j);
    send(j);
    EXPECT_EQ(j.next_arrival(), kTimeNever);
    j.ended(microseconds(9));
    EXPECT_EQ(j.next_arrival(), microseconds(9));
}

TEST_F(JobArrivals, AreWhenTheSlotBecameFreeNotWhenTheHostLooked)
{
    JobState j = job(closed(2));
    send(j);
    send(j);
    j.ended(microseconds(4));
    j.ended(microseconds(6));
    EXPECT_EQ(j.next_arrival(), microseconds(4)); // this head waits for a tag until later
    send(j);
    EXPECT_EQ(j.next_arrival(), microseconds(6));
}

TEST_F(JobArrivals, WaitForTheEndOfTheJobsOwnLoneCommand)
{
    JobState j = job(closed(4));
    j.arrive(j.next_arrival(), false);
    j.issued(true); // a FLUSH
    EXPECT_EQ(j.next_arrival(), kTimeNever);
    j.ended(microseconds(8));
    EXPECT_EQ(j.next_arrival(), microseconds(8)); // though three slots are free since 0
}

TEST_F(JobArrivals, AtARateAreNotBeforeTheirTurnAndCatchUp)
{
    workload::JobRules rules = closed(8);
    rules.rate_interval = microseconds(10);
    rules.start = microseconds(100);
    JobState j = job(rules);
    EXPECT_EQ(j.next_arrival(), microseconds(100)); // number 0
    send(j);
    EXPECT_EQ(j.next_arrival(), microseconds(110));
    send(j);
    JobState slow = job(rules);
    for (u32 i = 0; i < 8; ++i) {
        send(slow); // 100 .. 170
    }
    slow.ended(microseconds(200));
    EXPECT_EQ(slow.next_arrival(), microseconds(200)); // its turn was 180
    send(slow);
    slow.ended(microseconds(201));
    EXPECT_EQ(slow.next_arrival(), microseconds(201)); // 190: it still catches up
}

TEST_F(JobArrivals, PauseAfterEachCompletionAtDepthOne)
{
    workload::JobRules rules = closed(1);
    rules.thinktime = microseconds(50);
    JobState j = job(rules);
    send(j);
    j.ended(microseconds(10));
    EXPECT_EQ(j.next_arrival(), microseconds(60));
    send(j);
    j.ended(microseconds(75));
    EXPECT_EQ(j.next_arrival(), microseconds(125));
}

TEST_F(JobArrivals, PauseAfterSoManyCompletions)
{
    workload::JobRules rules = closed(1);
    rules.thinktime = microseconds(50);
    rules.thinktime_blocks = 3;
    JobState j = job(rules);
    for (const u64 end : {10, 20}) {
        send(j);
        j.ended(microseconds(end));
        EXPECT_EQ(j.next_arrival(), microseconds(end));
    }
    send(j);
    j.ended(microseconds(30));
    EXPECT_EQ(j.next_arrival(), microseconds(80));
    send(j);
    j.ended(microseconds(90)); // the count begins again
    EXPECT_EQ(j.next_arrival(), microseconds(90));
}

TEST_F(JobArrivals, PauseWhenAllThatIsOpenHasEnded)
{
    workload::JobRules rules = closed(3);
    rules.thinktime = microseconds(50);
    rules.thinktime_blocks = 2;
    JobState j = job(rules);
    send(j);
    send(j);
    send(j);
    j.ended(microseconds(10)); // the first
    EXPECT_EQ(j.next_arrival(), microseconds(10));
    send(j);
    j.ended(microseconds(12)); // the second: now it drains
    EXPECT_EQ(j.next_arrival(), kTimeNever);
    j.ended(microseconds(15));
    EXPECT_EQ(j.next_arrival(), kTimeNever);
    j.ended(microseconds(20));
    EXPECT_EQ(j.next_arrival(), microseconds(70)); // 20 + 50, for all three slots
    send(j);
    send(j);
    EXPECT_EQ(j.next_arrival(), microseconds(70));
}

TEST_F(JobArrivals, BeforeAPauseStayArrivalsThoughTheyWaitForATag)
{
    workload::JobRules rules = closed(3);
    rules.thinktime = microseconds(50);
    rules.thinktime_blocks = 1;
    JobState j = job(rules);
    send(j);                 // the only tag; two requests of 0 us wait
    j.ended(microseconds(10)); // drain: what arrived at 0 goes on
    EXPECT_EQ(j.next_arrival(), Picoseconds());
    send(j);
    EXPECT_EQ(j.next_arrival(), Picoseconds());
    send(j);
    EXPECT_EQ(j.next_arrival(), kTimeNever);
    j.ended(microseconds(20));
    j.ended(microseconds(30));
    EXPECT_EQ(j.next_arrival(), microseconds(80));
}

TEST_F(JobArrivals, EndWithTheRuntime)
{
    workload::JobRules rules = closed(1);
    rules.start = microseconds(5);
    EXPECT_EQ(job(rules).end, kTimeNever);
    rules.runtime = microseconds(20);
    EXPECT_EQ(job(rules, microseconds(1)).end, microseconds(26));
}

} // namespace
} // namespace tlmssd::host
