// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memory for flash tests: 8 KiB page buffers of two units, a fixed speed.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "models/common/geometry.h"
#include "models/interfaces/dram_if.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {

struct FakeDram final : FlashDramIf {
    UnitTag* tags(u32 byte_offset) override { return &cells.at(byte_offset / 4096); }
    Picoseconds transfer(Picoseconds now, const DramAccess& access) override
    {
        transfers.emplace_back(now, access);
        free_at = max(now, free_at) + u64{access.bytes} * per_byte;
        return free_at;
    }
    u8* oob(u32 byte_offset) override { return &records.at(byte_offset); }

    u8* table_page(u32 byte_offset) override
    {
        return byte_offset < table_base ? nullptr : &table_memory.at(byte_offset - table_base);
    }

    u32 table_base = 0xffffffff; ///< from here on page buffers are in table_memory
    std::vector<u8> table_memory;
    std::array<UnitTag, 64> cells{};
    std::array<u8, 1024> records{};
    Picoseconds per_byte; ///< 0: no time at all
    Picoseconds free_at;
    std::vector<std::pair<Picoseconds, DramAccess>> transfers;
};

inline GeometryBuilder flash_geometry(u32 channels = 1, u32 dies = 1)
{
    return small_geometry().channels(channels).dies(dies);
}

} // namespace tlmssd::tb
