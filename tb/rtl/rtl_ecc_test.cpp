// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ECC block beside an RTL controller: its verdicts over the levels of read retry, by hand.
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_ecc.h"

namespace tlmssd::tb {
namespace {

using flash::Phase;
using flash::RtlEcc;

constexpr u16 kTag = 3;

flash::SegmentRequest segment(Phase phase, u8 plane, u8 nplanes, u8 level)
{
    flash::SegmentRequest r;
    r.tag = kTag;
    r.phase = phase;
    r.opcode = FLASH_OP_READ;
    r.plane = plane;
    r.nplanes = nplanes;
    r.level = level;
    return r;
}

flash::SegmentResult result(u64 at, bool lost, u16 corrected = 0)
{
    flash::SegmentResult r;
    r.data_at = Picoseconds(at);
    r.uncorrectable = lost;
    r.corrected = corrected;
    return r;
}

flash_completion completed(const RtlEcc& ecc, u8 status)
{
    flash_completion c{};
    c.tag = kTag;
    c.status = status;
    return ecc.judged(c);
}

/// A plane alone at `level`: its command and its burst.
RtlEcc::Next again(RtlEcc& ecc, u8 level, u64 at, bool lost, u16 corrected = 0)
{
    ecc.segment_starts(segment(Phase::Command, 0, 1, level));
    return ecc.burst_over(segment(Phase::DataOut, 0, 1, level), result(at, lost, corrected));
}

// Of three planes 0 and 2 are lost; at level 1 plane 0 is good and 2 is not; level 2 is the last.
TEST(RtlEcc, FollowsThePlanesThroughTheLevels)
{
    RtlEcc ecc(8, 2);
    ecc.begin(kTag);
    EXPECT_EQ(ecc.burst_over(segment(Phase::DataOut, 0, 3, 0), result(100, true)), RtlEcc::Next::Burst);
    EXPECT_EQ(ecc.burst_over(segment(Phase::DataOut, 1, 3, 0), result(300, false, 5)), RtlEcc::Next::Burst);
    EXPECT_EQ(ecc.burst_over(segment(Phase::DataOut, 2, 3, 0), result(200, true)), RtlEcc::Next::Retry);
    EXPECT_EQ(ecc.data_at(kTag), Picoseconds(300)) << "the latest landing";
    EXPECT_EQ(again(ecc, 1, 400, false, 7), RtlEcc::Next::Burst);
    EXPECT_EQ(again(ecc, 1, 500, true), RtlEcc::Next::Retry);
    EXPECT_EQ(again(ecc, 2, 600, true), RtlEcc::Next::Landed);
    EXPECT_EQ(ecc.data_at(kTag), Picoseconds(600));
    const flash_completion c = completed(ecc, FLASH_STATUS_OK);
    EXPECT_EQ(c.status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(c.failed_planes, 1 << 2);
    EXPECT_EQ(c.retries, 3);
    EXPECT_EQ(c.corrected, 12);
}

TEST(RtlEcc, WithoutLevelsALostPlaneLands)
{
    RtlEcc ecc(8, 0);
    ecc.begin(kTag);
    EXPECT_EQ(ecc.burst_over(segment(Phase::DataOut, 0, 1, 0), result(100, true)), RtlEcc::Next::Landed);
    EXPECT_EQ(completed(ecc, FLASH_STATUS_OK).status, FLASH_STATUS_UNCORRECTABLE);
}

// Given up under level 1: the planes are those of the controller, the counts those of the levels so far.
TEST(RtlEcc, ATimeoutKeepsItsPlanesAndHasItsRetries)
{
    RtlEcc ecc(8, 2);
    ecc.begin(kTag);
    ecc.burst_over(segment(Phase::DataOut, 0, 2, 0), result(100, false, 9));
    ecc.burst_over(segment(Phase::DataOut, 1, 2, 0), result(100, true));
    ecc.segment_starts(segment(Phase::Feature, 0, 1, 1));
    EXPECT_EQ(completed(ecc, FLASH_STATUS_TIMEOUT).retries, 0);
    ecc.segment_starts(segment(Phase::Command, 0, 1, 1));
    const flash_completion c = completed(ecc, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(c.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(c.failed_planes, 0) << "as the controller has them";
    EXPECT_EQ(c.retries, 1);
    EXPECT_EQ(c.corrected, 9);
    ecc.begin(kTag);
    EXPECT_EQ(completed(ecc, FLASH_STATUS_OK).retries, 0) << "a new operation";
}

TEST(RtlEcc, AnIllegalOneMayHaveAnyTag)
{
    RtlEcc ecc(8, 2);
    flash_completion c{};
    c.tag = 0xffff;
    c.status = FLASH_STATUS_ILLEGAL;
    EXPECT_EQ(ecc.judged(c).status, FLASH_STATUS_ILLEGAL);
}

TEST(RtlEcc, APlaneThatIsGoodIsNotReadAgain)
{
    RtlEcc ecc(8, 2);
    ecc.begin(kTag);
    ecc.burst_over(segment(Phase::DataOut, 0, 1, 0), result(100, false));
    EXPECT_THROW(again(ecc, 1, 200, false), ModelError);
}

} // namespace
} // namespace tlmssd::tb
