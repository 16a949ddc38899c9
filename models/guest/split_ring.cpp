// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a split virtqueue as its device sees it.
#include "models/guest/split_ring.h"

#include <atomic>
#include <cstring>

#include "models/common/error.h"

namespace tlmssd::guest {

namespace {

constexpr u16 kNext = 1, kDeviceWrites = 2; // flags of a descriptor
constexpr u16 kNoNotify = 1;                // flag of the used ring

template <class T>
T load(const u8* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T>
void store(u8* at, T value)
{
    std::memcpy(at, &value, sizeof value);
}

} // namespace

void SplitRing::set_tables(u64 descriptors, u64 available, u64 used)
{
    if (entries_ == 0 || entries_ > kMostEntries) {
        throw ModelError("guest: a ring of " + std::to_string(entries_) + " entries");
    }
    descriptors_ = memory_->at(descriptors, u64{16} * entries_);
    available_ = memory_->at(available, 4 + u64{2} * entries_);
    used_ = memory_->at(used, 4 + u64{8} * entries_);
    if (descriptors_ == nullptr || available_ == nullptr || used_ == nullptr) {
        throw ModelError("guest: a ring lies outside of its memory");
    }
    used_index_ = load<u16>(used_ + 2);
}

std::optional<SplitRing::Chain> SplitRing::take()
{
    if (!enabled_ || used_ == nullptr || load<u16>(available_ + 2) == next_) {
        return std::nullopt;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    Chain chain;
    chain.id = load<u16>(available_ + 4 + 2 * (next_ % entries_));
    ++next_;
    u16 index = chain.id;
    for (;;) {
        if (index >= entries_ || chain.pieces.size() >= entries_) {
            throw ModelError("guest: a ring's descriptor " + std::to_string(index) + " of " + std::to_string(entries_));
        }
        const u8* const d = descriptors_ + 16 * index;
        const u16 flags = load<u16>(d + 12);
        Piece piece{memory_->at(load<u64>(d), load<u32>(d + 8)), load<u32>(d + 8), (flags & kDeviceWrites) != 0};
        if (piece.data == nullptr) {
            throw ModelError("guest: a ring's buffer lies outside of its memory");
        }
        chain.pieces.push_back(piece);
        if ((flags & kNext) == 0) {
            return chain;
        }
        index = load<u16>(d + 14);
    }
}

void SplitRing::give_back(u16 id, u32 written)
{
    u8* const entry = used_ + 4 + 8 * (used_index_ % entries_);
    store<u32>(entry, id);
    store<u32>(entry + 4, written);
    std::atomic_thread_fence(std::memory_order_release);
    store<u16>(used_ + 2, ++used_index_);
}

void SplitRing::want_notifications(bool on)
{
    if (used_ != nullptr) {
        store<u16>(used_, on ? u16{0} : kNoNotify);
    }
}

} // namespace tlmssd::guest
