// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer in DRAM, as boot/ knows it.
#pragma once

#include "firmware/core/fw.h"

#ifdef __cplusplus
extern "C" {
#endif

u32 fw_buffer_ops(const struct fw_config *cfg);            /* that it has at once, of the pool */
u64 fw_buffer_bytes(const struct fw_config *cfg, u32 ops); /* of its tables; `ops`: size of the pool */
u64 fw_buffer_line_bytes(const struct fw_config *cfg);     /* part of fw_buffer_bytes(): kept about page buffers */
u64 fw_buffer_prefetch_bytes(const struct fw_config *cfg); /* part of fw_buffer_bytes(): the prefetcher's */
bool fw_buffer_boot(struct fw *fw);
bool fw_buffer_idle(const struct fw *fw);
void fw_buffer_message(struct fw *fw, const struct fw_message *message);
void fw_buffer_copy_done(struct fw *fw, u32 cookie);

/* DRAM bytes of this module's page buffers, from offset 0. */
u32 fw_buffer_dram_bytes(const struct fw_config *cfg);

#ifdef __cplusplus
}
#endif
