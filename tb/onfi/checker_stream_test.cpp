// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker has nothing to say about legal traffic.
#include <gtest/gtest.h>

#include <set>

#include "tb/onfi/checker_stream.h"

namespace tlmssd::tb {
namespace {

void expect_clean(const Stream& stream)
{
    const onfi::ViolationLog log = stream.judge();
    EXPECT_EQ(log.count(), 0u) << (log.count() != 0 ? to_string(log.first()[0]) : "");
}

/// Seed, and the timing mode at the start.
class LegalTraffic : public testing::TestWithParam<std::tuple<u64, u32>> {};

TEST_P(LegalTraffic, BreaksNoRule)
{
    StreamPart part;
    part.drive = std::get<1>(GetParam());
    Stream stream(part);
    Traffic(stream, std::get<0>(GetParam())).run(3000);
    EXPECT_GE(stream.segments(), 3000u);
    expect_clean(stream);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LegalTraffic,
                         testing::Combine(testing::Values(1u, 2u, 3u),
                                          testing::Values(kSdr3, kSdr5, kNvDdr5, kNvDdr2,
                                                          kNvDdr3)));

TEST(LegalTraffic, BreaksNoRuleOfABlockRestriction)
{
    StreamPart part;
    part.nand.block_restriction = true;
    Stream stream(part);
    Traffic(stream, 7).run(3000);
    expect_clean(stream);
}

TEST(LegalTraffic, BreaksNoRuleOfPartialPrograms)
{
    StreamPart part;
    part.nand.partial_programs = 2;
    Stream stream(part);
    Traffic(stream, 8).run(3000);
    expect_clean(stream);
}

TEST(LegalTraffic, HasEveryCommand)
{
    Stream stream{StreamPart()};
    Traffic(stream, 1).run(6000);
    std::set<u32> seen;
    for (const Event& e : stream.events) {
        for (u32 i = 0; e.is_segment() && i < e.cycles(); ++i) {
            if (e.segment.is_command(i)) {
                seen.insert(e.segment.bytes[i]);
            }
        }
    }
    const std::set<u32> all = {0x00, 0x05, 0x06, 0x10, 0x11, 0x13, 0x15, 0x30, 0x31, 0x32, 0x35,
                               0x3f, 0x60, 0x61, 0x70, 0x78, 0x80, 0x84, 0x85, 0x90, 0xd0, 0xd1,
                               0xd2, 0xd4, 0xd5, 0xe0, 0xec, 0xed, 0xee, 0xef, 0xfa, 0xfc, 0xff};
    EXPECT_EQ(seen, all);
}

} // namespace
} // namespace tlmssd::tb
