// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: with `data: full` the host finds wrong bytes also where every tag is right.
#include <gmock/gmock.h>

#include "tb/host/rig.h"

namespace tlmssd::tb {
namespace {

config::Config full_config()
{
    config::Config c = small_config(8, config::LoopMode::Closed);
    c.data = config::DataKind::Full;
    return c;
}

class HostBytes : public KernelTest, public testing::WithParamInterface<bool> {
protected:
    Rig rig{full_config(), GetParam(), nanoseconds(100)};
    const host::InitiatorStats& stats() { return rig.initiator.stats(); }
    /// Writes sectors 0..63, lets the test spoil DRAM, then reads sectors 0..63.
    template <class Spoil>
    void write_spoil_read(Spoil spoil)
    {
        rig.source.list = {request(Kind::Write, 0, 64), request(Kind::Flush, 0, 0),
                           request(Kind::Read, 0, 64)};
        rig.firmware.latency = [spoil](u64 nth) {
            if (nth == 2) {
                spoil();
            }
            return Picoseconds();
        };
        rig.run();
    }
};
INSTANTIATE_TEST_SUITE_P(Ports, HostBytes, testing::Bool(), [](const auto& param) {
    return param.param ? "Sata" : "Direct";
});

TEST_P(HostBytes, OverlappingWritesOfSingleSectorsComeBack)
{
    // Units are 8 sectors: all of these touch unit 0 or 1, so that its tag alone says little.
    rig.source.list = {request(Kind::Write, 0, 16), request(Kind::Read, 0, 16),
                       request(Kind::Write, 3, 1),  request(Kind::Read, 2, 3),
                       request(Kind::Write, 7, 2),  request(Kind::Read, 0, 16),
                       request(Kind::Write, 3, 9),  request(Kind::Read, 0, 16)};
    rig.firmware.latency = [](u64) { return microseconds(20); };
    rig.run();
    EXPECT_EQ(stats().mismatches, 0u);
    EXPECT_EQ(stats().errors, 0u);
    EXPECT_EQ(stats().bytes_checked, (16 + 3 + 16 + 16) * 512u);
}

TEST_P(HostBytes, NeverWrittenAndTrimmedSectorsAreZeros)
{
    rig.source.list = {request(Kind::Read, 100, 30), request(Kind::Write, 128, 16),
                       request(Kind::Trim, 128, 8), request(Kind::Read, 128, 16)};
    rig.run();
    EXPECT_EQ(stats().mismatches, 0u);
    EXPECT_EQ(stats().bytes_checked, (30 + 16) * 512u);
}

TEST_P(HostBytes, AWrongByteUnderARightTagIsFoundWithItsPlace)
{
    u8 right = 0;
    write_spoil_read([this, &right] {
        u8& byte = *rig.dram.bytes(37 * 512 + 201);
        right = byte;
        byte = static_cast<u8>(byte ^ 0x80);
    });
    EXPECT_EQ(stats().mismatches, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_EQ(rig.failures[0].lba, 37u);
    char text[100];
    std::snprintf(text, sizeof text,
                  "LBA 37, byte 201 of the sector: expected %02xh (version 1), got %02xh, at ",
                  unsigned{right}, unsigned{right} ^ 0x80u);
    EXPECT_THAT(rig.failures[0].text, testing::HasSubstr(text));
}

TEST_P(HostBytes, SwappedSectorsUnderARightTagAreFound)
{
    write_spoil_read([this] {
        std::swap_ranges(rig.dram.bytes(8 * 512), rig.dram.bytes(9 * 512), rig.dram.bytes(9 * 512));
    });
    EXPECT_EQ(stats().mismatches, 1u); // one unit; its first wrong sector is reported
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_EQ(rig.failures[0].lba, 8u);
}

TEST_P(HostBytes, ASectorOfAnOlderVersionUnderARightTagIsFound)
{
    // The device loses the second write's sector 3 but takes over its tag.
    std::array<u8, 512> old{};
    rig.source.list = {request(Kind::Write, 0, 8), request(Kind::Flush, 0, 0),
                       request(Kind::Write, 3, 1), request(Kind::Flush, 0, 0),
                       request(Kind::Read, 0, 8)};
    rig.firmware.latency = [this, &old](u64 nth) {
        if (nth == 2) {
            std::copy_n(rig.dram.bytes(3 * 512), 512, old.begin());
        } else if (nth == 4) {
            std::copy_n(old.begin(), 512, rig.dram.bytes(3 * 512));
        }
        return Picoseconds();
    };
    rig.run();
    EXPECT_EQ(stats().mismatches, 1u);
    ASSERT_EQ(rig.failures.size(), 1u);
    EXPECT_EQ(rig.failures[0].lba, 3u);
    EXPECT_THAT(rig.failures[0].text, testing::HasSubstr("byte 8 of the sector: expected 02h"));
}

TEST_P(HostBytes, AWrongTagAndWrongBytesAreOneMismatch)
{
    write_spoil_read([this] {
        *rig.dram.tags(4096) = UnitTag{9, 1};
        *rig.dram.bytes(4096) = static_cast<u8>(*rig.dram.bytes(4096) ^ 1);
    });
    EXPECT_EQ(stats().mismatches, 1u);
    EXPECT_EQ(rig.failures.size(), 2u);
}

} // namespace
} // namespace tlmssd::tb
