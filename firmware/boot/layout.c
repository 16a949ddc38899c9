// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the map of DRAM.
#include "firmware/boot/layout.h"

#include "firmware/buffer/buffer.h"
#include "firmware/ftl/ftl.h"

u32 fw_gc_base(const struct fw_config *cfg) { return fw_buffer_dram_bytes(cfg); }

u64 fw_page_buffer_bytes(const struct fw_config *cfg) { return (u64)fw_gc_base(cfg) + fw_ftl_dram_bytes(cfg); }

u32 fw_table_bytes(const struct fw_config *cfg) { return fw_ftl_table_bytes(cfg); }

u8 *fw_table_pages(const struct fw *fw)
{
    u8 *const *place = fw_ftl_table_place(fw);
    return place ? *place : 0;
}

u8 **fw_table_place(const struct fw *fw) { return fw_ftl_table_place(fw); }
