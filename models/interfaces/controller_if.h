// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: below a flash controller: the segment port. (Above it: models/interfaces/flash_port.h.)
// Beside it: who follows its operations.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/interfaces/flash_port.h"

namespace tlmssd::flash {

/// The action of a segment; the controller decides when, the sequencer turns it into ONFI bytes.
enum class Phase : u8 {
    Command = 0, ///< READ: 00h..30h/32h. COPYBACK: 00h..35h. ERASE: 60h..D0h/D1h. RESET: FFh, DDR FCh
    DataOut = 1, ///< READ: the burst of one plane, (06h..E0h first where a choice is needed). COPYBACK: the OOB bytes, or all
    DataIn = 2,  ///< PROGRAM: 80h, address, burst, 10h/11h of one plane. COPYBACK: 85h, address, (burst where `len`,) 10h
    Status = 3,  ///< 70h or 78h and one byte
    Feature = 4, ///< D5h: read-retry level `level` of the LUN
    Suspend = 5, ///< PROGRAM: 84h, ERASE: 61h, and the row of `plane`
    Resume = 6   ///< PROGRAM: 13h, ERASE: D2h, and that row
};

/// The place of a segment in a sequence of cache operations (docs/explanation/cache-operations.md).
enum class CacheStep : u8 {
    None,
    Next,       ///< Command: 31h in place of 30h. DataIn: 15h in place of 10h. DataOut: the array works at the next page
    Sequential, ///< Command: as Next, and it is the next page of the block: 31h alone will do
    End         ///< Command: 3Fh. DataOut: of the last page
};

/// One request on a channel's segment port; the same from the TLM controller and from the RTL.
struct SegmentRequest {
    u8 ce = 0;
    u8 lun = 0;
    Phase phase = Phase::Command;
    u8 opcode = 0;  ///< FLASH_OP_*
    u8 plane = 0;   ///< entry of row/buf/col/len of the operation, 0..nplanes-1
    u8 nplanes = 1; ///< of the operation; a plane that is read again goes alone, as plane 0 of 1
    u8 col = 0;     ///< sectors
    u8 len = 0;     ///< sectors
    u8 flags = 0;   ///< FLASH_FLAG_*
    u16 tag = 0;
    u32 row = 0;
    u32 buf = 0;
    u32 oob = FLASH_NO_OOB; ///< of this plane: op.oob + 16 * plane
    u8 level = 0; ///< read-retry level: Feature: to set; DataOut: at which the page was read
    bool after_status = false; ///< DataOut: the LUN's last segment was a status read (00h is due)
    CacheStep cache = CacheStep::None;
    bool mixed = false; ///< DataOut of a cache read: others of its chain are of another plane
};

/// The lines of a bus that no die drives. As a status byte it would say ready and failed at once
/// with its reserved bits set, which no die says: controllers take it for "no answer".
inline constexpr u8 kUndrivenByte = 0xff;

/// Does a status byte say that the LUN can take the next command? Bit 6, RDY, which R/B# follows.
constexpr bool status_ready(u8 status) { return (status & 0x40) != 0 && status != kUndrivenByte; }
constexpr bool status_failed(u8 status) { return (status & 0x01) != 0; } ///< bit 0, FAIL
constexpr bool status_failed_before(u8 status) { return (status & 0x02) != 0; } ///< bit 1, FAILC
/// Bit 2 of a ready LUN: its program or erase is suspended (vendors differ, docs/reference/nand-commands.md).
constexpr bool status_suspended(u8 status)
{
    return status_ready(status) && (status & 0x04) != 0;
}

/// The result of a segment.
struct SegmentResult {
    u8 status = 0;              ///< ONFI status byte; Phase::Status only
    Picoseconds data_at;        ///< DataOut: the data are in DRAM when it has passed (ECC and DMA)
    u16 corrected = 0;          ///< DataOut: bits that ECC corrected
    bool uncorrectable = false; ///< DataOut: some unit of the burst is lost; known at data_at
};

/// The controller as the segment port sees it: it gets the events of the bus.
class SegmentClientIf {
public:
    /// `lun` of on_ready() where all LUNs of the CE# share the line (`onfi.ready: target`).
    static constexpr u32 kTargetLine = 0xff;

    virtual ~SegmentClientIf() = default;
    virtual void on_segment_done(u32 channel, const SegmentResult& result) = 0;
    virtual void on_ready(u32 channel, u32 ce, u32 lun, bool ready) = 0;
};

/// The segment port of all channels. At most one segment a channel at a time.
class SegmentPortIf {
public:
    virtual ~SegmentPortIf() = default;
    virtual void bind(SegmentClientIf& client) = 0;
    virtual void start(u32 channel, const SegmentRequest& request) = 0;
    /// A transaction is next for its die and wants the bus from now on; the wait until start() is
    /// counted as contention (its package's lines in use for another die) or as a channel wait.
    virtual void wants(u32 channel, u32 ce, u32 lun) = 0;
    /// When the bursts out of operation `tag` will be in DRAM. `at`, reported before, has come: the
    /// result is `at`, or later where other masters of the DRAM have come between.
    virtual Picoseconds landing(u32 tag, Picoseconds at)
    {
        static_cast<void>(tag);
        return at;
    }
    /// ECC's verdict on the read `op`, at its landing: it goes on at the next read-retry level. True: now. False: as soon
    /// as the port says so.
    virtual bool goes_on(const flash_op& op)
    {
        static_cast<void>(op);
        return true;
    }
};

/// Follows operations through a controller (the timeline). Bound to the controller (on_issue,
/// on_complete) and to the segment port (on_phase); called at model time, must not call back.
/// Of one tag: on_issue, on_phase for each of its segments, on_complete. A LUN has one tag, in cache operations two or
/// three. An operation that never
/// reaches its LUN (ILLEGAL; TIMEOUT of a LUN that has been given up; ABORTED) has an on_complete alone.
class OperationObserverIf {
public:
    virtual ~OperationObserverIf() = default;
    /// `op` has got its LUN (RTL: its first segment starts). It lives for this call only.
    virtual void on_issue(u32 tag, const flash_op& op, Picoseconds now) = 0;
    /// It waits for the bus from now on; on_bus() and on_phase() of that segment follow. Not called
    /// where it gets the bus at once.
    virtual void on_wait(u32 tag, Picoseconds now)
    {
        static_cast<void>(tag);
        static_cast<void>(now);
    }
    /// A segment of the operation has been given the bus, from `start` on, which is now or soon.
    virtual void on_bus(u32 tag, u32 channel, Picoseconds start)
    {
        static_cast<void>(tag);
        static_cast<void>(channel);
        static_cast<void>(start);
    }
    /// A segment of the operation has used the bus from `start` to `end`, which is now.
    virtual void on_phase(u32 tag, u32 channel, Phase phase, Picoseconds start,
                          Picoseconds end) = 0;
    /// Called before the sink is, so the tag is not yet used again.
    virtual void on_complete(u32 tag, const flash_completion& completion, Picoseconds now) = 0;
};

} // namespace tlmssd::flash
