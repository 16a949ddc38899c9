// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: several jobs on one queue, schedules by hand. The device serves each command in 10 us.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "tb/host/rig.h"

namespace tlmssd::tb {
namespace {

using config::LoopMode;
using testing::ElementsAre;
using testing::SizeIs;

constexpr double kUs = 1e6;

struct Seen {
    u32 job;
    u64 arrival, issued, ended; ///< us
    bool operator==(const Seen& o) const
    {
        return job == o.job && arrival == o.arrival && issued == o.issued && ended == o.ended;
    }
};

void PrintTo(const Seen& s, std::ostream* out)
{
    *out << "{" << s.job << ", " << s.arrival << ", " << s.issued << ", " << s.ended << "}";
}

class Log : public host::RequestObserverIf {
public:
    void on_issued(const host::RequestRecord&) override { ++issued; }
    void on_request(const host::RequestRecord& r) override
    {
        list.push_back({r.job, r.arrival.value() / 1000000, r.issued.value() / 1000000,
                        r.ended.value() / 1000000});
        kinds.push_back(r.command.opcode);
        statuses.push_back(r.status);
        flags.push_back(r.command.flags);
        if (r.job == restart_at_end_of && host != nullptr) {
            host->restart_statistics();
            restart_at_end_of = ~0u;
        }
    }
    u32 issued = 0;
    std::vector<Seen> list;
    std::vector<u32> kinds, statuses, flags;
    host::Initiator* host = nullptr;
    u32 restart_at_end_of = ~0u;
};

class JobsTest : public KernelTest {
protected:
    void make(u32 tags, bool sata = false)
    {
        rig_ = std::make_unique<Rig>(small_config(tags, LoopMode::Closed), sata);
        rig_->firmware.latency = [](u64) { return microseconds(10); };
        rig_->initiator.observe(&log_);
        log_.host = &rig_->initiator;
    }
    workload::JobRules& add(const std::vector<Request>& list, LoopMode mode = LoopMode::Closed,
                            u32 iodepth = 1)
    {
        auto source = std::make_unique<ListSource>();
        source->list = list;
        workload::Job job;
        job.rules.mode = mode;
        job.rules.iodepth = iodepth;
        job.source = std::move(source);
        jobs_.push_back(std::move(job));
        return jobs_.back().rules;
    }
    static std::vector<Request> reads(u32 n)
    {
        return std::vector<Request>(n, request(Kind::Read, 0, 8));
    }
    static std::vector<Request> reads_at(const std::vector<u64>& us)
    {
        std::vector<Request> list;
        for (const u64 at : us) {
            list.push_back(request(Kind::Read, 0, 8, microseconds(at)));
        }
        return list;
    }
    void run()
    {
        rig_->initiator.start(jobs_, *rig_);
        sc_core::sc_start(1, sc_core::SC_SEC);
        ASSERT_EQ(rig_->done, 1);
    }
    const host::RequestStats& of(u32 job) const { return rig_->initiator.job_stats(job); }

    std::unique_ptr<Rig> rig_;
    std::vector<workload::Job> jobs_;
    Log log_;
};

TEST_F(JobsTest, ClosedJobsOfDifferentDepthsShareTheTags)
{
    // 4 tags, depths 1 and 3: both fit, each round takes 10 us.
    make(4);
    add(reads(2), LoopMode::Closed, 1);
    add(reads(6), LoopMode::Closed, 3);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 0, 0, 10}, Seen{1, 0, 0, 10},
                                       Seen{1, 0, 0, 10}, Seen{0, 10, 10, 20}, Seen{1, 10, 10, 20},
                                       Seen{1, 10, 10, 20}, Seen{1, 10, 10, 20}));
    EXPECT_EQ(of(0).reads.count, 2u);
    EXPECT_EQ(of(1).reads.count, 6u);
    EXPECT_EQ(of(1).reads.bytes, 6u * 4096);
    EXPECT_EQ(rig_->initiator.stats().reads.count, 8u);
    EXPECT_EQ(log_.issued, 8u);
}

TEST_F(JobsTest, MoreDepthThanTagsMakesRequestsWaitFromWhenTheirSlotWasFree)
{
    // One tag, one job of depth 3: all arrive at 0, 0, 0, then each when one has ended.
    make(1);
    add(reads(5), LoopMode::Closed, 3);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{0, 0, 10, 20}, Seen{0, 0, 20, 30},
                                       Seen{0, 10, 30, 40}, Seen{0, 20, 40, 50}));
    // Waits 0, 10, 20, 20, 20 us; the last four found the queue full.
    EXPECT_EQ(of(0).queue_wait.mean_ps(), 70 * kUs / 5);
    EXPECT_EQ(of(0).queue_wait_when_full.count, 4u);
    EXPECT_EQ(of(0).queue_wait_when_full.mean_ps(), 70 * kUs / 4);
    // Responses 10, 20, 30, 30, 30 us.
    EXPECT_EQ(of(0).reads.response.mean_ps(), 120 * kUs / 5);
    EXPECT_EQ(of(0).reads.latency.mean_ps(), 10 * kUs);
}

