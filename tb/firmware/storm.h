// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random commands for the test device.
#pragma once

#include "tb/firmware/device.h"

namespace tlmssd::tb {

inline const char* const kSchedulers[] = {
#define SCHED(id, name, mode, traits, text) #name,
#include "firmware/hal/sched.def"
#undef SCHED
};
inline const char* const kPolicies[] = {
#define BUFFER_POLICY(id, name, text) #name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};

/// Every logical page is written once, in order, by commands of `most` sectors; ends when nothing can happen.
inline void fill(Device& d, u32 most = 64)
{
    for (u64 lba = 0; lba < d.host_sectors(); lba += most) {
        d.tick_until(d.config().host_tags - 1);
        d.issue(HAL_HOST_WRITE, lba, static_cast<u32>(std::min<u64>(most, d.host_sectors() - lba)));
    }
    d.tick_until(0);
    while (d.tick()) {
    }
}

/// Everything is read, in order, by commands of `most` sectors; ends when nothing can happen.
inline void read_back(Device& d, u32 most = 100)
{
    for (u64 lba = 0; lba < d.host_sectors(); lba += most) {
        d.tick_until(d.config().host_tags - 1);
        d.issue(HAL_HOST_READ, lba, static_cast<u32>(std::min<u64>(most, d.host_sectors() - lba)));
    }
    d.tick_until(0);
    while (d.tick()) {
    }
}

/// Reads, writes, FUA writes, trims and flushes of 1 to 40 sectors (some of 600) at random places.
inline void storm(Device& d, u32 commands)
{
    const u32 capacity = static_cast<u32>(d.host_sectors());
    for (u32 i = 0; i < commands; ++i) {
        d.tick_until(d.draw(d.config().host_tags));
        u32 sectors = 1 + d.draw(d.draw(16) == 0 ? 600 : 40);
        sectors = std::min(sectors, capacity);
        const u64 lba = d.draw(capacity - sectors + 1);
        const u32 kind = d.draw(100);
        const u8 priority = static_cast<u8>((lba & 3) << HAL_HOST_PRIORITY_SHIFT);
        if (kind < 55) {
            d.issue(HAL_HOST_WRITE, lba, sectors,
                    static_cast<u8>(priority | (d.draw(10) == 0 ? HAL_HOST_FUA : 0)));
        } else if (kind < 90) {
            d.issue(HAL_HOST_READ, lba, sectors, priority);
        } else if (kind < 96) {
            d.issue(HAL_HOST_TRIM, lba, sectors);
        } else {
            d.flush();
        }
    }
    d.tick_until(d.config().host_tags - 1);
    d.flush();
    d.tick_until(0);
    while (d.tick()) {
    }
}

} // namespace tlmssd::tb
