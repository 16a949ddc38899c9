// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: below a flash controller: the segment port. (Above it: models/common/flash_port.h.)
#pragma once

#include "models/common/flash_port.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::flash {

/// What a segment does; the controller decides when, the sequencer turns it into ONFI bytes.
enum class Phase : u8 {
    Command = 0, ///< READ: 00h..30h/32h. ERASE: 60h..D0h/D1h. RESET: FFh
    DataOut = 1, ///< READ: the burst of one plane, (06h..E0h first where a choice is needed)
    DataIn = 2,  ///< PROGRAM: 80h, address, burst, 10h/11h of one plane
    Status = 3   ///< 70h or 78h and one byte
};

/// One request on a channel's segment port; the same from the TLM controller and from the RTL.
struct SegmentRequest {
    u8 ce = 0;
    u8 lun = 0;
    Phase phase = Phase::Command;
    u8 opcode = 0;  ///< FLASH_OP_*
    u8 plane = 0;   ///< entry of row/buf/col/len of the operation, 0..nplanes-1
    u8 nplanes = 1; ///< of the operation
    u8 col = 0;     ///< sectors
    u8 len = 0;     ///< sectors
    u8 flags = 0;   ///< FLASH_FLAG_*
    u16 tag = 0;
    u32 row = 0;
    u32 buf = 0;
    u32 oob = FLASH_NO_OOB; ///< of this plane: op.oob + 16 * plane
};

/// Below a controller: told about the bus by the segment port.
class SegmentClientIf {
public:
    virtual ~SegmentClientIf() = default;
    /// The segment has ended; `status` is the ONFI status byte for Phase::Status, else 0.
    /// For DataOut the data are in DRAM when `data_at` has passed (ECC and DMA).
    virtual void on_segment_done(u32 channel, u8 status, Picoseconds data_at) = 0;
    virtual void on_ready(u32 channel, u32 ce, u32 lun, bool ready) = 0;
};

/// The segment port of all channels. At most one segment a channel at a time.
class SegmentPortIf {
public:
    virtual ~SegmentPortIf() = default;
    virtual void bind(SegmentClientIf& client) = 0;
    virtual void start(u32 channel, const SegmentRequest& request) = 0;
};

} // namespace tlmssd::flash
