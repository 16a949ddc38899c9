// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the two C files of the RISC-V port share.
#pragma once

#include "firmware/hal/mmio.h"

/* Ring positions; those that the hardware owns are read from its registers. */
struct hal {
    uint32_t event_head[MMIO_MAX_CORES];
    uint32_t flash_tail, dma_tail, copy_tail, send_tail;
};

/* Sleep until the next step. */
static inline void port_wait(void) { __asm__ volatile("wfi" ::: "memory"); }
