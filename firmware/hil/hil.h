// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host interface layer: commands in, pages out, transfers started in order.
#pragma once

#include "firmware/core/fw.h"

u32 fw_hil_ops(const struct fw_config *cfg);            /* that it has at once, of the pool */
u64 fw_hil_bytes(const struct fw_config *cfg, u32 ops); /* of its tables; `ops`: size of the pool */
bool fw_hil_boot(struct fw *fw);
bool fw_hil_idle(const struct fw *fw);
void fw_hil_command(struct fw *fw, const struct hal_host_command *command);
void fw_hil_pass(struct fw *fw, u32 commands); /* native only: they count as begun and ended */
void fw_hil_dma_done(struct fw *fw, u32 tag, u32 cookie);
void fw_hil_message(struct fw *fw, const struct fw_message *message);
