// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the x32 image and its host share. Addresses are of the process.
#pragma once

#include "firmware/core/config.h"

enum { X32_BASE = 0x30000000 }; /* where the image is linked */

/* The first argument of each function of hal.h. */
struct hal {
    uint64_t host;
};

/* The host fills it before x32_boot(). */
struct x32_boot_block {
    struct fw_config config;
    uint32_t arena; /* 64-byte aligned, zeroed */
    uint32_t arena_bytes;
    uint32_t fast;   /* FW_FAST_BYTES of them */
    uint32_t oob;    /* OOB records of the flash tags */
    uint32_t tables; /* the FTL's own pages */
};

/* Functions and objects of the image, found by name: firmware, hal, boot_block; cross_in, host_calls, host_failed
   (cross.S); x32_boot, which gives 0 where memory is short; x32_step(core, now_us); x32_idle;
   x32_clear_stats, which leaves factory_bad. */
