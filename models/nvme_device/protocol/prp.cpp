// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the walk along PRP entries and lists.
#include "models/nvme_device/protocol/prp.h"

#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kEntryBytes = 8;
constexpr u32 kChunk = 512; ///< entries that are read at once

/// `count` entries of a list page from `at` on, each a memory page of data.
Status add_pages(HostMemoryIf& memory, u64 at, u32 count, u32 page, u32& left, ScatterList& list)
{
    u8 bytes[kChunk * kEntryBytes];
    while (count != 0) {
        const u32 now = std::min(count, kChunk);
        if (!memory.read(at, bytes, now * kEntryBytes)) {
            return kDataTransferError;
        }
        for (u32 i = 0; i < now; ++i) {
            const u64 entry = get64(bytes + i * kEntryBytes);
            if (entry % page != 0) {
                return kInvalidPrpOffset;
            }
            const u32 part = std::min(left, page);
            list.add(entry, part);
            left -= part;
        }
        at += u64{now} * kEntryBytes;
        count -= now;
    }
    return kSuccess;
}

Status walk_lists(HostMemoryIf& memory, u64 at, u32 left, u32 page, ScatterList& list)
{
    if (at % kEntryBytes != 0) {
        return kInvalidPrpOffset;
    }
    for (;;) {
        const u32 fits = (page - static_cast<u32>(at % page)) / kEntryBytes;
        const u32 wanted = (left + page - 1) / page;
        const bool chained = wanted > fits; // the last entry of the page points to the next list
        const u32 count = chained ? fits - 1 : wanted;
        if (const Status status = add_pages(memory, at, count, page, left, list); status != kSuccess) {
            return status;
        }
        if (!chained) {
            return kSuccess;
        }
        u8 pointer[kEntryBytes];
        if (!memory.read(at + u64{count} * kEntryBytes, pointer, kEntryBytes)) {
            return kDataTransferError;
        }
        at = get64(pointer);
        if (at % page != 0) {
            return kInvalidPrpOffset;
        }
    }
}

} // namespace

Status walk_prp(HostMemoryIf& memory, u64 prp1, u64 prp2, u32 bytes, u32 page, ScatterList& list)
{
    list.clear();
    if (prp1 % 4 != 0) {
        return kInvalidPrpOffset;
    }
    const u32 first = std::min(bytes, page - static_cast<u32>(prp1 % page));
    list.add(prp1, first);
    const u32 left = bytes - first;
    if (left == 0) {
        return kSuccess;
    }
    if (left > page) {
        return walk_lists(memory, prp2, left, page, list);
    }
    if (prp2 % page != 0) {
        return kInvalidPrpOffset;
    }
    list.add(prp2, left);
    return kSuccess;
}

} // namespace tlmssd::nvme_device
