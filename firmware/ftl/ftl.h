// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: flash translation layer: page map, allocation order, write points, garbage collection.
#pragma once

#include "firmware/core/fw.h"
#include "firmware/core/op.h"

u32 fw_ftl_ops(const struct fw_config *cfg);            /* that it has at once, of the pool */
u64 fw_ftl_bytes(const struct fw_config *cfg, u32 ops); /* of its tables; `ops`: size of the pool */
bool fw_ftl_boot(struct fw *fw);
bool fw_ftl_idle(const struct fw *fw);
void fw_ftl_message(struct fw *fw, const struct fw_message *message);

/* DRAM bytes of GC's page buffers, one for each plane; they begin at fw->gc_base. */
u32 fw_ftl_dram_bytes(const struct fw_config *cfg);

/* DRAM bytes of the FTL's own pages, which begin at fw_table_base(); 0: there are none. */
u32 fw_ftl_table_bytes(const struct fw_config *cfg);
u8 **fw_ftl_table_place(const struct fw *fw); /* where their address is kept; null: there are none */

/* For boot/firmware.h, which says what they do. */
bool fw_ftl_mounted(const struct fw *fw);
void fw_ftl_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block);
u64 fw_ftl_free_blocks(const struct fw *fw);
void fw_ftl_wear(const struct fw *fw, u32 *least, u32 *most, u64 *sum, u64 *sum_of_squares);
/* Native only: the first `turns` pages of each plane, in all; 0: the FTL is in use, or would not write them in order. */
u64 fw_ftl_fillable(const struct fw *fw, u32 turns);
void fw_ftl_fill(struct fw *fw, u32 turns); /* native only: they hold the LPNs from 0 on */
void fw_ftl_hint(const struct fw *fw, u64 lba);
void fw_ftl_hint_page(const struct fw *fw, u32 lpn);
