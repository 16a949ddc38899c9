// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the memory of a guest: files that it shares, by its addresses.
#pragma once

#include <functional>
#include <vector>

#include "models/common/types.h"
#include "models/guest/unix_socket.h"

namespace tlmssd::guest {

class GuestMemory {
public:
    GuestMemory() = default;
    GuestMemory(const GuestMemory&) = delete;
    GuestMemory& operator=(const GuestMemory&) = delete;
    ~GuestMemory();

    /// Regions do not overlap. ModelError: the file cannot be mapped.
    void add(u64 address, u64 bytes, const FileDescriptor& file, u64 offset);
    void clear();
    /// Called before the device writes there.
    void before_write(std::function<void(u64 address, u64 bytes)> notice) { notice_ = std::move(notice); }
    void announce_write(u64 address, u64 bytes) const
    {
        if (notice_) {
            notice_(address, bytes);
        }
    }
    /// The bytes at a guest address; nullptr: not all of them lie in one region.
    u8* at(u64 address, u64 bytes) const;

private:
    struct Region {
        u64 address = 0, bytes = 0;
        u8* data = nullptr;
    };
    std::vector<Region> regions_;
    std::function<void(u64 address, u64 bytes)> notice_;
};

} // namespace tlmssd::guest
