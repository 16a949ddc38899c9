// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a split virtqueue of virtio 1.0 as its device sees it.
#pragma once

#include <optional>
#include <vector>

#include "models/common/types.h"
#include "models/guest/guest_memory.h"

namespace tlmssd::guest {

class SplitRing {
public:
    struct Piece {
        u8* data = nullptr;
        u32 bytes = 0;
        bool device_writes = false;
    };
    struct Chain {
        u16 id = 0;
        std::vector<Piece> pieces;
    };

    explicit SplitRing(const GuestMemory& memory) : memory_(&memory) {}

    void set_entries(u32 entries) { entries_ = entries; }
    void set_next(u16 next) { next_ = next; }
    /// Guest addresses of the three tables. ModelError: they lie outside of its memory.
    void set_tables(u64 descriptors, u64 available, u64 used);
    void enable(bool on) { enabled_ = on; }

    /// The next chain that the guest has made available. ModelError: a descriptor that no driver may write.
    std::optional<Chain> take();
    /// The guest may have it back; `written`: bytes that the device has put into it.
    void give_back(u16 id, u32 written);
    /// Whether the guest shall notify the device of what it makes available.
    void want_notifications(bool on);

private:
    static constexpr u32 kMostEntries = 32768;

    const GuestMemory* memory_;
    u32 entries_ = 0;
    u16 next_ = 0;
    u16 used_index_ = 0;
    bool enabled_ = false;
    u8* descriptors_ = nullptr;
    u8* available_ = nullptr;
    u8* used_ = nullptr;
};

} // namespace tlmssd::guest