TEST_F(JobsTest, HigherPriorityGetsTheFreeTagThenTheEarlierThenTheLowerNumber)
{
    make(1);
    add(reads_at({0, 1, 2}), LoopMode::Open);
    add(reads_at({5, 6}), LoopMode::Open).priority = 2;
    add(reads_at({1}), LoopMode::Open);
    run();
    // At 10: job 1 (arrived 5) before 0 (1) and 2 (1). At 20: job 1 (6). At 30: jobs 0 and 2
    // arrived both at 1: job 0. At 40: job 2 (1) before job 0 (2).
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 5, 10, 20}, Seen{1, 6, 20, 30},
                                       Seen{0, 1, 30, 40}, Seen{2, 1, 40, 50}, Seen{0, 2, 50, 60}));
    EXPECT_EQ(of(1).queue_wait.mean_ps(), (5 + 14) * kUs / 2);
    EXPECT_EQ(of(2).queue_wait_when_full.mean_ps(), 39 * kUs);
}

TEST_F(JobsTest, AHigherPriorityInAClosedLoopStarvesALowerOneOnlyOfTags)
{
    make(2);
    add(reads(2));
    add(reads(3)).priority = 3;
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{1, 0, 0, 10}, Seen{0, 0, 0, 10}, Seen{1, 10, 10, 20},
                                       Seen{0, 10, 10, 20}, Seen{1, 20, 20, 30}));
}

TEST_F(JobsTest, ThePriorityTravelsWithTheCommand)
{
    make(2);
    Request fua = request(Kind::Write, 0, 8);
    fua.fua = true;
    add({fua}).priority = 3;
    add(reads(1)).priority = 1;
    run();
    EXPECT_THAT(log_.flags, ElementsAre(HAL_HOST_FUA | 3u << HAL_HOST_PRIORITY_SHIFT,
                                        1u << HAL_HOST_PRIORITY_SHIFT));
    EXPECT_EQ(log_.flags[0] & HAL_HOST_PRIORITY_MASK, 6u);
}

TEST_F(JobsTest, AJobStartsAtItsTime)
{
    make(4);
    add(reads(1));
    add(reads(2)).start = microseconds(25);
    add(reads_at({3}), LoopMode::Open).start = microseconds(40);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 25, 25, 35},
                                       Seen{1, 35, 35, 45}, Seen{2, 43, 43, 53}));
    EXPECT_EQ(rig_->ended_at, microseconds(53));
}

TEST_F(JobsTest, OpenAndClosedLoopSideBySide)
{
    // Two tags. The closed job keeps one busy; the open one wants the other at 0, 1 and 2.
    make(2);
    add(reads(3));
    add(reads_at({0, 1, 2}), LoopMode::Open);
    run();
    // At 10 the closed job's next arrives just then; the open one's have waited longer.
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 0, 0, 10}, Seen{1, 1, 10, 20},
                                       Seen{1, 2, 10, 20}, Seen{0, 10, 20, 30},
                                       Seen{0, 30, 30, 40}));
    EXPECT_EQ(rig_->initiator.stats().last_arrival, microseconds(2)); // of the open loop
    EXPECT_EQ(rig_->initiator.stats().last_latency, microseconds(10));
    // 6 commands of 10 us in 40 us.
    EXPECT_EQ(rig_->initiator.stats().mean_outstanding(), 60.0 / 40.0);
}

TEST_F(JobsTest, ThinktimePausesOneJobOnly)
{
    make(2);
    workload::JobRules& slow = add(reads(3));
    slow.thinktime = microseconds(15);
    slow.thinktime_blocks = 2;
    add(reads(4));
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 0, 0, 10}, Seen{0, 10, 10, 20},
                                       Seen{1, 10, 10, 20}, Seen{1, 20, 20, 30},
                                       Seen{1, 30, 30, 40}, Seen{0, 35, 35, 45}));
}

TEST_F(JobsTest, RateCapsAClosedLoop)
{
    make(4);
    add(reads(4), LoopMode::Closed, 4).rate_interval = microseconds(7);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{0, 7, 7, 17}, Seen{0, 14, 14, 24},
                                       Seen{0, 21, 21, 31}));
}

