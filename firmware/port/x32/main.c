// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware for the machine that simulates, with 32-bit pointers: its memory has the layout of the RV32
// image's, so that it can take that image's place (docs/explanation/iss-handover.md).
#include "firmware/boot/firmware.h"
#include "firmware/boot/x32_image.h"

struct fw firmware;
struct hal hal;
struct x32_boot_block boot_block;

u32 x32_boot(void)
{
    const struct x32_boot_block *b = &boot_block;
    if (!fw_boot_with(&firmware, &b->config, &hal, (u8 *)b->arena, b->arena_bytes, (u8 *)b->fast, FW_FAST_BYTES)) {
        return 0;
    }
    firmware.oob = (u8 *)b->oob; /* as the RV32 image: records and table pages are where the flash DMA is */
    if (fw_table_place(&firmware)) {
        *fw_table_place(&firmware) = (u8 *)b->tables;
    }
    return 1;
}

u32 x32_step(u32 core, u64 now_us)
{
    fw_step(&firmware, core, now_us);
    return 0;
}

u32 x32_idle(void) { return fw_idle(&firmware); }

u32 x32_clear_stats(void)
{
    firmware.stats = (struct fw_stats){.factory_bad = firmware.stats.factory_bad};
    return 0;
}
