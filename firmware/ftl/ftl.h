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

/* DRAM bytes behind the last page buffer of this room, which starts at fw_buffer_end(). */
u32 fw_ftl_buffer_bytes(const struct fw_config *cfg);
