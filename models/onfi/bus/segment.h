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

/// The content of a data burst: integrity tags, OOB bytes, register bytes, real bytes where wanted.
struct DataCells {
    static constexpr u32 kMaxCodewords = 128;

    std::array<UnitTag, 16> tags{}; ///< page data; tags[0] is the unit at the burst's first column
    std::array<u8, 16> oob{};       ///< valid where the burst covers the OOB column
    std::array<u8, 16> bytes{};     ///< status, ID, features: the first 16 register bytes
    /// Not null: space for data_bytes real bytes of the burst (`data: full`; parameter page). Out:
    /// the die fills it; in: the die takes page bytes from it. Null: tags and `bytes` alone.
    u8* page = nullptr;
    /// Raw bit errors of a burst out, one entry a codeword of Geometry::codeword_bytes() that the
    /// burst touches, from the codeword at its first column on. Valid: the first `codewords`;
    /// 0 where the part has no errors.
    u32 codewords = 0;
    std::array<u16, kMaxCodewords> bit_errors{};
};

struct BusTiming;

/// One uninterrupted use of the bus: command and address cycles, an optional data burst, then
/// optional closing cycles (10h after data). Owned by the master, alive until its end is reported.
struct Segment {
    static constexpr u32 kMaxCycles = 40;
    static constexpr u32 kNoOwner = 0xffffffff;

    u32 ce = 0;                         ///< target on this channel
    u8 lead = 0;                        ///< cycles before the burst
    u8 trail = 0;                       ///< cycles after the burst
    DataDirection direction = DataDirection::None;
    u32 data_bytes = 0;                 ///< bytes of the burst on the bus, parity included
    DataCells* data = nullptr;          ///< not null where direction is not None
    /// The burst carries register bytes (status, ID, features) on DQ[7:0]: one byte a strobe
    /// also on a x16 bus, and each byte twice on a DDR one.
    bool narrow = false;
    u32 owner = kNoOwner;               ///< for observers only: whose segment it is
    std::array<u8, kMaxCycles> bytes{}; ///< lead + trail cycles
    u64 command_mask = 0;               ///< bit i: bytes[i] is a command cycle, else an address
    Picoseconds start;                  ///< set by the channel: CE# falls
    Picoseconds end;                    ///< set by the channel
    const BusTiming* timing = nullptr;  ///< set by the channel: how the cycles are driven

    void clear()
    {
        lead = trail = 0;
        direction = DataDirection::None;
        data_bytes = 0;
        data = nullptr;
        narrow = false;
        owner = kNoOwner;
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

/// ONFI command bytes (ONFI 2.3 and 3.1 clause 5; docs/reference/onfi-facts.md, "Commands"). Suspend and resume
/// are Micron's, from memory.
namespace cmd {
inline constexpr u8 kRead = 0x00, kReadConfirm = 0x30, kReadQueuePlane = 0x32;
inline constexpr u8 kReadCacheRandom = 0x31;     ///< after 00h C2R3; alone: sequential
inline constexpr u8 kReadCacheSequential = 0x31, kReadCacheEnd = 0x3f;
inline constexpr u8 kCopybackReadConfirm = 0x35; ///< after 00h C2R3
inline constexpr u8 kChangeReadColumn = 0x05, kChangeReadColumnEnhanced = 0x06;
inline constexpr u8 kChangeReadColumnConfirm = 0xe0;
inline constexpr u8 kProgram = 0x80, kProgramConfirm = 0x10, kProgramQueuePlane = 0x11;
inline constexpr u8 kProgramCacheConfirm = 0x15;
inline constexpr u8 kChangeWriteColumn = 0x85;   ///< C2: column; C2R3: row address too, or copyback
inline constexpr u8 kErase = 0x60, kEraseConfirm = 0xd0, kEraseQueuePlane = 0xd1;
inline constexpr u8 kReadStatus = 0x70, kReadStatusEnhanced = 0x78;
inline constexpr u8 kReadId = 0x90, kReadParameterPage = 0xec, kReadUniqueId = 0xed;
inline constexpr u8 kGetFeatures = 0xee, kSetFeatures = 0xef;
inline constexpr u8 kLunGetFeatures = 0xd4, kLunSetFeatures = 0xd5; ///< LUN, feature: 2 addresses
inline constexpr u8 kReset = 0xff, kSynchronousReset = 0xfc, kResetLun = 0xfa;
inline constexpr u8 kProgramSuspend = 0x84, kProgramResume = 0x13; ///< each followed by R3
inline constexpr u8 kEraseSuspend = 0x61, kEraseResume = 0xd2;     ///< each followed by R3
} // namespace cmd

/// Status register bits (docs/reference/onfi-facts.md). R/B# follows kReady.
namespace status {
inline constexpr u8 kFail = 0x01;         ///< the last operation; valid with kArrayReady
inline constexpr u8 kFailPrevious = 0x02; ///< FAILC: the one before it, in cache programming
inline constexpr u8 kSuspended = 0x04;    ///< a program or erase is suspended (vendor bit, chosen here)
inline constexpr u8 kArrayReady = 0x20, kReady = 0x40;
inline constexpr u8 kNotProtected = 0x80; ///< WP# is high
} // namespace status

/// Feature addresses (docs/reference/onfi-facts.md).
namespace feature {
inline constexpr u8 kTimingMode = 0x01; ///< P1: bits 3:0 mode, 5:4 interface, bit 6 program clear
inline constexpr u8 kDriveStrength = 0x10;
inline constexpr u8 kReadRetry = 0x89;  ///< P1: level, 0 is the hard read (Micron)
inline constexpr u8 kProgramClear = 0x40; ///< bit of P1 of kTimingMode: 80h spares other LUNs' registers
} // namespace feature

} // namespace tlmssd::onfi
