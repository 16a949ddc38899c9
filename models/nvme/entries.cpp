// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NVMe queue entries as bytes.
#include "models/nvme/entries.h"

#include "models/nvme/bytes.h"

namespace tlmssd::nvme {

Submission unpack_submission(const u8* bytes)
{
    Submission s;
    for (u32 i = 0; i < s.dw.size(); ++i) {
        s.dw[i] = get32(bytes + 4 * i);
    }
    return s;
}

void pack(const Submission& s, u8* bytes)
{
    for (u32 i = 0; i < s.dw.size(); ++i) {
        put32(bytes + 4 * i, s.dw[i]);
    }
}

void pack(const Completion& c, bool phase, u8* bytes)
{
    put32(bytes, c.result);
    put32(bytes + 4, 0);
    put16(bytes + 8, c.sq_head);
    put16(bytes + 10, c.sq);
    put16(bytes + 12, c.id);
    put16(bytes + 14, u32{phase} | u32{c.status} << 1);
}

bool unpack(const u8* bytes, Completion& c)
{
    c.result = get32(bytes);
    c.sq_head = get16(bytes + 8);
    c.sq = get16(bytes + 10);
    c.id = get16(bytes + 12);
    const u32 word = get16(bytes + 14);
    c.status = static_cast<u16>(word >> 1);
    return word & 1;
}

void pack_range(u64 lba, u32 sectors, u8* bytes)
{
    put32(bytes, 0); // no context attributes
    put32(bytes + 4, sectors);
    put64(bytes + 8, lba);
}

} // namespace tlmssd::nvme
