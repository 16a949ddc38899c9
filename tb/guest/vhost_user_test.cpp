// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: accesses and interrupts of a guest's PCI function over vhost-user.
#include "models/guest/vhost_user.h"

#include "models/common/error.h"
#include "tb/guest/fake_driver.h"

namespace tlmssd::tb {
namespace {

class VhostUser : public testing::Test {
protected:
    VhostUser() : device(mapped, port, [this] { ++replies; }), driver(memory, link.guest)
    {
        device.connect(std::move(link.device));
        driver.meanwhile = [this] { EXPECT_TRUE(device.serve()); };
        driver.set_up(back.device.get());
    }

    FakeMemory memory;
    guest::GuestMemory mapped; // the device's own view of the file
    FakePort port;
    Pair link, back;
    u32 replies = 0;
    guest::VhostUserPci device;
    FakeDriver driver;
};

TEST_F(VhostUser, ReadsAndWritesOfConfigurationAndBars)
{
    driver.access(2, 0, 0x10, 4, 0xfeedface);
    EXPECT_EQ(driver.access(1, 0, 0x10, 4), 0xfeedfaceu);
    driver.access(4, 5, 0x38, 8, 0x1122334455667788);
    EXPECT_EQ(driver.access(3, 5, 0x38, 8), 0x1122334455667788u);
    EXPECT_EQ(driver.access(3, 5, 0x3c, 2), 0x3344u);
    EXPECT_EQ(driver.access(3, 4, 0x38, 4), 0u) << "another BAR";
    driver.access(5, 5, 0x38, 3, 0xab); // filled with a byte
    EXPECT_EQ(driver.access(3, 5, 0x38, 4), 0x55abababu);
    EXPECT_EQ(device.accesses(), 8u);
    EXPECT_EQ(replies, 8u) << "one for each notification";
}

TEST_F(VhostUser, ReadsAreGivenBackAtOnceWritesManyAtATime)
{
    for (u32 i = 0; i < 63; ++i) {
        driver.access(4, 0, 0x1000, 4, i);
        EXPECT_EQ(device.prepare_calls(), 0u);
        if (i % 4 == 3) { // the ring of the test has 8 chains; those of writes are used again unasked
            driver.access(3, 0, 0x1000, 4);
        }
    }
    EXPECT_EQ(driver.given_back(0), 15) << "the reads";
    driver.access(4, 0, 0x1000, 4, 63);
    EXPECT_EQ(driver.given_back(0), 15);
    EXPECT_EQ(device.prepare_calls(), 1u) << "the guest has to be called for ring 0";
    EXPECT_EQ(driver.given_back(0), 15 + 64);
    EXPECT_EQ(device.prepare_calls(), 0u);
}

TEST_F(VhostUser, InterruptMessagesGoIntoTheirRing)
{
    EXPECT_EQ(device.prepare_calls(), 0u);
    port.pending = {{0xa0000, 65}, {0xa0000, 66}};
    EXPECT_EQ(device.prepare_calls(), 2u);
    EXPECT_EQ(driver.given_back(1), 2);
    for (u32 n = 0; n < 2; ++n) {
        EXPECT_EQ(driver.message_word(n, 0) & 0xff, 7u); // MSI
        EXPECT_EQ(driver.message_word(n, 1), 4u);
        EXPECT_EQ(driver.message_word(n, 2), 0xa0000u);
        EXPECT_EQ(driver.message_word(n, 4), 65 + n);
    }
}

TEST_F(VhostUser, MessagesWithoutABufferWait)
{
    for (u32 i = 0; i < 6; ++i) {
        port.pending.push_back({0xa0000, i});
    }
    EXPECT_EQ(device.prepare_calls(), 2u);
    EXPECT_EQ(driver.given_back(1), 4);
    EXPECT_EQ(memory.get<u16>(FakeDriver::kUsed + FakeDriver::kRingBytes), 0) << "it wants to know of buffers";
    driver.offer_message_buffer(0);
    EXPECT_EQ(device.prepare_calls(), 2u);
    EXPECT_EQ(driver.message_word(4, 4), 4u);
    driver.offer_message_buffer(1);
    EXPECT_EQ(device.prepare_calls(), 2u);
    EXPECT_EQ(driver.message_word(5, 4), 5u);
    EXPECT_EQ(device.interrupts(), 6u);
    EXPECT_EQ(memory.get<u16>(FakeDriver::kUsed + FakeDriver::kRingBytes), 1) << "no more";
}

TEST_F(VhostUser, CallsAndTheirAnswers)
{
    device.call(1);
    u32 words[5];
    ASSERT_TRUE(guest::receive_whole(back.guest, words, sizeof words));
    EXPECT_EQ(words[0], 4u);
    EXPECT_EQ(words[1], 9u);
    EXPECT_EQ(words[3], 1u);
    u32 answer[5] = {4, 5, 8, 0, 0};
    guest::send_whole(back.guest, answer, sizeof answer);
    device.take_answer();
    answer[3] = 1;
    guest::send_whole(back.guest, answer, sizeof answer);
    EXPECT_THROW(device.take_answer(), ModelError);
}

TEST_F(VhostUser, WhatItDoesNotKnowIsAnError)
{
    driver.meanwhile = [this] { EXPECT_THROW(device.serve(), ModelError); };
    const u32 header[3] = {99, 1, 0};
    guest::send_whole(link.guest, header, sizeof header);
    EXPECT_THROW(device.serve(), ModelError);
    const u32 large[3] = {5, 1, 1u << 30};
    guest::send_whole(link.guest, large, sizeof large);
    EXPECT_THROW(device.serve(), ModelError);
}

} // namespace
} // namespace tlmssd::tb
