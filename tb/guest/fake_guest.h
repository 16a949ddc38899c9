// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the tests of guests have in the place of a kernel: memory in a file, the guest's ends of the sockets.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "models/guest/guest_memory.h"
#include "models/guest/pci_port.h"
#include "models/guest/unix_socket.h"

namespace tlmssd::tb {

/// Memory of a guest, which begins above 0 as that of User-Mode Linux does.
struct FakeMemory {
    static constexpr u64 kBase = 0x474000, kBytes = 0x10000;

    FakeMemory() : file(memfd_create("guest", 0))
    {
        EXPECT_EQ(ftruncate(file.get(), kBase + kBytes), 0);
        guest.add(kBase, kBytes, file, kBase);
    }
    u8* at(u64 address) { return guest.at(address, 1); }
    template <class T>
    void put(u64 address, T value)
    {
        std::memcpy(at(address), &value, sizeof value);
    }
    template <class T>
    T get(u64 address)
    {
        T value;
        std::memcpy(&value, at(address), sizeof value);
        return value;
    }

    guest::FileDescriptor file;
    guest::GuestMemory guest;
};

/// A device whose events the test sets: bytes by BAR and offset; an interrupt at the times of `interrupts`.
struct FakePort final : guest::PciPortIf {
    void read_config(u32 offset, u8* data, u32 bytes) override { read(0x100, offset, data, bytes); }
    void write_config(u32 offset, const u8* data, u32 bytes) override { write(0x100, offset, data, bytes); }
    void read_bar(u32 bar, u64 offset, u8* data, u32 bytes) override { read(bar, offset, data, bytes); }
    void write_bar(u32 bar, u64 offset, const u8* data, u32 bytes) override
    {
        write(bar, offset, data, bytes);
        if (on_write) {
            on_write(bar, offset);
        }
    }
    void read_space(u64 address, u8* data, u32 bytes) override { read(0x200, address, data, bytes); }
    void write_space(u64 address, const u8* data, u32 bytes) override { write_bar(0x200, address, data, bytes); }
    void reset() override { ++resets; }
    u64 now() const override { return time; }
    u64 next_event() const override { return interrupts.empty() ? guest::kNever : interrupts.begin()->first; }
    void advance(u64 to) override
    {
        EXPECT_GE(to, time);
        time = to;
        while (!interrupts.empty() && interrupts.begin()->first <= time) {
            pending.push_back({0xa0000, interrupts.begin()->second});
            interrupts.erase(interrupts.begin());
        }
    }
    std::optional<guest::InterruptMessage> take_interrupt() override
    {
        if (pending.empty()) {
            return std::nullopt;
        }
        const guest::InterruptMessage message = pending.front();
        pending.pop_front();
        return message;
    }
    bool interrupt_waits() const override { return !quiet && !pending.empty(); }
    bool failed() const override { return false; }
    void cut_power() override { cut_at = time; }

    void read(u32 bar, u64 offset, u8* data, u32 bytes)
    {
        for (u32 i = 0; i < bytes; ++i) {
            data[i] = cells[{bar, offset + i}];
        }
        ++reads;
        read_at = time;
    }
    void write(u32 bar, u64 offset, const u8* data, u32 bytes)
    {
        for (u32 i = 0; i < bytes; ++i) {
            cells[{bar, offset + i}] = data[i];
        }
        ++writes;
    }

    std::map<std::pair<u32, u64>, u8> cells;
    std::multimap<u64, u32> interrupts; ///< time, data
    std::deque<guest::InterruptMessage> pending;
    std::function<void(u32 bar, u64 offset)> on_write;
    u64 time = 0, reads = 0, writes = 0, read_at = 0, cut_at = 0, resets = 0;
    bool quiet = false; ///< its events send no interrupt messages
};

/// Both ends of a connection.
struct Pair {
    Pair()
    {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        device = guest::FileDescriptor(ends[0]);
        guest = guest::FileDescriptor(ends[1]);
    }
    guest::FileDescriptor device, guest;
};

} // namespace tlmssd::tb
