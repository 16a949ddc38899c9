// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pointers are found by comparison, all other words are copied.
#include "models/cpu/iss/handover.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "models/common/error.h"

namespace tlmssd::cpu {

namespace {

constexpr u64 kPage = 4096;
constexpr u32 kNowhere = 0xffffffff;

u32 word_at(const FirmwareMemory& memory, u64 offset)
{
    u32 word;
    std::memcpy(&word, memory.data + offset, sizeof word);
    return word;
}

/// The memory that an address lies in or just after; kNowhere: in none.
u32 memory_of(const FirmwareSide& side, u32 address)
{
    for (u32 i = 0; i < side.memories.size(); ++i) {
        if (address >= side.memories[i].address && address - side.memories[i].address <= side.memories[i].bytes) {
            return i;
        }
    }
    return kNowhere;
}

bool is_fixed(const FirmwareSide& side, u32 address)
{
    return std::any_of(side.fixed.begin(), side.fixed.end(), [address](const AddressRange& range) {
        return address >= range.begin && address - range.begin < range.bytes;
    });
}

/// Calls visit(offset, bytes) for each page that is not the same.
template <class Visit>
void each_different_page(const FirmwareMemory& a, const FirmwareMemory& b, const Visit& visit)
{
    for (u64 at = 0; at < a.bytes; at += kPage) {
        const u64 bytes = std::min(kPage, a.bytes - at);
        if (std::memcmp(a.data + at, b.data + at, bytes) != 0) {
            visit(at, bytes);
        }
    }
}

} // namespace

Handover::Handover(FirmwareSide from, FirmwareSide to) : from_(std::move(from)), to_(std::move(to))
{
    for (u32 i = 0; i < from_.memories.size() && possible_; ++i) {
        const FirmwareMemory& a = from_.memories[i];
        const FirmwareMemory& b = to_.memories[i];
        if (a.bytes != b.bytes) {
            possible_ = false;
            return;
        }
        each_different_page(a, b, [&](u64 begin, u64 bytes) {
            for (u64 at = begin; at < begin + bytes && possible_; at += sizeof(u32)) {
                const u32 from_word = word_at(a, at);
                const u32 to_word = word_at(b, at);
                if (from_word != to_word) {
                    possible_ = same_target(from_word, to_word);
                    pointers_.push_back({i, at, from_word, to_word});
                }
            }
        });
    }
}

bool Handover::same_target(u32 from, u32 to) const
{
    const u32 memory = memory_of(from_, from);
    if (memory == kNowhere) {
        return is_fixed(from_, from) && is_fixed(to_, to);
    }
    return to - to_.memories[memory].address == from - from_.memories[memory].address;
}

void Handover::hand_over() const
{
    for (u32 i = 0; i < from_.memories.size(); ++i) {
        const FirmwareMemory& a = from_.memories[i];
        const FirmwareMemory& b = to_.memories[i];
        each_different_page(a, b, [&](u64 begin, u64 bytes) { std::memcpy(b.data + begin, a.data + begin, bytes); });
    }
    for (const Pointer& p : pointers_) {
        u32 word = word_at(from_.memories[p.memory], p.offset);
        if (word == p.from) {
            word = p.to;
        } else if (const u32 target = memory_of(from_, word); target != kNowhere) {
            word = to_.memories[target].address + (word - from_.memories[target].address);
        } else {
            throw ModelError("handover of firmware: the pointer at byte " + std::to_string(p.offset) + " of memory " +
                             std::to_string(p.memory) + " has changed to something unknown");
        }
        std::memcpy(to_.memories[p.memory].data + p.offset, &word, sizeof word);
    }
}

} // namespace tlmssd::cpu