TEST_F(JobsTest, RuntimeEndsAJobWhateverIsLeft)
{
    make(2);
    add(reads(100)).runtime = microseconds(30); // 0, 10, 20; at 30 it is over
    add(reads_at({0, 11, 12, 500}), LoopMode::Open).runtime = microseconds(12);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 0, 0, 10}, Seen{0, 10, 10, 20},
                                       Seen{1, 11, 11, 21}, Seen{0, 20, 20, 30}));
    EXPECT_EQ(rig_->ended_at, microseconds(30));
}

TEST_F(JobsTest, RuntimeEndsAJobThatWaitsForItsRate)
{
    make(1);
    workload::JobRules& rules = add(reads(9));
    rules.rate_interval = microseconds(100);
    rules.runtime = microseconds(100);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}));
    EXPECT_EQ(rig_->ended_at, microseconds(10)); // nothing to wait for
}

TEST_F(JobsTest, AFlushRunsAloneAndIsNotStarvedByAnotherJob)
{
    // Job 0 keeps both of its slots busy, staggered; job 1 wants a flush at 5.
    make(4);
    rig_->firmware.latency = [](u64 nth) { return microseconds(nth == 0 ? 6 : 10); };
    add(reads(6), LoopMode::Closed, 2);
    add({request(Kind::Flush, 0, 0, microseconds(5)), request(Kind::Read, 0, 8, microseconds(7))},
        LoopMode::Open);
    run();
    // The flush waits from 5; at 6 a slot of job 0 becomes free, but nothing is issued any more;
    // the other read ends at 10. The flush has the device from 10 to 20. Then all that has waited.
    EXPECT_THAT(log_.list,
                ElementsAre(Seen{0, 0, 0, 6}, Seen{0, 0, 0, 10}, Seen{1, 5, 10, 20},
                            Seen{0, 6, 20, 30}, Seen{1, 7, 20, 30}, Seen{0, 10, 20, 30},
                            Seen{0, 30, 30, 40}, Seen{0, 30, 30, 40}));
    EXPECT_THAT(log_.kinds, ElementsAre(1, 1, 3, 1, 1, 1, 1, 1));
    EXPECT_EQ(of(1).flushes, 1u);
    EXPECT_EQ(of(0).flushes, 0u);
    EXPECT_EQ(of(1).flush_latency.mean_ps(), 10 * kUs);
}

TEST_F(JobsTest, AFlushThatDrainsIsNotOvertakenByAHigherPriority)
{
    make(2);
    add({request(Kind::Read, 0, 8), request(Kind::Flush, 0, 0)}, LoopMode::Closed, 2);
    add(reads_at({3, 4}), LoopMode::Open).priority = 3;
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{0, 0, 10, 20}, Seen{1, 3, 20, 30},
                                       Seen{1, 4, 20, 30}));
}

TEST_F(JobsTest, FlushesOfTwoJobsTakeTurns)
{
    make(4);
    const auto flush = [](u64 us) { return request(Kind::Flush, 0, 0, microseconds(us)); };
    add({flush(0), flush(0)}, LoopMode::Closed, 4);
    add({flush(0), flush(1)}, LoopMode::Open);
    run();
    EXPECT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 0, 10, 20}, Seen{1, 1, 20, 30},
                                       Seen{0, 10, 30, 40}));
}

TEST_F(JobsTest, ManyJobsWithFlushesAndTrimsOverSataAllEnd)
{
    make(8, true);
    rig_->firmware.latency = [](u64 nth) { return microseconds(nth % 7); };
    for (u32 j = 0; j < 6; ++j) {
        std::vector<Request> list;
        for (u32 i = 0; i < 60; ++i) {
            const Kind kind = i % 9 == j ? Kind::Flush
                              : i % 11 == j ? Kind::Trim
                              : (i + j) % 2 ? Kind::Write
                                            : Kind::Read;
            list.push_back(request(kind, kind == Kind::Flush ? 0 : ((i * 7 + j) % 64) * 8,
                                   kind == Kind::Flush ? 0 : 8, microseconds(i * 3)));
        }
        workload::JobRules& rules =
            add(list, j % 2 ? LoopMode::Open : LoopMode::Closed, 1 + j);
        rules.priority = static_cast<u8>(j % 4);
        rules.thinktime = j == 2 ? microseconds(5) : Picoseconds();
    }
    run();
    EXPECT_THAT(log_.list, SizeIs(360u));
    u64 ended = 0;
    for (u32 j = 0; j < 6; ++j) {
        EXPECT_EQ(of(j).requests(), 60u) << j;
        ended += of(j).requests();
    }
    EXPECT_EQ(rig_->initiator.stats().requests(), ended);
    EXPECT_THAT(rig_->failures, SizeIs(0u));
}

