// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: messages of QEMU's device `x-pci-proxy-dev`.
#include "models/guest/proxy_pci.h"

#include <cstdint>
#include <cstring>

#include "models/common/error.h"

namespace tlmssd::guest {

namespace {

enum Command : u32 {
    kMemoryMap,
    kAnswer,
    kConfigWrite,
    kConfigRead,
    kBarWrite,
    kBarRead,
    kInterruptFiles, // for KVM
    kReset,
    kCommands
};

struct CommandFacts {
    const char* name;
    u64 bytes; ///< after the header
};
constexpr CommandFacts kFacts[kCommands] = {
    {"SYNC_SYSMEM", 192}, {"RET", 8},       {"PCI_CFGWRITE", 12}, {"PCI_CFGREAD", 12},
    {"BAR_WRITE", 24},    {"BAR_READ", 24}, {"SET_IRQFD", 0},     {"DEVICE_RESET", 0},
};
constexpr u32 kHeaderBytes = 16, kMostBytes = 192;
constexpr u32 kConfigSpace = 256; // what QEMU has of it

template <class T>
T load(const u8* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

} // namespace

ProxyPci::ProxyPci(GuestMemory& memory, PciPortIf& port, FileDescriptor socket, u32 patience_ms)
    : memory_(memory), port_(port), socket_(std::move(socket))
{
    limit_waits(socket_, patience_ms);
}

bool ProxyPci::serve()
{
    std::vector<FileDescriptor> fds;
    u8 header[kHeaderBytes], data[kMostBytes];
    if (!receive_whole(socket_, header, sizeof header, &fds)) {
        return false;
    }
    const u32 command = load<u32>(header);
    const u64 bytes = load<u64>(header + 8);
    if (command >= kCommands || command == kAnswer) {
        throw ModelError("guest: QEMU's command " + std::to_string(static_cast<std::int32_t>(command)) +
                         " is not known here");
    }
    if (bytes != kFacts[command].bytes) {
        throw ModelError(std::string("guest: QEMU's message ") + kFacts[command].name + " has " +
                         std::to_string(bytes) + " bytes, not " + std::to_string(kFacts[command].bytes));
    }
    if (bytes != 0 && !receive_whole(socket_, data, bytes, &fds)) {
        throw ModelError("guest: the connection ended inside of a message");
    }
    carry_out(command, data, fds);
    return true;
}

void ProxyPci::carry_out(u32 command, const u8* data, const std::vector<FileDescriptor>& fds)
{
    switch (command) {
    case kMemoryMap:
        map(data, fds);
        return;
    case kConfigWrite:
    case kConfigRead:
        access_config(data, command == kConfigWrite);
        return;
    case kBarWrite:
    case kBarRead:
        access_bar(data, command == kBarWrite);
        return;
    case kReset:
        port_.reset();
        answer(0, 0);
        return;
    default:
        return; // interrupts go another way: the descriptors are closed
    }
}

/// Replaces the whole map; a region per descriptor.
void ProxyPci::map(const u8* data, const std::vector<FileDescriptor>& fds)
{
    if (fds.empty() || fds.size() > kRegions) {
        throw ModelError("guest: QEMU's memory map has " + std::to_string(fds.size()) + " files, not 1 to 8");
    }
    memory_.clear();
    for (u32 i = 0; i < fds.size(); ++i) {
        const u8* const entry = data + 8 * i;
        memory_.add(load<u64>(entry), load<u64>(entry + 64), fds[i], load<u64>(entry + 128));
    }
}

void ProxyPci::access_config(const u8* data, bool writes)
{
    const u32 at = load<u32>(data), bytes = load<u32>(data + 8);
    if (bytes == 0 || bytes > 4) {
        throw ModelError("guest: an access of " + std::to_string(static_cast<std::int32_t>(bytes)) +
                         " bytes to configuration space");
    }
    ++accesses_;
    const bool inside = at < kConfigSpace && bytes <= kConfigSpace - at;
    u8 value[8] = {};
    if (writes) {
        if (inside) {
            port_.write_config(at, data + 4, bytes);
        }
    } else if (inside) {
        port_.read_config(at, value, bytes);
    } else {
        std::memset(value, 0xff, bytes);
    }
    answer(load<u64>(value));
}

void ProxyPci::access_bar(const u8* data, bool writes)
{
    const u64 address = load<u64>(data);
    const u32 bytes = load<u32>(data + 16);
    const bool memory = data[20] != 0;
    if (bytes == 0 || bytes > 8) {
        throw ModelError("guest: an access of " + std::to_string(bytes) + " bytes to a BAR");
    }
    ++accesses_;
    u8 value[8] = {};
    if (!memory) { // no BAR of ours is in I/O space
        std::memset(value, writes ? 0 : 0xff, bytes);
    } else if (writes) {
        port_.write_space(address, data + 8, bytes);
    } else {
        port_.read_space(address, value, bytes);
    }
    answer(load<u64>(value));
}

void ProxyPci::answer(u64 value, u32 bytes)
{
    u8 message[kHeaderBytes + 8] = {};
    const u32 command = kAnswer;
    const u64 size = bytes;
    std::memcpy(message, &command, sizeof command);
    std::memcpy(message + 8, &size, sizeof size);
    std::memcpy(message + kHeaderBytes, &value, sizeof value);
    send_whole(socket_, message, kHeaderBytes + bytes);
}

} // namespace tlmssd::guest
