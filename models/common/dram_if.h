// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what DMA engines see of the device's DRAM: integrity tag cells, bytes and occupancy.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/tag.h"
#include "models/common/types.h"

namespace tlmssd {

/// A transfer to or from consecutive bytes.
struct DramAccess {
    u32 address; ///< byte offset into DRAM
    u32 bytes;
    bool write; ///< into DRAM
    friend bool operator==(const DramAccess& a, const DramAccess& b)
    {
        return a.address == b.address && a.bytes == b.bytes && a.write == b.write;
    }
};

/// The device's DRAM. Data are integrity tags, one cell a unit (Geometry::unit_bytes()), and with
/// `data: full` bytes besides.
class DramIf {
public:
    virtual ~DramIf() = default;
    /// Tag cell of the unit at `byte_offset`. The cells of one page buffer are contiguous, so that
    /// tags(offset)[i] is the i-th unit from there inside the buffer.
    virtual UnitTag* tags(u32 byte_offset) = 0;
    /// The bytes from `byte_offset` on; null where tags stand for the data.
    virtual u8* bytes(u32 byte_offset)
    {
        static_cast<void>(byte_offset);
        return nullptr;
    }
    /// Occupy the DRAM from `now` on, first in first out, with one transfer of at most 8 KiB.
    /// Returns its end, which is never before the end of an earlier transfer.
    virtual Picoseconds transfer(Picoseconds now, const DramAccess& access) = 0;
};

/// The same with the OOB records of the flash DMA, which keep real bytes.
class FlashDramIf : public DramIf {
public:
    /// The 16 bytes at `byte_offset`. Throws ModelError outside the mapped records.
    virtual u8* oob(u32 byte_offset) = 0;
    /// The firmware's table memory that appears at `byte_offset`, where a page buffer is a page of its
    /// tables; null for all other page buffers. Throws ModelError where less than a page is left.
    virtual u8* table_page(u32 byte_offset)
    {
        static_cast<void>(byte_offset);
        return nullptr;
    }
};

} // namespace tlmssd
