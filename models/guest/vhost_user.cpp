// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI function for User-Mode Linux over vhost-user.
#include "models/guest/vhost_user.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"

namespace tlmssd::guest {

namespace {

// Requests of vhost-user, by number.
enum Request : u32 {
    kGetFeatures = 1,
    kSetFeatures = 2,
    kSetOwner = 3,
    kSetMemoryTable = 5,
    kSetRingEntries = 8,
    kSetRingTables = 9,
    kSetRingNext = 10,
    kGetProtocolFeatures = 15,
    kSetProtocolFeatures = 16,
    kEnableRing = 18,
    kSetBackChannel = 21,
    kNotify = 35,
};
constexpr u32 kCall = 4; // on the back channel

constexpr u32 kVersion = 1, kIsReply = 4, kNeedReply = 8; // flags
constexpr u32 kMostPayload = 4096;

constexpr u64 kFeatures = u64{1} << 32 | u64{1} << 30;     // VERSION_1, PROTOCOL_FEATURES
constexpr u64 kProtocol = 1u << 3 | 1u << 5 | 1u << 14;    // REPLY_ACK, the back channel, notifications in band

// Operations of virtio-pcidev: a header of 16 bytes, then data.
enum Operation : u8 {
    kConfigRead = 1,
    kConfigWrite = 2,
    kBarRead = 3,
    kBarWrite = 4,
    kBarFill = 5,
    kMessage = 7,
};
constexpr u32 kHeaderBytes = 16, kMessageBytes = kHeaderBytes + 4;
constexpr u32 kMostAccess = 1u << 20;

template <class T>
T load(const u8* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

} // namespace

VhostUserPci::VhostUserPci(GuestMemory& memory, PciPortIf& port, std::function<void()> before_reply)
    : memory_(memory), port_(port), before_reply_(std::move(before_reply)),
      rings_{SplitRing(memory), SplitRing(memory)}
{
}

bool VhostUserPci::serve()
{
    std::vector<FileDescriptor> fds;
    u8 raw[12];
    if (!receive_whole(socket_, raw, sizeof raw, &fds)) {
        return false;
    }
    const Header header{load<u32>(raw), load<u32>(raw + 4), load<u32>(raw + 8)};
    if (header.bytes > kMostPayload) {
        throw ModelError("guest: a vhost-user message of " + std::to_string(header.bytes) + " bytes");
    }
    std::vector<u8> payload(std::max<std::size_t>(header.bytes, 40));
    if (header.bytes != 0 && !receive_whole(socket_, payload.data(), header.bytes, &fds)) {
        throw ModelError("guest: the connection ended inside of a message");
    }
    handle(header, payload.data(), fds);
    return true;
}

void VhostUserPci::handle(const Header& header, const u8* payload, std::vector<FileDescriptor>& fds)
{
    switch (header.request) {
    case kGetFeatures:
        reply(header, kFeatures);
        return;
    case kGetProtocolFeatures:
        reply(header, kProtocol);
        return;
    case kSetMemoryTable:
        map(payload, header.bytes, fds);
        break;
    case kSetRingEntries:
    case kSetRingTables:
    case kSetRingNext:
    case kEnableRing:
        set_ring(header.request, payload);
        break;
    case kSetBackChannel:
        if (fds.empty()) {
            throw ModelError("guest: the back channel has no file descriptor");
        }
        back_ = std::move(fds.front());
        break;
    case kNotify:
        if (load<u32>(payload) == kCommands) {
            carry_out();
            before_reply_();
        } else {
            put_interrupts();
        }
        break;
    case kSetOwner:
    case kSetFeatures:
    case kSetProtocolFeatures:
        break;
    default:
        throw ModelError("guest: vhost-user request " + std::to_string(header.request) + " is not known here");
    }
    if (header.flags & kNeedReply) {
        reply(header, 0);
    }
}

void VhostUserPci::reply(const Header& header, u64 value)
{
    u8 message[20];
    const u32 words[3] = {header.request, kVersion | kIsReply, 8};
    std::memcpy(message, words, 12);
    std::memcpy(message + 12, &value, 8);
    send_whole(socket_, message, sizeof message);
}

void VhostUserPci::map(const u8* payload, u32 bytes, const std::vector<FileDescriptor>& fds)
{
    const u32 regions = load<u32>(payload);
    if (regions > fds.size() || bytes < 8 + 32 * regions) {
        throw ModelError("guest: " + std::to_string(regions) + " regions of memory and " + std::to_string(fds.size()) +
                         " files");
    }
    memory_.clear();
    for (u32 i = 0; i < regions; ++i) {
        const u8* const region = payload + 8 + 32 * i;
        memory_.add(load<u64>(region), load<u64>(region + 8), fds[i], load<u64>(region + 24));
    }
}

void VhostUserPci::set_ring(u32 request, const u8* payload)
{
    const u32 number = load<u32>(payload);
    if (number >= rings_.size()) {
        throw ModelError("guest: ring " + std::to_string(number));
    }
    SplitRing& ring = rings_[number];
    switch (request) {
    case kSetRingEntries:
        ring.set_entries(load<u32>(payload + 4));
        break;
    case kSetRingNext:
        ring.set_next(static_cast<u16>(load<u32>(payload + 4)));
        break;
    case kSetRingTables: // in the guest's user addresses, which are its physical ones; used before available
        ring.set_tables(load<u64>(payload + 8), load<u64>(payload + 24), load<u64>(payload + 16));
        if (number == kInterrupts) {
            ring.want_notifications(false);
        }
        break;
    default:
        ring.enable(load<u32>(payload + 4) != 0);
        break;
    }
}

void VhostUserPci::carry_out()
{
    while (const std::optional<SplitRing::Chain> chain = rings_[kCommands].take()) {
        ++accesses_;
        carry_out(*chain);
    }
}

/// A read gives its buffer back at once, since the guest waits for it. Writes are given back many at a time: each that
/// lay before a read's would cost the guest a microsecond.
void VhostUserPci::carry_out(const SplitRing::Chain& chain)
{
    std::vector<u8> request; // header and data, in one piece of memory or two
    const SplitRing::Piece* answer = nullptr;
    for (const SplitRing::Piece& piece : chain.pieces) {
        if (piece.device_writes) {
            answer = &piece;
        } else {
            request.insert(request.end(), piece.data, piece.data + piece.bytes);
        }
    }
    if (request.size() < kHeaderBytes) {
        throw ModelError("guest: a PCI access of " + std::to_string(request.size()) + " bytes");
    }
    const u8 operation = request[0], bar = request[1];
    const u32 bytes = load<u32>(request.data() + 4);
    const u64 address = load<u64>(request.data() + 8);
    const bool reads = operation == kConfigRead || operation == kBarRead;
    const u32 given = static_cast<u32>(request.size()) - kHeaderBytes;
    if (bytes > kMostAccess || (reads && (answer == nullptr || answer->bytes < bytes)) ||
        (!reads && operation != kBarFill && given < bytes)) {
        throw ModelError("guest: a PCI access of " + std::to_string(bytes) + " bytes without their buffer");
    }
    u8* const data = request.data() + kHeaderBytes;
    switch (operation) {
    case kConfigRead:
        port_.read_config(static_cast<u32>(address), answer->data, bytes);
        break;
    case kConfigWrite:
        port_.write_config(static_cast<u32>(address), data, bytes);
        break;
    case kBarRead:
        port_.read_bar(bar, address, answer->data, bytes);
        break;
    case kBarWrite:
        port_.write_bar(bar, address, data, bytes);
        break;
    case kBarFill: {
        const std::vector<u8> filled(bytes, given != 0 ? data[0] : u8{0});
        port_.write_bar(bar, address, filled.data(), bytes);
        break;
    }
    default:
        throw ModelError("guest: PCI operation " + std::to_string(operation));
    }
    if (reads) {
        rings_[kCommands].give_back(chain.id, bytes);
    } else {
        held_.push_back(chain.id);
    }
}

void VhostUserPci::put_interrupts()
{
    while (std::optional<SplitRing::Chain> chain = rings_[kInterrupts].take()) {
        free_.push_back(std::move(*chain));
    }
}

u32 VhostUserPci::prepare_calls()
{
    u32 rings = 0;
    while (const std::optional<InterruptMessage> message = port_.take_interrupt()) {
        waiting_.push_back(*message);
    }
    put_interrupts();
    while (!waiting_.empty() && !free_.empty()) {
        const SplitRing::Piece& piece = free_.front().pieces.front();
        if (!piece.device_writes || piece.bytes < kMessageBytes) {
            throw ModelError("guest: a buffer of " + std::to_string(piece.bytes) + " bytes for an interrupt message");
        }
        const u32 words[5] = {kMessage, 4, static_cast<u32>(waiting_.front().address),
                              static_cast<u32>(waiting_.front().address >> 32), waiting_.front().data};
        std::memcpy(piece.data, words, kMessageBytes);
        rings_[kInterrupts].give_back(free_.front().id, kMessageBytes);
        free_.pop_front();
        waiting_.pop_front();
        ++interrupts_;
        rings |= 1u << kInterrupts;
    }
    rings_[kInterrupts].want_notifications(!waiting_.empty());
    if (held_.size() >= kHeldMost) {
        for (const u16 id : held_) {
            rings_[kCommands].give_back(id, 0);
        }
        held_.clear();
        rings |= 1u << kCommands;
    }
    return rings;
}

void VhostUserPci::call(u32 ring)
{
    const u32 words[5] = {kCall, kVersion | kNeedReply, 8, ring, 0};
    send_whole(back_, words, sizeof words);
}

void VhostUserPci::take_answer()
{
    u8 answer[20];
    if (!receive_whole(back_, answer, sizeof answer)) {
        throw ModelError("guest: it has closed the back channel");
    }
    if (load<u32>(answer) != kCall || load<u64>(answer + 12) != 0) {
        throw ModelError("guest: it refuses a call with " + std::to_string(load<u64>(answer + 12)));
    }
}

} // namespace tlmssd::guest
