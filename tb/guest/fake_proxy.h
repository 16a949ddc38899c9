// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU's side of x-pci-proxy-dev, for tests.
#pragma once

#include <poll.h>

#include "tb/guest/fake_guest.h"

namespace tlmssd::tb {

inline std::vector<u8> bytes_of(const void* data, std::size_t bytes)
{
    const u8* const from = static_cast<const u8*>(data);
    return std::vector<u8>(from, from + bytes);
}

inline std::vector<u8> config_access(u32 address, u32 value, u32 bytes)
{
    const u32 words[3] = {address, value, bytes};
    return bytes_of(words, sizeof words);
}

inline std::vector<u8> bar_access(u64 address, u64 value, u32 bytes, bool memory = true)
{
    const u64 words[3] = {address, value, bytes | u64{memory} << 32};
    return bytes_of(words, sizeof words);
}

/// Addresses, then sizes, then offsets; eight of each.
struct MapEntry {
    u64 address, bytes, offset;
};
inline std::vector<u8> memory_map(const std::vector<MapEntry>& entries)
{
    u64 words[24] = {};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        words[i] = entries[i].address;
        words[8 + i] = entries[i].bytes;
        words[16 + i] = entries[i].offset;
    }
    return bytes_of(words, sizeof words);
}

class FakeProxy {
public:
    enum : u32 { kMemoryMap, kAnswer, kConfigWrite, kConfigRead, kBarWrite, kBarRead, kInterruptFiles, kReset };

    explicit FakeProxy(const guest::FileDescriptor& socket) : socket_(socket) {}

    void send(u32 command, const std::vector<u8>& data, std::vector<int> fds = {})
    {
        std::vector<u8> message = header(command, data.size());
        message.insert(message.end(), data.begin(), data.end());
        send_bytes(message, std::move(fds));
    }
    void send_header(u32 command, u64 bytes) { send_bytes(header(command, bytes)); }
    void send_bytes(const std::vector<u8>& message, std::vector<int> fds = {})
    {
        iovec part{const_cast<u8*>(message.data()), message.size()};
        alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
        msghdr with{};
        with.msg_iov = &part;
        with.msg_iovlen = 1;
        if (!fds.empty()) {
            with.msg_control = control;
            with.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
            cmsghdr* const c = CMSG_FIRSTHDR(&with);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
            std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
        }
        EXPECT_EQ(sendmsg(socket_.get(), &with, MSG_NOSIGNAL), static_cast<ssize_t>(message.size()));
    }

    bool has_answer() const
    {
        pollfd entry{socket_.get(), POLLIN, 0};
        return poll(&entry, 1, 0) > 0;
    }
    /// The value of the next answer, which has eight bytes.
    u64 answer()
    {
        EXPECT_EQ(answer_bytes(), 8u);
        u64 value = 0;
        EXPECT_TRUE(guest::receive_whole(socket_, &value, sizeof value));
        return value;
    }
    /// Takes the header of the next answer.
    u64 answer_bytes()
    {
        u8 raw[16];
        EXPECT_TRUE(guest::receive_whole(socket_, raw, sizeof raw));
        u32 command;
        u64 bytes;
        std::memcpy(&command, raw, 4);
        std::memcpy(&bytes, raw + 8, 8);
        EXPECT_EQ(command, kAnswer);
        return bytes;
    }

private:
    static std::vector<u8> header(u32 command, u64 bytes)
    {
        std::vector<u8> raw(16);
        std::memcpy(raw.data(), &command, 4);
        std::memcpy(raw.data() + 8, &bytes, 8);
        return raw;
    }

    const guest::FileDescriptor& socket_;
};

} // namespace tlmssd::tb
