// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the payload of the ONFI bus: one uninterrupted use of a channel, as real ONFI bytes.
#pragma once

#include <array>
#include <cstring>

#include <tlm>

#include "models/common/picoseconds.h"
#include "models/common/tag.h"
#include "models/common/types.h"

namespace tlmssd::onfi {

enum class DataDirection : u8 { None, In, Out }; ///< seen from the die

/// What a data burst carries instead of page bytes: integrity tags, OOB bytes, register bytes.
struct DataCells {
    std::array<UnitTag, 16> tags{}; ///< page data; tags[0] is the unit at the burst's first column
    std::array<u8, 16> oob{};       ///< valid where the burst covers the OOB column
    std::array<u8, 16> bytes{};     ///< status, ID: data that are bytes, not a page
};

/// One uninterrupted use of the bus: command and address cycles, an optional data burst, then
/// optional closing cycles (10h after data). Owned by the master, alive until its end is reported.
struct Segment {
    static constexpr u32 kMaxCycles = 40;

    u32 ce = 0;                         ///< chip enable on this channel
    u8 lead = 0;                        ///< cycles before the burst
    u8 trail = 0;                       ///< cycles after the burst
    DataDirection direction = DataDirection::None;
    u32 data_bytes = 0;                 ///< bytes of the burst on the bus, parity included
    DataCells* data = nullptr;          ///< not null where direction is not None
    std::array<u8, kMaxCycles> bytes{}; ///< lead + trail cycles
    u64 command_mask = 0;               ///< bit i: bytes[i] is a command cycle, else an address
    Picoseconds start;                  ///< set by the channel
    Picoseconds end;                    ///< set by the channel

    void clear()
    {
        lead = trail = 0;
        direction = DataDirection::None;
        data_bytes = 0;
        data = nullptr;
        command_mask = 0;
    }
    void command(u8 byte)
    {
        command_mask |= u64{1} << (lead + trail);
        push(byte);
    }
    void address(u8 byte) { push(byte); }
    /// A command and `n` address cycles (the low bytes of `address`, first cycle lowest, n <= 8)
    /// before any burst.
    void sequence(u8 byte, u64 address, u32 n)
    {
        command_mask |= u64{1} << lead;
        bytes[lead] = byte;
        std::memcpy(&bytes[lead + 1], &address, sizeof address); // little endian; beyond n: rewritten
        lead = static_cast<u8>(lead + 1 + n);
    }
    void burst(DataDirection d, u32 n, DataCells* cells)
    {
        direction = d;
        data_bytes = n;
        data = cells;
    }
    bool is_command(u32 i) const { return (command_mask >> i) & 1; }

private:
    void push(u8 byte)
    {
        bytes[lead + trail] = byte;
        direction == DataDirection::None ? ++lead : ++trail;
    }
};

/// TLM protocol of the ONFI bus: nb_transport_fw(segment) answers TLM_COMPLETED and annotates the
/// delay until the bus is free again; the die sees the segment at that time.
struct OnfiProtocol {
    using tlm_payload_type = Segment;
    using tlm_phase_type = tlm::tlm_phase;
};

/// ONFI command bytes (ONFI 2.3 clause 5, facts.md 1.1).
namespace cmd {
inline constexpr u8 kRead = 0x00, kReadConfirm = 0x30, kReadQueuePlane = 0x32;
inline constexpr u8 kChangeReadColumn = 0x05, kChangeReadColumnEnhanced = 0x06;
inline constexpr u8 kChangeReadColumnConfirm = 0xe0;
inline constexpr u8 kProgram = 0x80, kProgramConfirm = 0x10, kProgramQueuePlane = 0x11;
inline constexpr u8 kErase = 0x60, kEraseConfirm = 0xd0, kEraseQueuePlane = 0xd1;
inline constexpr u8 kReadStatus = 0x70, kReadStatusEnhanced = 0x78;
inline constexpr u8 kReset = 0xff;
} // namespace cmd

/// Status register bits (facts.md 1.2).
namespace status {
inline constexpr u8 kFail = 0x01, kArrayReady = 0x20, kReady = 0x40, kNotProtected = 0x80;
}

} // namespace tlmssd::onfi
