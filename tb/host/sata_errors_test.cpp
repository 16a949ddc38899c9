// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SATA link with bit errors, resets, errors of the queue, flow control and without NCQ.
#include <gmock/gmock.h>

#include <cmath>

#include "models/common/error.h"
#include "tb/host/rig.h"

namespace tlmssd::tb {
namespace {

using config::LinkDetail;
using config::LoopMode;

class SataErrors : public KernelTest {};
class SataFlow : public KernelTest {};
class SataPlain : public KernelTest {};

/// Each page (8 KiB) is written and then read, at depth 32; a TRIM now and then.
void fill(ListSource& source, u32 pages)
{
    for (u32 i = 0; i < pages; ++i) {
        source.list.push_back(request(Kind::Write, u64{i} * 16, 16));
    }
    for (u32 i = 0; i < pages; ++i) {
        source.list.push_back(i % 16 == 5 ? request(Kind::Trim, u64{i} * 16, 16)
                                          : request(Kind::Read, u64{i} * 16, 16));
    }
}

struct Outcome {
    Picoseconds ended;
    u64 repeated = 0, resets = 0, again = 0, frames = 0, wrong = 0, errors = 0, reads = 0, writes = 0;
    bool operator==(const Outcome& o) const
    {
        return ended == o.ended && repeated == o.repeated && resets == o.resets && again == o.again &&
               frames == o.frames && wrong == o.wrong && errors == o.errors;
    }
};

config::Config noisy(LinkDetail link, double rate, u32 retries, bool bytes = false)
{
    config::Config c = small_config(32, LoopMode::Closed);
    c.sata.link = link;
    c.sata.bit_error_rate = rate;
    c.sata.retries = retries;
    c.sata.slower_after = 0;
    c.sata.command_retries = 1000;
    c.sata.queued_trim = true;
    c.data = bytes ? config::DataKind::Full : config::DataKind::Tags;
    return c;
}

Outcome run_noisy(LinkDetail link, double rate, u32 retries, bool bytes = false)
{
    fresh_kernel();
    Rig rig(noisy(link, rate, retries, bytes), true, microseconds(2));
    fill(rig.source, 500);
    rig.run(milliseconds(100000));
    Outcome o;
    o.ended = rig.ended_at;
    o.repeated = rig.link.stats().from_host.repeated + rig.link.stats().from_device.repeated;
    o.frames = rig.link.stats().from_host.frames + rig.link.stats().from_device.frames;
    o.resets = rig.link.stats().resets;
    o.again = rig.hba.stats().repeated;
    o.wrong = rig.initiator.stats().mismatches;
    o.errors = rig.initiator.stats().errors;
    o.reads = rig.initiator.stats().reads.count;
    o.writes = rig.initiator.stats().writes.count;
    EXPECT_EQ(rig.hba.stats().resets, o.resets);
    EXPECT_EQ(rig.device.open(), 0u);
    EXPECT_EQ(rig.device.stats().illegal_fises + rig.device.stats().stray_data, 0u);
    return o;
}

void expect_whole(const Outcome& o)
{
    EXPECT_EQ(o.wrong, 0u);
    EXPECT_EQ(o.errors, 0u);
    EXPECT_EQ(o.writes, 500u);
    EXPECT_EQ(o.reads, 500u - 31); // 5, 21, ... 485 are trimmed
}

// A frame of d dwords breaks with 1 - (1 - p)^(40 (d + 3)). With p = 1e-6 that is 7.9 percent of the
// 969 data FISes (2052 dwords) and 0.03 percent of the about 4100 others (8 dwords): 76 + 1.3; each
// repeat may break too: 78 / (1 - 0.079) = 84. Four standard deviations are 37.
TEST_F(SataErrors, BrokenFramesAreSentAgain)
{
    const Outcome o = run_noisy(LinkDetail::Fast, 1e-6, 1000);
    expect_whole(o);
    EXPECT_NEAR(static_cast<double>(o.repeated), 84, 37);
    EXPECT_EQ(o.resets, 0u);
    EXPECT_EQ(o.again, 0u);
}
TEST_F(SataErrors, TheFullLinkHasTheSameTimesWithoutNoise)
{
    const Outcome fast = run_noisy(LinkDetail::Fast, 0, 8);
    expect_whole(fast);
    EXPECT_EQ(fast.repeated, 0u);
    Outcome full = run_noisy(LinkDetail::Full, 0, 8);
    expect_whole(full);
    EXPECT_TRUE(fast == full);
    full = run_noisy(LinkDetail::Full, 0, 8, true);
    expect_whole(full);
    EXPECT_TRUE(fast == full);
}
TEST_F(SataErrors, TheFullLinkFindsExactlyTheFramesThatNoiseHasHit)
{
    const Outcome fast = run_noisy(LinkDetail::Fast, 2e-6, 8);
    expect_whole(fast);
    EXPECT_GT(fast.repeated, 50u);
    EXPECT_TRUE(fast == run_noisy(LinkDetail::Full, 2e-6, 8));
    EXPECT_TRUE(fast == run_noisy(LinkDetail::Full, 2e-6, 8, true));
}
TEST_F(SataErrors, WhenRetriesRunOutTheLinkIsResetAndNothingIsLost)
{
    const Outcome fast = run_noisy(LinkDetail::Fast, 1e-6, 0);
    expect_whole(fast);
    EXPECT_EQ(fast.repeated, fast.resets); // the first R_ERR resets
    EXPECT_GT(fast.resets, 20u);
    EXPECT_GT(fast.again, fast.resets);
    EXPECT_TRUE(fast == run_noisy(LinkDetail::Full, 1e-6, 0));
    EXPECT_GT(fast.ended, fast.resets * milliseconds(1)); // each takes comreset_us
}

/// A link over which no data FIS comes, with everything that a host does about it.
struct Hopeless {
    explicit Hopeless(config::Config c) : rig(c, true, microseconds(2))
    {
        fill(rig.source, 100);
        rig.initiator.start(rig.source, rig);
        sc_core::sc_start(sc_core::sc_time::from_value(milliseconds(100000).value()));
        try {
            if (rig.event_queue.failure()) {
                std::rethrow_exception(rig.event_queue.failure());
            }
        } catch (const ModelError& e) {
            reason = e.what();
        }
    }
    Rig rig;
    std::string reason;
};

// With p = 1e-4 a data FIS of 2052 dwords comes whole with exp(-8.2) = 0.03 %. COMRESETs 2, 4 and 6 lower the
// rate twice and turn NCQ off; the sixth gives the 32 commands up; then each is alone and takes six.
TEST_F(SataErrors, AHopelessLinkEndsWithTheBoundThatWasReached)
{
    config::Config c = noisy(LinkDetail::Fast, 1e-4, 8);
    c.sata.slower_after = 4;
    c.sata.command_retries = 5;
    const Hopeless run(c);
    EXPECT_THAT(run.reason, testing::HasSubstr("20 COMRESETs in a row"));
    EXPECT_THAT(run.reason, testing::HasSubstr("sata.resets_in_a_row"));
    EXPECT_THAT(run.reason, testing::HasSubstr("line rate 1.5 Gb/s, NCQ off"));
    EXPECT_EQ(run.rig.link.stats().resets, 21u);
    EXPECT_EQ(run.rig.link.stats().gbps_tenths, 15u);
    EXPECT_FALSE(run.rig.hba.ncq());
    EXPECT_EQ(run.rig.hba.stats().given_up, 32u + 2u); // resets 6, 12 and 18
    EXPECT_EQ(run.rig.initiator.stats().device_errors.writes, 34u);
    EXPECT_TRUE(run.rig.failures.empty()); // an I/O error is no error of the device
}

// At 3 Gb/s a data FIS breaks with 56 %, nine times in a row with 0.5 %; at 1.5 Gb/s with 8 %, never nine times.
TEST_F(SataErrors, ALowerLineRateSavesALinkThatHasFewerErrorsThere)
{
    config::Config c = noisy(LinkDetail::Fast, 1e-4, 8);
    c.sata.slower_after = 4;
    c.sata.slower_error_factor = 0.1;
    const Hopeless run(c);
    EXPECT_EQ(run.reason, "");
    EXPECT_EQ(run.rig.done, 1);
    EXPECT_LE(run.rig.link.stats().gbps_tenths, 30u);
    EXPECT_TRUE(run.rig.hba.ncq());
    EXPECT_EQ(run.rig.initiator.stats().writes.count, 100u);
    EXPECT_EQ(run.rig.initiator.stats().mismatches + run.rig.initiator.stats().errors, 0u);
    EXPECT_EQ(run.rig.device.open(), 0u);
}

TEST_F(SataErrors, AComresetThatIsAskedForLosesNothingWheneverItComes)
{
    for (u32 i = 0; i < 40; ++i) { // in all phases of the frames
        fresh_kernel();
        Rig rig(noisy(LinkDetail::Fast, 0, 8), true, microseconds(2));
        fill(rig.source, 40);
        struct Asking {
            Rig& rig;
            static void run(void* self) { static_cast<Asking*>(self)->rig.hba.reset(); }
        } asking{rig};
        time::Timer timer(rig.event_queue, time::Priority::Output, Asking::run, &asking);
        timer.arm(Picoseconds(1000000 + u64{i} * 19770000));
        rig.run(milliseconds(1000));
        EXPECT_EQ(rig.link.stats().resets, 1u) << i;
        EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u) << i;
        EXPECT_EQ(rig.initiator.stats().writes.count, 40u) << i;
        EXPECT_EQ(rig.device.open(), 0u) << i;
    }
}

TEST_F(SataErrors, TheCommandThatTheLogNamesFailsAndTheOthersAreSentAgain)
{
    config::Config c = noisy(LinkDetail::Fast, 0, 8);
    c.nand.errors.enabled = true;
    Rig rig(c, true, microseconds(2));
    rig.firmware.latency = [](u64) { return microseconds(50); };
    rig.firmware.fails = [](u64 nth) { return nth == 100 || nth == 700; };
    fill(rig.source, 500);
    rig.run();
    const host::DeviceErrors& errors = rig.initiator.stats().device_errors;
    EXPECT_EQ(errors.reads + errors.writes, 2u);
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
    EXPECT_EQ(rig.initiator.stats().reads.count + rig.initiator.stats().writes.count, 967u);
    EXPECT_EQ(rig.hba.stats().queue_errors, 2u);
    EXPECT_EQ(rig.device.stats().aborts, 2u);
    EXPECT_GE(rig.hba.stats().repeated, 31u);
}

// The device's FIFO holds one data FIS and DRAM takes 30 us for each: the link waits with HOLD for
// DRAM, which is never idle: 100 pieces of 8 KiB are written in 3 ms. Before the first of them pass 32
// commands with their releases, a setup and the first data FIS: 12.0 + 0.2 + 13.9 us.
TEST_F(SataFlow, AFullFifoHoldsTheHostBack)
{
    config::Config c = small_config(32, LoopMode::Closed);
    c.sata.fifo_kib = 8;
    Rig rig(c, true, microseconds(30));
    for (u32 i = 0; i < 100; ++i) {
        rig.source.list.push_back(request(Kind::Write, u64{i} * 16, 16));
    }
    rig.run();
    EXPECT_GE(rig.ended_at, microseconds(3026));
    EXPECT_LE(rig.ended_at, microseconds(3027));
    // 98 pieces or more find the FIFO full; a piece needs 14.5 us on the link, so it is held 15 us.
    EXPECT_GE(rig.link.stats().held, 98 * microseconds(15));
    EXPECT_LE(rig.link.stats().held, 100 * microseconds(16));
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
}
TEST_F(SataFlow, AFifoThatDoesNotFillChangesNothing)
{
    const auto ended = [](u32 kib, LinkDetail link) {
        fresh_kernel();
        config::Config c = small_config(32, LoopMode::Closed);
        c.sata.fifo_kib = kib;
        c.sata.link = link;
        Rig rig(c, true, microseconds(2));
        fill(rig.source, 50);
        rig.run();
        EXPECT_EQ(rig.link.stats().held, Picoseconds());
        return rig.ended_at;
    };
    EXPECT_EQ(ended(0, LinkDetail::Fast), ended(64, LinkDetail::Fast));
    EXPECT_EQ(ended(0, LinkDetail::Fast), ended(64, LinkDetail::Full));
}
TEST_F(SataFlow, TheFullLinkCarriesHolds)
{
    const auto ended = [](LinkDetail link) {
        fresh_kernel();
        config::Config c = small_config(32, LoopMode::Closed);
        c.sata.fifo_kib = 8;
        c.sata.link = link;
        Rig rig(c, true, microseconds(30));
        fill(rig.source, 50);
        rig.run();
        EXPECT_GT(rig.link.stats().held, Picoseconds());
        EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
        return rig.ended_at;
    };
    EXPECT_EQ(ended(LinkDetail::Fast), ended(LinkDetail::Full));
}

// Command, data (8 KiB), register FIS; 6 Gb/s, h = 20.
TEST_F(SataPlain, WithoutNcqAReadIsThreeFrames)
{
    config::Config c = small_config(1, LoopMode::Closed);
    c.sata.ncq = false;
    Rig rig(c, true);
    rig.source.list = {request(Kind::Read, 0, 16)};
    rig.run();
    EXPECT_EQ(rig.ended_at.value(), 188125u + 13921250u + 188125u);
}
TEST_F(SataPlain, WithoutNcqAllKindsWorkAtAllSizes)
{
    config::Config c = small_config(1, LoopMode::Closed);
    c.sata.ncq = false;
    Rig rig(c, true, microseconds(2));
    fill(rig.source, 100);
    rig.source.list.push_back(request(Kind::Write, 3, 200));
    rig.source.list.push_back(request(Kind::Flush, 0, 0));
    rig.source.list.push_back(request(Kind::Read, 1, 220));
    rig.run();
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
    EXPECT_EQ(rig.initiator.stats().flushes, 1u);
    EXPECT_EQ(rig.firmware.most_open, 1u);
}
TEST_F(SataPlain, WithoutNcqResetsLoseNothingEither)
{
    config::Config c = noisy(LinkDetail::Full, 1e-6, 0);
    c.host.queue_depth = 1;
    c.sata.ncq = c.sata.queued_trim = false;
    Rig rig(c, true, microseconds(2));
    fill(rig.source, 300);
    rig.run(milliseconds(10000));
    EXPECT_GT(rig.link.stats().resets, 10u);
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
    EXPECT_EQ(rig.initiator.stats().writes.count, 300u);
}

/// OpenSSD Jasmine's dummy FTL: no flash, NCQ off, 3 Gb/s, DRAM of 302.88 MB/s (docs/notebook/sata-anchor.md).
double jasmine_mb_per_s(Kind kind)
{
    fresh_kernel();
    config::Config c = small_config(1, LoopMode::Closed);
    c.sata.ncq = false;
    c.sata.gbps_tenths = 30;
    const Picoseconds dram(static_cast<u64>(8192 / 302.88e6 * 1e12)); // 27.05 us
    Rig rig(c, true, dram);
    rig.firmware.latency = [](u64) { return microseconds(31); };
    for (u32 i = 0; i < 50; ++i) {
        rig.source.list.push_back(request(kind, u64{i} * 256, 256));
    }
    rig.run();
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
    return 50.0 * 131072 / rig.ended_at.seconds() / 1e6;
}

// A data FIS of 8 KiB takes 2072 dwords of 13.4375 ns: 27.84 us, a register FIS 0.376, an activate 0.323.
// Read: 0.376 + 31 + 27.05 + 16 * 27.84 + 0.376 = 504.3 us for 128 KiB: 259.9 MB/s.
// Write: 0.376 + 31 + 16 * (0.323 + 27.84) + 27.05 + 0.376 = 509.4 us: 257.3 MB/s.
// Measured: 260 and 260.
TEST_F(SataPlain, JasminesDummyFtl)
{
    EXPECT_NEAR(jasmine_mb_per_s(Kind::Read), 259.9, 0.1);
    EXPECT_NEAR(jasmine_mb_per_s(Kind::Write), 257.3, 0.1);
    EXPECT_NEAR(jasmine_mb_per_s(Kind::Read), 260, 0.03 * 260);
    EXPECT_NEAR(jasmine_mb_per_s(Kind::Write), 260, 0.03 * 260);
}

} // namespace
} // namespace tlmssd::tb
