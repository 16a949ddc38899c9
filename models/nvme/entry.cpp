// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: layout of NVMe queue entries.
#include "models/nvme/entry.h"

namespace tlmssd::nvme {

namespace {

constexpr u32 kNamespace = 1;
constexpr u32 kFuaBit = 30;       // of CDW12
constexpr u32 kDeallocateBit = 2; // of CDW11

constexpr u32 low(u64 value) { return static_cast<u32>(value); }
constexpr u32 high(u64 value) { return static_cast<u32>(value >> 32); }
constexpr u64 join(u32 low, u32 high) { return u64{high} << 32 | low; }

} // namespace

SubmissionEntry encode(const Command& c)
{
    SubmissionEntry e{};
    e[0] = c.opcode | u32{c.id} << 16;
    e[1] = kNamespace;
    e[6] = low(c.prp1);
    e[7] = high(c.prp1);
    e[8] = low(c.prp2);
    e[9] = high(c.prp2);
    if (c.opcode == kRead || c.opcode == kWrite) {
        e[10] = low(c.lba);
        e[11] = high(c.lba);
        e[12] = (c.sectors - 1) | u32{c.fua} << kFuaBit;
    } else if (c.opcode == kDatasetManagement) {
        e[10] = 0; // number of ranges, from 0
        e[11] = u32{c.deallocate} << kDeallocateBit;
    }
    return e;
}

Command decode(const SubmissionEntry& e)
{
    Command c;
    c.opcode = static_cast<u8>(e[0]);
    c.id = static_cast<u16>(e[0] >> 16);
    c.prp1 = join(e[6], e[7]);
    c.prp2 = join(e[8], e[9]);
    if (c.opcode == kRead || c.opcode == kWrite) {
        c.lba = join(e[10], e[11]);
        c.sectors = (e[12] & 0xffff) + 1;
        c.fua = e[12] >> kFuaBit & 1;
    } else if (c.opcode == kDatasetManagement) {
        c.deallocate = e[11] >> kDeallocateBit & 1;
    }
    return c;
}

CompletionEntry encode(const Completion& c)
{
    return {0, 0, c.head | u32{c.queue} << 16, c.id | u32{c.phase} << 16 | u32{c.status} << 17};
}

Completion decode(const CompletionEntry& e)
{
    Completion c;
    c.head = static_cast<u16>(e[2]);
    c.queue = static_cast<u16>(e[2] >> 16);
    c.id = static_cast<u16>(e[3]);
    c.phase = e[3] >> 16 & 1;
    c.status = static_cast<u16>(e[3] >> 17 & 0x7ff);
    return c;
}

RangeEntry encode(const Range& range) { return {{0, range.sectors, low(range.lba), high(range.lba)}}; }

Range decode(const RangeEntry& entry) { return {join(entry.dwords[2], entry.dwords[3]), entry.dwords[1]}; }

} // namespace tlmssd::nvme
