// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the guest's side of vhost-user and of both rings, for tests.
#pragma once

#include <functional>

#include "tb/guest/fake_guest.h"

namespace tlmssd::tb {

/// Its descriptors, rings and buffers lie in FakeMemory.
class FakeDriver {
public:
    static constexpr u64 kDescriptors = FakeMemory::kBase, kAvailable = kDescriptors + 0x800,
                         kUsed = kDescriptors + 0xc00, kBuffers = kDescriptors + 0x2000, kRingBytes = 0x4000;
    static constexpr u16 kEntries = 16, kMessages = 4;

    FakeDriver(FakeMemory& memory, const guest::FileDescriptor& socket) : memory_(memory), socket_(socket) {}

    /// `meanwhile`: what lets the device serve the message; nothing where a thread does.
    std::function<void()> meanwhile = [] {};

    u64 ask(u32 request, std::vector<u64> words = {}, int fd = -1)
    {
        std::vector<u8> message(12 + 8 * words.size());
        const u32 header[3] = {request, 1 | 8, static_cast<u32>(8 * words.size())};
        std::memcpy(message.data(), header, 12);
        if (!words.empty()) {
            std::memcpy(message.data() + 12, words.data(), 8 * words.size());
        }
        send(message, fd);
        meanwhile();
        u8 answer[20] = {};
        EXPECT_TRUE(guest::receive_whole(socket_, answer, sizeof answer));
        u32 flags;
        u64 value;
        std::memcpy(&flags, answer + 4, 4);
        std::memcpy(&value, answer + 12, 8);
        EXPECT_EQ(flags, 5u); // a kernel takes no others
        return value;
    }

    /// As Linux does it: features, the back channel, memory, rings.
    void set_up(int back_channel)
    {
        EXPECT_EQ(ask(1), u64{1} << 32 | u64{1} << 30);
        EXPECT_EQ(ask(15), 1u << 3 | 1u << 5 | 1u << 14);
        ask(16, {1u << 3 | 1u << 5 | 1u << 14});
        ask(21, {}, back_channel);
        ask(2, {u64{1} << 32});
        ask(5, {1, FakeMemory::kBase, FakeMemory::kBytes, FakeMemory::kBase, FakeMemory::kBase, 0, 0, 0, 0},
            memory_.file.get());
        for (u64 ring = 0; ring < 2; ++ring) {
            const u64 at = ring * kRingBytes;
            ask(8, {ring | u64{kEntries} << 32});
            ask(10, {ring});
            ask(9, {ring, kDescriptors + at, kUsed + at, kAvailable + at, ~u64{0}});
        }
        for (u16 i = 0; i < kMessages; ++i) { // buffers for interrupt messages
            descriptor(1, i, kBuffers + kRingBytes + 32 * i, 20, 2, 0);
            offer(1, i);
        }
        ask(18, {0 | u64{1} << 32});
        ask(18, {1 | u64{1} << 32});
    }

    /// An access; a read gives the first 8 bytes of the answer.
    u64 access(u8 operation, u8 bar, u64 address, u32 bytes, u64 data = 0)
    {
        const bool reads = operation == 1 || operation == 3;
        const u16 first = static_cast<u16>(2 * (chains_++ % (kEntries / 2)));
        const u64 buffer = kBuffers + 64 * first;
        memory_.put<u32>(buffer, operation | u32{bar} << 8);
        memory_.put<u32>(buffer + 4, bytes);
        memory_.put<u64>(buffer + 8, address);
        memory_.put<u64>(buffer + 16, data);
        memory_.put<u64>(buffer + 32, 0);
        if (reads) {
            descriptor(0, first, buffer, 16, 1, static_cast<u16>(first + 1));
            descriptor(0, static_cast<u16>(first + 1), buffer + 32, 8, 2, 0);
        } else {
            descriptor(0, first, buffer, 16, 1, static_cast<u16>(first + 1)); // header and data in two pieces
            descriptor(0, static_cast<u16>(first + 1), buffer + 16, 8, 0, 0);
        }
        offer(0, first);
        EXPECT_EQ(ask(35, {0}), 0u);
        return memory_.get<u64>(buffer + 32);
    }

    u16 given_back(u32 ring) { return memory_.get<u16>(kUsed + ring * kRingBytes + 2); }
    /// Word i of the n-th interrupt message.
    u32 message_word(u32 n, u32 i)
    {
        const u32 id = memory_.get<u32>(kUsed + kRingBytes + 4 + 8 * (n % kEntries));
        return memory_.get<u32>(kBuffers + kRingBytes + 32 * id + 4 * i);
    }
    void offer_message_buffer(u16 i) { offer(1, i); }

private:
    void send(const std::vector<u8>& message, int fd)
    {
        iovec part{const_cast<u8*>(message.data()), message.size()};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        if (fd >= 0) {
            header.msg_control = control;
            header.msg_controllen = sizeof control;
            cmsghdr* const c = CMSG_FIRSTHDR(&header);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
        }
        EXPECT_EQ(sendmsg(socket_.get(), &header, 0), static_cast<ssize_t>(message.size()));
    }
    void descriptor(u32 ring, u16 index, u64 address, u32 bytes, u16 flags, u16 next)
    {
        const u64 at = kDescriptors + ring * kRingBytes + 16 * index;
        memory_.put<u64>(at, address);
        memory_.put<u32>(at + 8, bytes);
        memory_.put<u16>(at + 12, flags);
        memory_.put<u16>(at + 14, next);
    }
    void offer(u32 ring, u16 chain)
    {
        const u64 at = kAvailable + ring * kRingBytes;
        const u16 index = memory_.get<u16>(at + 2);
        memory_.put<u16>(at + 4 + 2 * (index % kEntries), chain);
        memory_.put<u16>(at + 2, static_cast<u16>(index + 1));
    }

    FakeMemory& memory_;
    const guest::FileDescriptor& socket_;
    u32 chains_ = 0;
};

} // namespace tlmssd::tb