TEST_F(JobsTest, OneJobInAListIsThePlainOne)
{
    make(3);
    add(reads(9), LoopMode::Closed, 3);
    run();
    const auto& total = rig_->initiator.stats();
    EXPECT_EQ(&of(0), static_cast<const host::RequestStats*>(&total));
    EXPECT_EQ(total.mean_outstanding(), 3.0);
    EXPECT_EQ(rig_->ended_at, microseconds(30));
}

TEST_F(JobsTest, AfterARestartCountsWhatEndsFromThenOn)
{
    // Job 0: 0-10, 10-20, 20-30, 30-40. Job 1: 5-15; at its end the statistics begin again.
    make(2);
    add(reads(4));
    add(reads_at({5}), LoopMode::Open);
    log_.restart_at_end_of = 1;
    run();
    ASSERT_THAT(log_.list, ElementsAre(Seen{0, 0, 0, 10}, Seen{1, 5, 5, 15}, Seen{0, 10, 10, 20},
                                       Seen{0, 20, 20, 30}, Seen{0, 30, 30, 40}));
    const auto& s = rig_->initiator.stats();
    EXPECT_EQ(s.started, microseconds(15));
    EXPECT_EQ(s.last_completion, microseconds(40));
    EXPECT_EQ(s.reads.count, 3u); // the first of them was issued before
    EXPECT_EQ(of(0).reads.count, 3u);
    EXPECT_EQ(of(1).reads.count, 0u);
    EXPECT_EQ(s.reads.latency.mean_ps(), 10 * kUs);
    EXPECT_EQ(s.queue_wait.count, 3u);
    EXPECT_EQ(s.mean_outstanding(), 1.0); // 25 us of 25
    EXPECT_EQ(s.last_arrival, Picoseconds());
    EXPECT_EQ(s.units_checked, 5u); // integrity covers the whole run
}

TEST_F(JobsTest, ObserversSeeEveryKindOfRequestAndItsStatus)
{
    config::Config c = small_config(1, LoopMode::Closed);
    c.nand.errors.enabled = true; // a device that may fail
    rig_ = std::make_unique<Rig>(c, false);
    rig_->initiator.observe(&log_);
    rig_->firmware.latency = [](u64) { return microseconds(10); };
    rig_->firmware.fails = [](u64 nth) { return nth == 1; }; // of reads and writes
    add({request(Kind::Write, 0, 8), request(Kind::Flush, 0, 0), request(Kind::Read, 0, 8),
         request(Kind::Trim, 8, 8)});
    add(reads(1));
    run();
    EXPECT_THAT(log_.kinds, ElementsAre(HAL_HOST_WRITE, HAL_HOST_READ, HAL_HOST_FLUSH,
                                        HAL_HOST_READ, HAL_HOST_TRIM));
    EXPECT_THAT(log_.statuses, ElementsAre(HAL_HOST_OK, HAL_HOST_ERROR, HAL_HOST_OK, HAL_HOST_OK,
                                           HAL_HOST_OK));
    EXPECT_EQ(of(1).device_errors.reads, 1u);
    EXPECT_EQ(of(0).device_errors.all(), 0u);
    EXPECT_EQ(rig_->initiator.stats().device_errors.reads, 1u);
}

TEST_F(JobsTest, ASourceThatThrowsStopsAllJobs)
{
    struct Broken : public ListSource {
        bool next(Request& out) override
        {
            if (!ListSource::next(out)) {
                throw InputError("trace:2: broken line");
            }
            return true;
        }
    };
    make(4);
    auto broken = std::make_unique<Broken>();
    broken->list = reads(1);
    add(reads(50));
    jobs_.emplace_back();
    jobs_.back().rules.iodepth = 1;
    jobs_.back().source = std::move(broken);
    rig_->initiator.start(jobs_, *rig_);
    sc_core::sc_start(1, sc_core::SC_SEC);
    EXPECT_EQ(rig_->source_errors, 1);
    EXPECT_EQ(rig_->done, 0);
    EXPECT_NE(rig_->initiator.source_error(), nullptr);
    EXPECT_EQ(rig_->initiator.outstanding(), 0u); // what was open has ended, nothing came after it
    EXPECT_EQ(log_.list.size(), 2u);
}

} // namespace
} // namespace tlmssd::tb
