// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sectors that are lost because a partial page could not be completed from flash.
//
// A page that was written in part is completed from flash before it is programmed. Where that read
// fails, the sectors that the host did not write are gone for good, while those that it wrote must be
// kept. A bit a sector, consulted only while there is a page with lost sectors, makes reads of them
// end with an error until they are written or trimmed.
#include "firmware/buffer/lines.h"

static u32 bytes_per_page(const struct fw_config *cfg) { return (fw_unit_bytes(cfg) / 512 + 7) / 8; }

u64 lost_table_bytes(const struct fw_config *cfg)
{
    return (u64)cfg->logical_pages * bytes_per_page(cfg) + 64;
}

bool lost_boot(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    b->lost_bytes = bytes_per_page(&fw->cfg);
    b->lost = fw_table(fw, (u64)fw->cfg.logical_pages * b->lost_bytes, 1);
    return b->lost != 0;
}

u64 lost_get(const struct fw_buffer *b, u32 lpn)
{
    const u8 *bytes = &b->lost[(u64)lpn * b->lost_bytes];
    u64 sectors = 0;
    for (u32 i = 0; i < b->lost_bytes; ++i) {
        sectors |= (u64)bytes[i] << (8 * i);
    }
    return sectors;
}

void lost_set(struct fw_buffer *b, u32 lpn, u64 sectors)
{
    u8 *bytes = &b->lost[(u64)lpn * b->lost_bytes];
    b->lost_pages += (u32)(sectors != 0) - (u32)(lost_get(b, lpn) != 0);
    for (u32 i = 0; i < b->lost_bytes; ++i) {
        bytes[i] = (u8)(sectors >> (8 * i));
    }
}
