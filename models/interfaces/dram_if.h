// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what DMA engines see of the device's DRAM: integrity tag cells, bytes and occupancy.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/tag.h"
#include "models/common/types.h"

namespace tlmssd {

/// The master of a transfer.
enum class DramMaster : u8 {
    Link,  ///< the host port, of any kind
    Flash, ///< DMA of the flash controller
    Cpu    ///< the copy engine, which works for the firmware
};
constexpr u32 kDramMasters = 3;

/// A transfer to or from consecutive bytes.
struct DramAccess {
    u32 address; ///< byte offset into DRAM
    u32 bytes;
    bool write; ///< into DRAM
    DramMaster master = DramMaster::Link;
    friend bool operator==(const DramAccess& a, const DramAccess& b)
    {
        return a.address == b.address && a.bytes == b.bytes && a.write == b.write && a.master == b.master;
    }
};

/// When a transfer ends. With a ticket it ends then or later: others may come between.
struct DramEnd {
    Picoseconds at;
    u64 ticket = 0; ///< 0: `at` is the end
};

/// The device's DRAM. Data are integrity tags, one cell per unit (Geometry::unit_bytes()), and with
/// `data: full` also bytes.
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
    /// Occupy the DRAM from `now` on with one transfer of at most 8 KiB. Returns its end, which is never
    /// before the end of an earlier transfer of the same master; with arbitration the earliest end that
    /// is possible.
    virtual Picoseconds transfer(Picoseconds now, const DramAccess& access) = 0;

    /// The same, to be asked again by over().
    DramEnd begin(Picoseconds now, const DramAccess& access)
    {
        const Picoseconds at = transfer(now, access);
        return {at, ticket_};
    }
    /// Whether the transfer has ended at `now`. If not, `end.at` is when to ask again, after `now`.
    bool over(DramEnd& end, Picoseconds now)
    {
        return end.at <= now && (end.ticket == 0 || settle(now, end));
    }
    /// Ends may come later than transfer() has said.
    bool revises() const { return ticket_ != 0; }

protected:
    /// over() of a transfer with a ticket. Makes `end` exact once it is known.
    virtual bool settle(Picoseconds now, DramEnd& end)
    {
        return end.at <= now;
    }
    u64 ticket_ = 0; ///< of the last transfer; never 0 where ends may be revised
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
