// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whole commands over the SATA link, to the picosecond and at full load.
#include <gmock/gmock.h>

#include "tb/host/rig.h"

namespace tlmssd::tb {
namespace {

using config::LoopMode;

class SataHost : public KernelTest {};

TEST_F(SataHost, OneReadIsTheSumOfItsFrames)
{
    Rig rig(small_config(1, LoopMode::Closed), true);
    rig.source.list = {request(Kind::Read, 0, 8)};
    rig.run();
    // h = 20, 6 Gb/s, 6718.75 ps a dword with ALIGN: command 28 dwords, release 28, DMA setup 30
    // (201562.5), data 1048, set device bits 25 (167968.75), each rounded up. A device without
    // latency starts the setup behind the release.
    const u64 sum = 188125 + 188125 + 201563 + 7041250 + 167969;
    EXPECT_EQ(rig.initiator.stats().reads.latency.max().value(), sum);
    EXPECT_EQ(rig.ended_at.value(), sum);
    EXPECT_EQ(rig.link.stats().from_host.busy.value(), 188125u);
    EXPECT_EQ(rig.link.stats().from_device.busy.value(), sum - 188125);
}

TEST_F(SataHost, OneReadWithDramAndDeviceLatency)
{
    // 2 us in the firmware, 3 us in DRAM: the setup passes under the DRAM read.
    Rig rig(small_config(1, LoopMode::Closed), true, microseconds(3));
    rig.firmware.latency = [](u64) { return microseconds(2); };
    rig.source.list = {request(Kind::Read, 0, 8)};
    rig.run();
    EXPECT_EQ(rig.ended_at.value(), 188125 + 5000000 + 7041250 + 167969u);
}

TEST_F(SataHost, OneWriteIsTheSumOfItsFrames)
{
    Rig rig(small_config(1, LoopMode::Closed), true, microseconds(3));
    rig.source.list = {request(Kind::Write, 8, 8)};
    rig.run();
    EXPECT_EQ(rig.ended_at.value(), 188125 + 188125 + 201563 + 7041250 + 3000000 + 167969u);
    EXPECT_EQ(rig.link.stats().from_host.payload_bytes, 4096u);
    EXPECT_EQ(*rig.dram.tags(4096), (UnitTag{2, 1}));
}

double mb_per_s(Kind kind, u32 sectors, u32 tenths)
{
    config::Config c = small_config(32, LoopMode::Closed);
    c.sata.gbps_tenths = tenths;
    Rig rig(c, true);
    for (u32 i = 0; i < 1000; ++i) {
        rig.source.list.push_back(request(kind, (u64{i} * sectors) % 16384, sectors));
    }
    rig.run();
    EXPECT_EQ(rig.initiator.stats().mismatches, 0u);
    EXPECT_EQ(rig.link.stats().from_device.busy + rig.link.stats().from_host.busy, rig.ended_at);
    return 1000.0 * sectors * 512 / rig.ended_at.seconds() / 1e6;
}

// At depth 32 the link is never idle: the rate is that of the frames. One 8 KiB page is command,
// release, setup, data, bits. 28 + 28 + 30 + 2072 + 25 = 2183 dwords of 258/256 * 40 bit: 558.5
// MB/s at 6 Gb/s. Ends that share one FIS take up to 25 dwords off: 565.0.
TEST_F(SataHost, DeepReadsFillTheLink6)
{
    const double got = mb_per_s(Kind::Read, 16, 60);
    EXPECT_GE(got, 558.4);
    EXPECT_LE(got, 565.1);
}
TEST_F(SataHost, DeepReadsFillTheLink15)
{
    const double got = mb_per_s(Kind::Read, 16, 15);
    EXPECT_GE(got, 558.4 / 4);
    EXPECT_LE(got, 565.1 / 4);
}
// 64 KiB in eight pages: 28 + 28 + 8 * (30 + 2072) + 25 = 16897 dwords: 577.3 MB/s at 6 Gb/s; the
// same for writes, which need no activate where each page has its own setup. Sharing ends: 578.2.
TEST_F(SataHost, LargeReadsFillTheLink)
{
    const double got = mb_per_s(Kind::Read, 128, 60);
    EXPECT_GE(got, 577.2);
    EXPECT_LE(got, 578.3);
}
TEST_F(SataHost, LargeWritesFillTheLink)
{
    const double got = mb_per_s(Kind::Write, 128, 60);
    EXPECT_GE(got, 577.2);
    EXPECT_LE(got, 578.3);
}

TEST_F(SataHost, OneQueuedTrimIsTheSumOfItsFrames)
{
    config::Config c = small_config(1, LoopMode::Closed);
    c.sata.queued_trim = true;
    Rig rig(c, true);
    rig.source.list = {request(Kind::Trim, 8, 8)};
    *rig.dram.tags(4096) = UnitTag{2, 1};
    rig.run();
    // Command, release, setup, 512 bytes (1 + 128 + 23 dwords), set device bits.
    EXPECT_EQ(rig.ended_at.value(), 188125 + 188125 + 201563 + 1021250 + 167969u);
    EXPECT_EQ(rig.initiator.stats().trims, 1u);
    EXPECT_EQ(static_cast<u64>(rig.initiator.stats().trim_latency.sum_ps), rig.ended_at.value());
    EXPECT_EQ(*rig.dram.tags(4096), UnitTag{});
}

/// What the link idles in 900 reads of 8 KiB and 100 TRIMs at depth 32, each 10 us in the firmware.
Picoseconds idle_with_trims(bool queued)
{
    config::Config c = small_config(32, LoopMode::Closed);
    c.sata.queued_trim = queued;
    Rig rig(c, true);
    rig.firmware.latency = [](u64) { return microseconds(10); };
    for (u32 i = 0; i < 1000; ++i) {
        rig.source.list.push_back(request(i % 10 == 9 ? Kind::Trim : Kind::Read, i * 16, 16));
    }
    rig.run();
    EXPECT_EQ(rig.initiator.stats().trims, 100u);
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
    return rig.ended_at - rig.link.stats().from_device.busy - rig.link.stats().from_host.busy;
}

// The first 32 commands and releases take 12 us, so the link is busy until the first command is
// through the firmware. From then on there are always data of other reads (14 us each) while a
// command is in it, also behind the last one.
TEST_F(SataHost, QueuedTrimsLeaveTheLinkNoIdlePicosecond)
{
    EXPECT_EQ(idle_with_trims(true), Picoseconds());
}
// A TRIM that is alone leaves the link idle while it is in the firmware.
TEST_F(SataHost, TrimsThatAreNotQueuedDrainTheLink)
{
    EXPECT_GE(idle_with_trims(false), microseconds(1000));
}

TEST_F(SataHost, ExtendedTagsReachTheDevice)
{
    config::Config c = small_config(200, LoopMode::Closed);
    c.sata.extended_tags = true;
    c.sata.queued_trim = true;
    Rig rig(c, true);
    rig.firmware.latency = [](u64) { return milliseconds(1); };
    for (u32 i = 0; i < 400; ++i) {
        rig.source.list.push_back(request(i % 2 ? Kind::Read : Kind::Write, i * 8, 8));
    }
    for (u32 i = 0; i < 200; ++i) { // of other units
        rig.source.list.push_back(request(Kind::Trim, 8000 + i * 8, 8));
    }
    rig.run();
    EXPECT_EQ(rig.firmware.most_open, 200u);
    EXPECT_EQ(rig.initiator.stats().trims, 200u);
    EXPECT_EQ(rig.initiator.stats().reads.count, 200u);
    EXPECT_EQ(rig.initiator.stats().writes.count, 200u);
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
}

TEST_F(SataHost, ThreeSectorsAcrossTwoPagesAreTwoTransfers)
{
    Rig rig(small_config(4, LoopMode::Closed), true);
    rig.source.list = {request(Kind::Write, 15, 3), request(Kind::Flush, 0, 0),
                       request(Kind::Read, 14, 4)};
    rig.run();
    EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
    EXPECT_EQ(rig.link.stats().from_host.data_frames, 2u);
    EXPECT_EQ(rig.link.stats().from_device.data_frames, 2u);
    EXPECT_EQ(*rig.dram.tags(4096), (UnitTag{2, 1}));
    EXPECT_EQ(*rig.dram.tags(8192), (UnitTag{3, 1}));
}

} // namespace
} // namespace tlmssd::tb
