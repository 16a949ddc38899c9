// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: entries of submission and completion queues, with all their fields.
#pragma once

#include <array>

#include "models/common/types.h"
#include "models/nvme/status.h"

namespace tlmssd::nvme {

inline constexpr u32 kSubmissionBytes = 64;
inline constexpr u32 kCompletionBytes = 16;

enum AdminOpcode : u8 {
    kDeleteSq = 0x00,
    kCreateSq = 0x01,
    kGetLogPage = 0x02,
    kDeleteCq = 0x04,
    kCreateCq = 0x05,
    kIdentify = 0x06,
    kAbort = 0x08,
    kSetFeatures = 0x09,
    kGetFeatures = 0x0a,
    kAsyncEvent = 0x0c,
    kFormatNvm = 0x80,
};

enum IoOpcode : u8 {
    kFlush = 0x00,
    kWrite = 0x01,
    kRead = 0x02,
    kCompare = 0x05,
    kWriteZeroes = 0x08,
    kDatasetManagement = 0x09,
};

/// A submission entry (Base Specification 1.4, figure 104).
struct Submission {
    std::array<u32, kSubmissionBytes / 4> dw{};

    u8 opcode() const { return static_cast<u8>(dw[0]); }
    u32 fuse() const { return dw[0] >> 8 & 3; }
    u32 psdt() const { return dw[0] >> 14 & 3; }
    u16 id() const { return static_cast<u16>(dw[0] >> 16); }
    u32 nsid() const { return dw[1]; }
    u64 prp1() const { return u64{dw[6]} | u64{dw[7]} << 32; }
    u64 prp2() const { return u64{dw[8]} | u64{dw[9]} << 32; }
    void set_prp(u64 first, u64 second)
    {
        dw[6] = static_cast<u32>(first);
        dw[7] = static_cast<u32>(first >> 32);
        dw[8] = static_cast<u32>(second);
        dw[9] = static_cast<u32>(second >> 32);
    }
    u64 lba() const { return u64{dw[10]} | u64{dw[11]} << 32; }
};

Submission unpack_submission(const u8* bytes);
void pack(const Submission& submission, u8* bytes);

/// A completion entry; `status` with kMore and kDoNotRetry.
struct Completion {
    u32 result = 0; ///< dword 0
    u16 sq_head = 0;
    u16 sq = 0;
    u16 id = 0;
    u16 status = kSuccess;
};

void pack(const Completion& completion, bool phase, u8* bytes);
/// The phase of an entry, and its fields.
bool unpack(const u8* bytes, Completion& completion);

/// The range of a Dataset Management command; sectors of 512 bytes.
inline constexpr u32 kRangeBytes = 16;
void pack_range(u64 lba, u32 sectors, u8* bytes);

} // namespace tlmssd::nvme
