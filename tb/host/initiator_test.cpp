// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: closed and open loop, tags, waiting, exclusive commands, statistics.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "tb/host/rig.h"

namespace tlmssd::tb {
namespace {

using config::LoopMode;
using testing::ElementsAre;

constexpr u64 kUs = 1000000;

class InitiatorTest : public KernelTest {
protected:
    static void add_reads(Rig& rig, u32 n)
    {
        for (u32 i = 0; i < n; ++i) {
            rig.source.list.push_back(request(Kind::Read, (i % 512) * 8, 8));
        }
    }
};

TEST_F(InitiatorTest, ClosedLoopKeepsTheQueueFullAndObeysLittle)
{
    Rig rig(small_config(8, LoopMode::Closed), false);
    rig.firmware.latency = [](u64) { return microseconds(10); };
    add_reads(rig, 80);
    rig.run();
    const auto& s = rig.initiator.stats();
    EXPECT_EQ(rig.ended_at, microseconds(100)); // 80 / 8 * 10 us
    EXPECT_EQ(s.last_completion, microseconds(100));
    EXPECT_EQ(rig.firmware.most_open, 8u);
    EXPECT_EQ(s.reads.count, 80u);
    EXPECT_EQ(s.reads.bytes, 80u * 4096);
    EXPECT_EQ(s.reads.latency.min(), microseconds(10));
    EXPECT_EQ(s.reads.latency.max(), microseconds(10));
    EXPECT_EQ(s.units_checked, 80u);
    // L = X * W = (80 / 100 us) * 10 us = 8, exactly.
    EXPECT_EQ(s.mean_outstanding(), 8.0);
    EXPECT_EQ(s.queue_wait.mean_ps(), 0.0);
    EXPECT_EQ(s.queue_wait_when_full.count, 0u);
}

TEST_F(InitiatorTest, PercentilesOfKnownLatencies)
{
    Rig rig(small_config(1, LoopMode::Closed), false);
    rig.firmware.latency = [](u64 nth) { return Picoseconds(100 * (10 - nth)); };
    add_reads(rig, 10); // 1000, 900, ... 100 ps: below 2048 ps the histogram is exact
    rig.run();
    const auto& h = rig.initiator.stats().reads.latency;
    EXPECT_EQ(h.quantile(0.5).value(), 500u);
    EXPECT_EQ(h.quantile(0.9).value(), 900u);
    EXPECT_EQ(h.max().value(), 1000u);
    EXPECT_EQ(h.mean_ps(), 550.0);
    EXPECT_EQ(rig.ended_at.value(), 5500u);
}

TEST_F(InitiatorTest, OpenLoopWaitsForATagByHand)
{
    // Depth 2, 10 us each. Arrivals 0, 1, 2, 3, 30 us. The third waits for the first to end (10),
    // the fourth for the second (11): 8 us each.
    Rig rig(small_config(2, LoopMode::Open), false);
    rig.firmware.latency = [](u64) { return microseconds(10); };
    rig.firmware.logging = true;
    for (const u64 us : {0, 1, 2, 3, 30}) {
        rig.source.list.push_back(request(Kind::Read, us * 8, 8, microseconds(us)));
    }
    rig.run();
    const auto& s = rig.initiator.stats();
    EXPECT_THAT(rig.firmware.log,
                ElementsAre("op 1 tag 0 open 1 @0", "op 1 tag 1 open 2 @1000000",
                            "op 1 tag 0 open 2 @10000000", "op 1 tag 1 open 2 @11000000",
                            "op 1 tag 0 open 1 @30000000"));
    EXPECT_EQ(s.queue_wait.count, 5u);
    EXPECT_EQ(s.queue_wait.mean_ps(), 16.0 * kUs / 5);
    EXPECT_EQ(s.queue_wait_when_full.count, 2u);
    EXPECT_EQ(s.queue_wait_when_full.mean_ps(), 8.0 * kUs);
    EXPECT_EQ(s.reads.latency.mean_ps(), 10.0 * kUs);
    EXPECT_EQ(s.reads.response.mean_ps(), (10 + 10 + 18 + 18 + 10) * 1.0 * kUs / 5);
    EXPECT_EQ(s.last_arrival, microseconds(30));
    EXPECT_EQ(s.last_latency, microseconds(10));
    EXPECT_EQ(rig.ended_at, microseconds(40));
    // Open for 10 + 10 + 10 + 10 + 10 us in all, of 40.
    EXPECT_EQ(s.mean_outstanding(), 50.0 / 40.0);
}

TEST_F(InitiatorTest, ARequestBehindAWaitingOneFoundTheQueueFull)
{
    // Depth 1: arrivals 0, 4, 5 us; the third arrives while the second waits.
    Rig rig(small_config(1, LoopMode::Open), false);
    rig.firmware.latency = [](u64) { return microseconds(10); };
    for (const u64 us : {0, 4, 5}) {
        rig.source.list.push_back(request(Kind::Read, 0, 8, microseconds(us)));
    }
    rig.run();
    EXPECT_EQ(rig.initiator.stats().queue_wait_when_full.count, 2u);
    EXPECT_EQ(rig.initiator.stats().queue_wait_when_full.mean_ps(), (6 + 15) * 0.5 * kUs);
}

TEST_F(InitiatorTest, LowestFreeTagFirst)
{
    Rig rig(small_config(256, LoopMode::Closed), false);
    rig.firmware.latency = [](u64 nth) { return microseconds(1 + nth / 256); };
    rig.firmware.logging = true;
    add_reads(rig, 257);
    rig.run();
    for (u32 i = 0; i < 256; ++i) {
        const std::string start = "op 1 tag " + std::to_string(i) + " ";
        EXPECT_THAT(rig.firmware.log[i], testing::StartsWith(start));
    }
    EXPECT_THAT(rig.firmware.log[256], testing::StartsWith("op 1 tag 0 "));
}

void flush_between(bool sata)
{
    Rig rig(small_config(4, LoopMode::Closed), sata);
    rig.firmware.latency = [](u64) { return microseconds(10); };
    rig.firmware.logging = true;
    for (u64 i = 0; i < 2; ++i) {
        rig.source.list.push_back(request(Kind::Write, i * 8, 8));
    }
    rig.source.list.push_back(request(Kind::Flush, 0, 0));
    for (u64 i = 0; i < 2; ++i) {
        rig.source.list.push_back(request(Kind::Read, i * 8, 8));
    }
    rig.run();
    ASSERT_EQ(rig.firmware.log.size(), 5u);
    EXPECT_THAT(rig.firmware.log[1], testing::HasSubstr("op 2 tag 1 open 2"));
    EXPECT_THAT(rig.firmware.log[2], testing::HasSubstr("op 3 tag 0 open 1"));
    EXPECT_THAT(rig.firmware.log[3], testing::HasSubstr("op 1 tag 0 open 1"));
    EXPECT_THAT(rig.firmware.log[4], testing::HasSubstr("op 1 tag 1 open 2"));
    EXPECT_EQ(rig.initiator.stats().flushes, 1u);
    EXPECT_EQ(rig.initiator.stats().mismatches, 0u);
    if (!sata) { // writes end at 10 us, the flush at 20, reads at 30
        EXPECT_THAT(rig.firmware.log[2], testing::EndsWith("@10000000"));
        EXPECT_THAT(rig.firmware.log[3], testing::EndsWith("@20000000"));
        EXPECT_EQ(rig.initiator.stats().flush_latency.mean_ps(), 10.0 * kUs);
        EXPECT_EQ(rig.ended_at, microseconds(30));
    }
}

TEST_F(InitiatorTest, FlushRunsAloneDirect) { flush_between(false); }
TEST_F(InitiatorTest, FlushRunsAloneSata) { flush_between(true); }

u32 open_beside_trim(bool sata, bool queued = false)
{
    config::Config c = small_config(4, LoopMode::Closed);
    c.sata.queued_trim = queued;
    Rig rig(c, sata);
    rig.firmware.latency = [](u64) { return microseconds(10); };
    rig.source.list = {request(Kind::Write, 0, 8), request(Kind::Trim, 80, 8),
                       request(Kind::Write, 8, 8)};
    rig.run();
    EXPECT_EQ(rig.initiator.stats().trims, 1u);
    return rig.firmware.most_open;
}

TEST_F(InitiatorTest, TrimIsQueuedDirect) { EXPECT_EQ(open_beside_trim(false), 3u); }
TEST_F(InitiatorTest, TrimRunsAloneOnSata) { EXPECT_EQ(open_beside_trim(true), 1u); }
TEST_F(InitiatorTest, TrimIsQueuedOnSataThatHasIt) { EXPECT_EQ(open_beside_trim(true, true), 3u); }

TEST_F(InitiatorTest, EmptyWorkloadEndsAtOnce)
{
    Rig rig(small_config(4, LoopMode::Closed), false);
    rig.run();
    EXPECT_EQ(rig.ended_at.value(), 0u);
}

struct BrokenSource : public ListSource {
    bool next(Request& out) override
    {
        if (!ListSource::next(out)) {
            throw InputError("trace:3: broken line");
        }
        return true;
    }
};

TEST_F(InitiatorTest, ASourceThatThrowsIsReportedAndNothingEndsTheRun)
{
    Rig rig(small_config(1, LoopMode::Closed), false);
    BrokenSource source;
    source.list = {request(Kind::Read, 0, 8)};
    rig.initiator.start(source, rig);
    sc_core::sc_start(1, sc_core::SC_MS);
    EXPECT_EQ(rig.source_errors, 1);
    EXPECT_EQ(rig.done, 0);
    EXPECT_THROW(std::rethrow_exception(rig.initiator.source_error()), InputError);
}

TEST_F(InitiatorTest, QueueDepthOutsideTheTagsIsTheUsersError)
{
    EXPECT_THROW(Rig(small_config(1025, LoopMode::Closed), false), InputError);
}

} // namespace
} // namespace tlmssd::tb
