// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: coalescing and masks of interrupts, asynchronous events.
#include "models/nvme_device/core/interrupts.h"

#include "models/nvme_device/core/events.h"
#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Vectors : testing::Test {
    FakeInterrupts sink;
    Interrupts i{4, sink};
    Picoseconds now;
};

TEST_F(Vectors, AtOnceWithoutCoalescing)
{
    i.posted(2, false, now);
    i.posted(2, false, now);
    EXPECT_THAT(sink.messages, ElementsAre(2, 2));
    EXPECT_TRUE(sink.pin);
    i.taken(2, 1);
    EXPECT_TRUE(sink.pin) << "an entry is left";
    i.taken(2, 1);
    EXPECT_FALSE(sink.pin);
}

// Threshold 3 (2 from 0), 5 x 100 us.
TEST_F(Vectors, ThresholdOrTime)
{
    i.coalesce(2 | 5 << 8);
    i.posted(1, false, now);
    i.posted(1, false, now);
    EXPECT_THAT(sink.messages, IsEmpty());
    EXPECT_EQ(i.deadline(), microseconds(500));
    i.posted(1, false, microseconds(10));
    EXPECT_THAT(sink.messages, ElementsAre(1));
    EXPECT_EQ(i.deadline(), kTimeNever);
    i.posted(1, false, microseconds(20));
    EXPECT_EQ(i.deadline(), microseconds(520));
    i.expire(microseconds(519));
    EXPECT_EQ(sink.messages.size(), 1u);
    i.expire(microseconds(520));
    EXPECT_THAT(sink.messages, ElementsAre(1, 1));
}

TEST_F(Vectors, SomeAreNotCoalesced)
{
    i.coalesce(9 | 5 << 8);
    i.disable_coalescing(3, true);
    i.posted(3, false, now);
    i.posted(0, true, now);
    i.posted(1, false, now);
    EXPECT_THAT(sink.messages, ElementsAre(3, 0)) << "admin never";
}

TEST_F(Vectors, PolledEntriesNeedNoInterrupt)
{
    i.coalesce(9 | 5 << 8);
    i.posted(1, false, now);
    i.taken(1, 1);
    EXPECT_EQ(i.deadline(), kTimeNever);
}

TEST_F(Vectors, MaskedOnesComeWhenTheMaskIsCleared)
{
    i.set_mask(1u << 1);
    i.posted(1, false, now);
    EXPECT_THAT(sink.messages, IsEmpty());
    EXPECT_FALSE(sink.pin);
    i.set_mask(0);
    EXPECT_THAT(sink.messages, ElementsAre(1));
    EXPECT_TRUE(sink.pin);
}

TEST(AsyncEvents, OneOfATypeUntilItsLogIsRead)
{
    Events e;
    u16 id = 0;
    Event got;
    EXPECT_TRUE(e.request(7));
    EXPECT_TRUE(e.request(8));
    e.report(event::kInvalidDoorbell);
    ASSERT_TRUE(e.next(id, got));
    EXPECT_EQ(id, 7u);
    EXPECT_EQ(got.result(), 0x00010000u);
    e.report(event::kInvalidDoorbellValue);
    EXPECT_FALSE(e.next(id, got)) << "masked";
    e.log_read(2);
    EXPECT_FALSE(e.next(id, got)) << "another log";
    e.log_read(1);
    ASSERT_TRUE(e.next(id, got));
    EXPECT_EQ(id, 8u);
    EXPECT_EQ(got.result(), 0x00010100u);
}

TEST(AsyncEvents, WaitForARequestAndHaveALimit)
{
    Events e;
    u16 id = 0;
    Event got;
    e.report(event::kReliability);
    e.report(event::kReliability);
    EXPECT_FALSE(e.next(id, got));
    for (u16 i = 1; i <= 4; ++i) {
        EXPECT_TRUE(e.request(i));
    }
    EXPECT_FALSE(e.request(5));
    EXPECT_TRUE(e.abort(1));
    EXPECT_FALSE(e.abort(1));
    ASSERT_TRUE(e.next(id, got));
    EXPECT_EQ(id, 2u);
    EXPECT_EQ(got.result(), 0x00020001u);
    EXPECT_FALSE(e.next(id, got)) << "two equal events are one";
}

} // namespace
} // namespace tlmssd::nvme_device
