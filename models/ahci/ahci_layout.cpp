// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: structures of AHCI in memory (docs/explanation/ahci.md).
#include "models/ahci/ahci_layout.h"

namespace tlmssd::ahci {

CommandHeader unpack_header(const u8* bytes)
{
    const u32 flags = get32(bytes);
    CommandHeader header;
    header.cfis_dwords = flags & 0x1f;
    header.atapi = flags >> 5 & 1;
    header.write = flags >> 6 & 1;
    header.prefetch = flags >> 7 & 1;
    header.reset = flags >> 8 & 1;
    header.bist = flags >> 9 & 1;
    header.clear_busy = flags >> 10 & 1;
    header.port = flags >> 12 & 0xf;
    header.prds = flags >> 16;
    header.prdbc = get32(bytes + kPrdbcAt);
    header.table = (u64{get32(bytes + 12)} << 32 | get32(bytes + 8)) & ~u64{0x7f};
    return header;
}

Prd unpack_prd(const u8* bytes)
{
    const u32 count = get32(bytes + 12);
    Prd prd;
    prd.address = (u64{get32(bytes + 4)} << 32 | get32(bytes)) & ~u64{1};
    prd.bytes = ((count & 0x3fffff) | 1) + 1;
    prd.interrupt = count >> 31;
    return prd;
}

} // namespace tlmssd::ahci
