// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: entries of submission and completion queues, as the NVM Express specifications lay them out.
#pragma once

#include <array>

#include "firmware/hal/hal.h"
#include "models/common/types.h"

namespace tlmssd::nvme {

inline constexpr u32 kPageBytes = 4096; ///< of host memory (CC.MPS 0)
inline constexpr u32 kPageSectors = kPageBytes / 512;
inline constexpr u32 kSubmissionBytes = 64;
inline constexpr u32 kCompletionBytes = 16;
inline constexpr u32 kRangeBytes = 16; ///< of a dataset management command
inline constexpr u32 kMaxSectors = 65536; ///< NLB has 16 bits and counts from 0

enum Opcode : u8 { kFlush = 0x00, kWrite = 0x01, kRead = 0x02, kDatasetManagement = 0x09 };

/// Status code types and codes, as bits 24 to 17 and 27 to 25 of DW3 hold them.
enum Status : u16 {
    kSuccess = 0x000,
    kInvalidOpcode = 0x001,
    kInvalidField = 0x002,
    kIdConflict = 0x003,
    kInternalError = 0x006,
    kLbaOutOfRange = 0x080,
    kWriteFault = 0x280,
    kUnrecoveredRead = 0x281,
};

using SubmissionEntry = std::array<u32, kSubmissionBytes / 4>; ///< dwords, CDW0 first
using CompletionEntry = std::array<u32, kCompletionBytes / 4>;

/// The fields of a submission entry that this model uses.
struct Command {
    u8 opcode = 0;
    u16 id = 0; ///< the host's tag
    u64 prp1 = 0;
    u64 prp2 = 0; ///< second page, or the PRP list; 0: neither
    u64 lba = 0;
    u32 sectors = 0; ///< 1 to kMaxSectors; 0 for FLUSH and dataset management
    bool fua = false;
    bool deallocate = false;
};

SubmissionEntry encode(const Command& command);
Command decode(const SubmissionEntry& entry);

struct Completion {
    u16 head = 0; ///< of the submission queue
    u16 queue = 0;
    u16 id = 0;
    bool phase = false;
    u16 status = kSuccess;
};

CompletionEntry encode(const Completion& completion);
Completion decode(const CompletionEntry& entry);

/// The one range of a dataset management command.
struct Range {
    u64 lba = 0;
    u32 sectors = 0;
};
struct RangeEntry {
    std::array<u32, kRangeBytes / 4> dwords;
};
RangeEntry encode(const Range& range);
Range decode(const RangeEntry& entry);

/// Memory pages that `bytes` touch, the first of them at `offset` of a page.
constexpr u32 pages_of(u32 offset, u32 bytes) { return (offset + bytes + kPageBytes - 1) / kPageBytes; }
/// Bytes of the PRP list of such a transfer; 0: the command holds all its pages.
constexpr u32 prp_list_bytes(u32 offset, u32 bytes)
{
    const u32 pages = pages_of(offset, bytes);
    return pages > 2 ? (pages - 1) * 8 : 0;
}

} // namespace tlmssd::nvme
