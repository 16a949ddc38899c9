// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the calendar of a guest, message by message.
#include "models/guest/calendar.h"

#include "models/common/error.h"
#include "tb/guest/fake_guest.h"

namespace tlmssd::tb {
namespace {

struct Message {
    u32 op, sequence;
    u64 time;
};
enum : u32 { kAck, kStart, kRequest, kWait, kGet, kUpdate, kRun, kFreeUntil, kGetTod };

class CalendarTest : public testing::Test {
protected:
    CalendarTest() : calendar(1'000'000) { calendar.connect(std::move(pair.device)); }

    /// The time of the answer.
    u64 say(u32 op, u64 time = 0)
    {
        const Message message{op, ++sequence, time};
        guest::send_whole(pair.guest, &message, sizeof message);
        EXPECT_TRUE(calendar.serve());
        const Message answer = hear();
        EXPECT_EQ(answer.op, kAck);
        EXPECT_EQ(answer.sequence, sequence);
        return answer.time;
    }
    Message hear()
    {
        Message message{};
        EXPECT_TRUE(guest::receive_whole(pair.guest, &message, sizeof message));
        return message;
    }

    Pair pair;
    guest::Calendar calendar;
    u32 sequence = 100;
};

TEST_F(CalendarTest, AGuestRunsFromItsStartUntilItWaits)
{
    EXPECT_FALSE(calendar.started());
    say(kStart, ~u64{0});
    EXPECT_TRUE(calendar.started() && calendar.running());
    EXPECT_EQ(calendar.wants(), guest::kNever);
    say(kRequest, 500);
    EXPECT_TRUE(calendar.running());
    say(kWait);
    EXPECT_FALSE(calendar.running());
    EXPECT_EQ(calendar.wants(), 500u);
    calendar.run(800);
    EXPECT_TRUE(calendar.running());
    EXPECT_EQ(calendar.now(), 500u);
    EXPECT_EQ(calendar.free_until(), 800u);
    EXPECT_EQ(calendar.wants(), guest::kNever) << "a request is used up";
    const Message leave = hear();
    EXPECT_EQ(leave.op, kFreeUntil);
    EXPECT_EQ(leave.time, 800u);
    const Message run = hear();
    EXPECT_EQ(run.sequence, leave.sequence + 1);
    EXPECT_EQ(run.op, kRun);
    EXPECT_EQ(run.time, 500u);
}

TEST_F(CalendarTest, AnswersWithTheTimeAndAConstantDate)
{
    say(kStart);
    say(kWait);
    calendar.set_now(7000);
    EXPECT_EQ(say(kGet), 7000u);
    EXPECT_EQ(say(kGetTod), 1'007'000u);
}

TEST_F(CalendarTest, AGuestGoesOnAloneBelowTheTimeThatItMay)
{
    say(kStart);
    calendar.free_until(1000);
    const Message leave = hear();
    EXPECT_EQ(leave.op, kFreeUntil);
    EXPECT_EQ(leave.time, 1000u);
    say(kUpdate, 999);
    EXPECT_EQ(calendar.now(), 999u);
    const Message late{kUpdate, 1, 1000};
    guest::send_whole(pair.guest, &late, sizeof late);
    EXPECT_THROW(calendar.serve(), ModelError);
    const Message back{kUpdate, 1, 998};
    guest::send_whole(pair.guest, &back, sizeof back);
    EXPECT_THROW(calendar.serve(), ModelError);
}

/// A stream has no borders: messages come together or in parts.
TEST_F(CalendarTest, MessagesComeTogetherAndInParts)
{
    const Message both[] = {{kStart, 1, 0}, {kRequest, 2, 700}};
    const u8* const bytes = reinterpret_cast<const u8*>(both);
    guest::send_whole(pair.guest, bytes, 16 + 5);
    EXPECT_FALSE(calendar.pending());
    ASSERT_TRUE(calendar.serve());
    EXPECT_TRUE(calendar.started());
    EXPECT_FALSE(calendar.pending()) << "five bytes are no message";
    guest::send_whole(pair.guest, bytes + 21, 11);
    ASSERT_TRUE(calendar.serve());
    EXPECT_EQ(calendar.wants(), 700u);
    for (u32 i = 0; i < 100; ++i) { // more than it receives at once
        const Message request{kRequest, 3 + i, 1000 + i};
        guest::send_whole(pair.guest, &request, sizeof request);
    }
    for (u32 i = 0; i < 100; ++i) {
        ASSERT_TRUE(calendar.serve());
        EXPECT_EQ(calendar.wants(), 1000u + i);
    }
    EXPECT_FALSE(calendar.pending());
    const u8 half[8] = {};
    guest::send_whole(pair.guest, half, sizeof half);
    pair.guest = guest::FileDescriptor();
    EXPECT_THROW(calendar.serve(), ModelError) << "it ends inside of a message";
}

TEST_F(CalendarTest, WaitsForTheAcknowledgeAndServesWhatComesBeforeIt)
{
    say(kStart);
    calendar.free_until(1000);
    const Message leave = hear();
    const Message request{kRequest, ++sequence, 900}, acknowledge{kAck, leave.sequence, 0};
    guest::send_whole(pair.guest, &request, sizeof request);
    guest::send_whole(pair.guest, &acknowledge, sizeof acknowledge);
    calendar.wait_for_acknowledge();
    EXPECT_FALSE(calendar.pending());
    EXPECT_EQ(calendar.wants(), 900u);
    EXPECT_EQ(hear().sequence, sequence);
}

TEST_F(CalendarTest, KnowsTheEndAndWhatItDoesNotKnow)
{
    const Message wrong{9, 1, 0};
    guest::send_whole(pair.guest, &wrong, sizeof wrong);
    EXPECT_THROW(calendar.serve(), ModelError);
    pair.guest = guest::FileDescriptor();
    EXPECT_FALSE(calendar.serve());
}

} // namespace
} // namespace tlmssd::tb
