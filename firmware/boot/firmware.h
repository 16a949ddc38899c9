// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware for those outside: boot, the step, questions.
#pragma once

#include "firmware/boot/layout.h"
#include "firmware/core/fw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of zeroed memory that fw_boot() needs for `cfg`. */
u64 fw_arena_bytes(const struct fw_config *cfg);

/* Part of fw_arena_bytes(): what is kept about page buffers (buffer.tables_inside), and by the prefetcher. */
u64 fw_line_table_bytes(const struct fw_config *cfg);
u64 fw_prefetch_table_bytes(const struct fw_config *cfg);

/* Lay out all tables in `arena` (zeroed, 64-byte aligned). Returns false where it is too small. */
bool fw_boot(struct fw *fw, const struct fw_config *cfg, struct hal *hal, void *arena, u64 bytes);

/* The same with `fast_bytes` of memory without wait states for what is used most (zeroed, 64-byte
   aligned); what does not fit goes to the arena. */
bool fw_boot_with(struct fw *fw, const struct fw_config *cfg, struct hal *hal, void *arena, u64 bytes,
                  void *fast, u64 fast_bytes);

/* One step of one core: take every visible event, run all messages that follow, return. */
void fw_step(struct fw *fw, u32 core, u64 now_us);

/* Prefetch what a command will need; native only, no effect on results. */
void fw_hint_command(const struct fw *fw, u64 lba);
void fw_hint_completion(const struct fw *fw, u32 tag);

/* At boot, before the first command: a block of die `die` (over the device) is bad from the factory
   and is never used. The same as FW_MSG_MARK_BAD. */
void fw_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block);

/* Native only, before the first command. As if `commands` sequential writes from LPN 0 on had filled the first
   `turns` pages of each plane, and the buffer were empty. The caller leaves free blocks, so that GC
   does not begin. False, and nothing has changed: the FTL does not write in order. */
bool fw_fill(struct fw *fw, u32 turns, u32 commands);

/* No mount is running: commands may come. */
bool fw_mounted(const struct fw *fw);

/* True when no command, operation or message is inside. */
bool fw_idle(const struct fw *fw);

/* The value `id` (enum mmio_shown of hal/mmio.h), for those who look at it between steps; null: there is none. */
u32 *fw_shown(const struct fw *fw, u32 id);

/* The FTL's block table, of one layout on all CPUs. */
void *fw_blocks(const struct fw *fw, u64 *bytes);

/* Blocks of the device that hold no data and can be written: of fw_blocks(), so of the same moment. */
u64 fw_free_blocks(const struct fw *fw);

/* Smallest, largest, sum and sum of squares of the blocks' erase counts. */
void fw_wear(const struct fw *fw, u32 *least, u32 *most, u64 *sum, u64 *sum_of_squares);

#ifdef __cplusplus
}
#endif
