// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host expects to read, and that it finds every lie.
#include <gmock/gmock.h>

#include "tb/host/rig.h"

namespace tlmssd::tb {
namespace {

using config::LoopMode;

class Integrity : public KernelTest, public testing::WithParamInterface<bool> {
protected:
    Rig rig{small_config(8, LoopMode::Closed), GetParam(), nanoseconds(100)};
    const host::InitiatorStats& stats() { return rig.initiator.stats(); }
};
INSTANTIATE_TEST_SUITE_P(Ports, Integrity, testing::Bool(), [](const auto& param) {
    return param.param ? "Sata" : "Direct";
});

TEST_P(Integrity, OverlappingCommandsTakeEffectInIssueOrder)
{
    // All eight are open together: each read must see exactly the writes issued before it.
    rig.source.list = {request(Kind::Write, 0, 32), request(Kind::Read, 0, 32),
                       request(Kind::Write, 8, 16), request(Kind::Read, 4, 24),
                       request(Kind::Write, 12, 1), request(Kind::Read, 0, 64),
                       request(Kind::Write, 0, 64), request(Kind::Read, 63, 1)};
    rig.firmware.latency = [](u64) { return microseconds(20); };
    rig.run();
    EXPECT_EQ(rig.firmware.most_open, 8u);
    EXPECT_EQ(stats().mismatches, 0u);
    EXPECT_EQ(stats().errors, 0u);
    // Units of the reads: 4 + (sectors 4..27: units 0..3: 4; page borders split none) + 8 + 1.
    EXPECT_EQ(stats().units_checked, 17u);
    // Unit 1 was written by requests 1, 3, 5 and 7.
    EXPECT_EQ(*rig.dram.tags(4096), (UnitTag{2, 4}));
    EXPECT_EQ(stats().reads.bytes, (32 + 24 + 64 + 1) * 512u);
    EXPECT_EQ(stats().writes.bytes, (32 + 16 + 1 + 64) * 512u);
}

TEST_P(Integrity, AReadOfTheFutureIsFound)
{
    // The read is issued before the write; a device that lets the write pass it is wrong. The test
    // plays that device: it plants the tag that the write would bring.
    *rig.dram.tags(0) = UnitTag{1, 1};
    rig.source.list = {request(Kind::Read, 0, 8), request(Kind::Write, 0, 8)};
    rig.run();
    EXPECT_EQ(stats().mismatches, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_THAT(rig.failures[0].text,
                testing::HasSubstr("LBA 0, unit 0: expected no data, got unit 0 version 1, at "));
}

TEST_P(Integrity, AFalsifiedTagIsFoundWithItsPlace)
{
    rig.source.list = {request(Kind::Read, 16, 16)};
    *rig.dram.tags(3 * 4096) = UnitTag{9, 1};
    rig.run();
    EXPECT_EQ(stats().mismatches, 1u);
    ASSERT_EQ(stats().failures.size(), 1u);
    EXPECT_EQ(stats().failures[0].lba, 24u);
    EXPECT_THAT(stats().failures[0].text, testing::HasSubstr("got unit 8 version 1"));
}

TEST_P(Integrity, TheFirstHundredFailuresAreKept)
{
    for (u32 unit = 0; unit < 128; ++unit) {
        *rig.dram.tags(unit * 4096) = UnitTag{1000, 1};
    }
    rig.source.list = {request(Kind::Read, 0, 1024)};
    rig.run();
    EXPECT_EQ(stats().mismatches, 128u);
    EXPECT_EQ(stats().failures.size(), 100u);
    EXPECT_EQ(rig.failures.size(), 128u);
}

TEST_P(Integrity, ACommandThatEndsWithoutAllItsDataIsAnError)
{
    rig.firmware.lose_last_page = true;
    rig.source.list = {request(Kind::Read, 0, 32), request(Kind::Write, 0, 48)};
    rig.run();
    EXPECT_EQ(stats().errors, 2u);
    EXPECT_THAT(rig.failures[0].text, testing::HasSubstr("ended after 16 of 32 sectors"));
    EXPECT_THAT(rig.failures[1].text, testing::HasSubstr("ended after 32 of 48 sectors"));
}

TEST_P(Integrity, ACommandThatTheDeviceFailsIsAFailureWhereItsFlashHasNoErrors)
{
    rig.firmware.fails = [](u64 nth) { return nth == 0; };
    rig.source.list = {request(Kind::Write, 0, 16), request(Kind::Read, 16, 16)};
    rig.run();
    EXPECT_EQ(stats().errors, 1u);
    EXPECT_EQ(stats().device_errors.writes, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_THAT(rig.failures[0].text,
                testing::HasSubstr("WRITE of 16 sectors, tag 0: the device reported an error"));
    EXPECT_EQ(stats().writes.count, 0u);
    EXPECT_EQ(stats().reads.count, 1u);
}

class DeviceErrors : public KernelTest, public testing::WithParamInterface<bool> {
protected:
    static config::Config with_errors()
    {
        config::Config c = small_config(8, LoopMode::Closed);
        c.nand.errors.enabled = true;
        return c;
    }
    Rig rig{with_errors(), GetParam(), nanoseconds(100)};
    const host::InitiatorStats& stats() { return rig.initiator.stats(); }
    void fail(u64 which)
    {
        rig.firmware.fails = [which](u64 nth) { return nth == which; };
    }
};
INSTANTIATE_TEST_SUITE_P(Ports, DeviceErrors, testing::Bool(), [](const auto& param) {
    return param.param ? "Sata" : "Direct";
});

TEST_P(DeviceErrors, AreCountedAndTheRunGoesOn)
{
    fail(1);
    rig.source.list = {request(Kind::Read, 0, 8), request(Kind::Read, 16, 8),
                       request(Kind::Read, 32, 8)};
    rig.run();
    EXPECT_TRUE(rig.failures.empty());
    EXPECT_EQ(stats().device_errors.reads, 1u);
    EXPECT_EQ(stats().device_errors.all(), 1u);
    EXPECT_EQ(stats().errors, 0u);
    EXPECT_EQ(stats().reads.count, 2u); // a failed request has no latency and no bytes
    EXPECT_EQ(stats().reads.bytes, 2 * 4096u);
    EXPECT_EQ(stats().units_checked, 2u);
}

TEST_P(DeviceErrors, AFailedPageMayBeLeftOutOfAFailedRead)
{
    fail(0);
    rig.source.list = {request(Kind::Read, 8, 40)}; // 8 sectors of page 0, pages 1 and 2
    rig.run();
    EXPECT_TRUE(rig.failures.empty());
    EXPECT_EQ(stats().device_errors.reads, 1u);
    EXPECT_EQ(stats().units_checked, 4u); // pages 1 and 2
}

TEST_P(DeviceErrors, DoNotExcuseARequestThatEndsWellWithoutAllItsData)
{
    rig.firmware.lose_last_page = true;
    rig.source.list = {request(Kind::Read, 0, 32)};
    rig.run();
    EXPECT_EQ(stats().errors, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_THAT(rig.failures[0].text, testing::HasSubstr("ended after 16 of 32 sectors"));
}

TEST_P(DeviceErrors, AfterAFailedWriteTheOldDataAreRightToo)
{
    fail(1);
    rig.source.list = {request(Kind::Write, 0, 8),  request(Kind::Flush, 0, 0),
                       request(Kind::Write, 0, 8),  request(Kind::Flush, 0, 0),
                       request(Kind::Read, 0, 8)};
    rig.run();
    EXPECT_EQ(stats().device_errors.writes, 1u);
    EXPECT_EQ(*rig.dram.tags(0), (UnitTag{1, 1})); // version 2 never came
    EXPECT_EQ(stats().mismatches, 0u);
    EXPECT_EQ(stats().reads.count, 1u);
}

TEST_P(DeviceErrors, AReadThatIsOpenWhenAWriteFailsMaySeeTheOldDataToo)
{
    fail(0);
    rig.firmware.latency = [](u64) { return microseconds(20); }; // all are open together
    rig.source.list = {request(Kind::Write, 0, 8), request(Kind::Read, 0, 16)};
    rig.run();
    EXPECT_EQ(rig.firmware.most_open, 2u);
    EXPECT_EQ(stats().device_errors.writes, 1u);
    EXPECT_EQ(stats().mismatches, 0u);
}

/// A write that the device may refuse is open, but it was issued after the read.
TEST_P(DeviceErrors, AWriteBehindAReadExcusesNoOldData)
{
    rig.firmware.latency = [this](u64 nth) {
        if (nth == 2) {
            *rig.dram.tags(0) = UnitTag{}; // the first write is gone
        }
        return microseconds(20);
    };
    rig.source.list = {request(Kind::Write, 0, 8), request(Kind::Flush, 0, 0),
                       request(Kind::Read, 0, 8), request(Kind::Write, 0, 8)};
    rig.run();
    EXPECT_EQ(rig.firmware.most_open, 2u);
    EXPECT_EQ(stats().mismatches, 1u);
}

TEST_P(DeviceErrors, DoNotHideAnotherUnitsData)
{
    fail(0);
    *rig.dram.tags(0) = UnitTag{9, 1};
    rig.source.list = {request(Kind::Write, 0, 8), request(Kind::Flush, 0, 0),
                       request(Kind::Read, 0, 8)};
    rig.run();
    EXPECT_EQ(stats().mismatches, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_THAT(rig.failures[0].text,
                testing::HasSubstr("expected unit 0 version 1 or older (a write failed), got unit 8"));
}

TEST_P(Integrity, LargestRequestMovesAllItsUnits)
{
    rig.source.list = {request(Kind::Write, 1, 16383), request(Kind::Read, 0, 16384)};
    rig.run();
    EXPECT_EQ(stats().mismatches, 0u);
    EXPECT_EQ(stats().units_checked, 2048u);
}

// Units 0 and 1 are written; the TRIM covers unit 0 and half of unit 1.
void fill_trim(Rig& rig)
{
    rig.source.list = {request(Kind::Write, 0, 16), request(Kind::Flush, 0, 0),
                       request(Kind::Trim, 0, 12), request(Kind::Flush, 0, 0),
                       request(Kind::Read, 0, 16)};
}

TEST_P(Integrity, TrimmedUnitMayBeEmpty)
{
    fill_trim(rig);
    rig.run();
    EXPECT_EQ(*rig.dram.tags(0), UnitTag{});
    EXPECT_EQ(stats().mismatches, 0u);
}

TEST_P(Integrity, TrimmedUnitMayKeepItsData)
{
    fill_trim(rig);
    rig.firmware.ignore_trims = true;
    rig.run();
    EXPECT_EQ(*rig.dram.tags(0), (UnitTag{1, 1}));
    EXPECT_EQ(stats().mismatches, 0u);
}

TEST_P(Integrity, PartlyTrimmedUnitMustKeepItsData)
{
    fill_trim(rig);
    rig.firmware.drop_partial_trims = true;
    rig.run();
    EXPECT_EQ(stats().mismatches, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_THAT(rig.failures[0].text,
                testing::HasSubstr("LBA 8, unit 1: expected unit 1 version 1, got no data"));
}

TEST_P(Integrity, AWriteAfterTrimMustBeSeen)
{
    fill_trim(rig);
    rig.source.list.push_back(request(Kind::Write, 0, 1));
    rig.source.list.push_back(request(Kind::Read, 0, 8));
    rig.run();
    EXPECT_EQ(stats().mismatches, 0u);
    EXPECT_EQ(*rig.dram.tags(0), (UnitTag{1, 2}));
}

TEST_P(Integrity, LargeTrimReachesTheDeviceWhole)
{
    rig.source.list = {request(Kind::Write, 0, 16384), request(Kind::Flush, 0, 0),
                       request(Kind::Trim, 8, 16376)};
    rig.run();
    EXPECT_EQ(*rig.dram.tags(0), (UnitTag{1, 1}));
    for (u32 unit = 1; unit < 2048; ++unit) {
        ASSERT_EQ(*rig.dram.tags(unit * 4096), UnitTag{}) << unit;
    }
}

} // namespace
} // namespace tlmssd::tb
