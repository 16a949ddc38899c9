// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the walk along SGL segments.
#include "models/nvme_device/protocol/sgl.h"

#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

namespace {

enum Type : u8 { kDataBlock = 0, kBitBucket = 1, kSegment = 2, kLastSegment = 3 };

constexpr u32 kChunk = 16; ///< descriptors that are read at once

struct Descriptor {
    u64 address;
    u32 bytes;
    u8 type;
    u8 subtype;
    bool points() const { return type == kSegment || type == kLastSegment; }
};

Descriptor unpack(const u8* at)
{
    return {get64(at), get32(at + 8), static_cast<u8>(at[15] >> 4), static_cast<u8>(at[15] & 15)};
}

struct Walk {
    HostMemoryIf& memory;
    u32 left;
    bool to_host;
    ScatterList& list;
    u32 descriptors = 0;

    void add(const Descriptor& d)
    {
        if (d.type == kBitBucket) {
            if (to_host && d.bytes != 0) {
                list.add_bucket(std::min(d.bytes, left));
                left -= std::min(d.bytes, left);
            }
            return; // of data to the device it takes nothing
        }
        const u32 part = std::min(d.bytes, left);
        list.add(d.address, part);
        left -= part;
    }

    /// The descriptors of a segment. `next`: the one that points on, with type kDataBlock where there is none.
    Status segment(const Descriptor& from, Descriptor& next)
    {
        next.type = kDataBlock;
        const u32 count = from.bytes / kSglDescriptorBytes;
        u8 bytes[kChunk * kSglDescriptorBytes];
        for (u32 i = 0; i < count && left != 0; ++i) {
            if (++descriptors > kMostSglDescriptors) {
                return kInvalidSglCount;
            }
            if (i % kChunk == 0 && !memory.read(from.address + u64{i} * kSglDescriptorBytes, bytes,
                                                std::min(kChunk, count - i) * kSglDescriptorBytes)) {
                return kDataTransferError;
            }
            const Descriptor d = unpack(bytes + i % kChunk * kSglDescriptorBytes);
            if (d.type > kLastSegment || d.subtype != 0) {
                return kInvalidSglType;
            }
            if (!d.points()) {
                add(d);
                continue;
            }
            if (from.type == kLastSegment) {
                return kInvalidSglSegment;
            }
            if (i + 1 != count) {
                return kInvalidSglCount;
            }
            next = d;
        }
        return kSuccess;
    }
};

} // namespace

Status walk_sgl(HostMemoryIf& memory, const u8* descriptor, u32 bytes, bool to_host, ScatterList& list)
{
    list.clear();
    Walk walk{memory, bytes, to_host, list};
    Descriptor d = unpack(descriptor);
    if (d.type > kLastSegment || d.subtype != 0) {
        return kInvalidSglType;
    }
    if (!d.points()) {
        walk.add(d);
    }
    while (d.points()) {
        if (d.bytes == 0 || d.bytes % kSglDescriptorBytes != 0 || d.address % 8 != 0) {
            return kInvalidSglSegment;
        }
        Descriptor next{};
        if (const Status status = walk.segment(d, next); status != kSuccess) {
            return status;
        }
        if (d.type == kSegment && !next.points() && walk.left != 0) {
            return kInvalidSglSegment; // a segment that is not the last one has to point on
        }
        d = next;
    }
    return walk.left == 0 ? kSuccess : kInvalidSglLength;
}

} // namespace tlmssd::nvme_device
