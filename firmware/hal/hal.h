// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: interfaces 1 and 2: all that the firmware sees of the world outside its memory.
//
// A core runs in steps. hal_next_event() hands out, in order, the events that were visible when the
// step began. Every other call is an output: it takes effect at the start of the step plus the
// cycles charged before the call, in call order. Nothing here blocks or fails unless it says so.
// Native: implemented over models/cpu. RISC-V: MMIO, firmware/port/riscv/hal_mmio.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/hal/flash_op.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hal; /* opaque */

enum hal_event_kind {
    HAL_EVENT_NONE = 0,
    HAL_EVENT_HOST_COMMAND, /* a new command; goes to the core that runs hil */
    HAL_EVENT_HOST_DMA,     /* a host transfer has ended: tag, cookie */
    HAL_EVENT_FLASH,        /* a flash operation has ended; goes to the core that runs sched */
    HAL_EVENT_FLASH_SPACE,  /* submit may succeed again after it returned false */
    HAL_EVENT_COPY,         /* a DRAM copy has ended: cookie; goes to the core that runs buffer */
    HAL_EVENT_TIMER,        /* cookie = timer id; goes to the core that runs module number id */
    HAL_EVENT_MESSAGE       /* from another core */
};

enum hal_host_opcode {
    HAL_HOST_READ = 1,
    HAL_HOST_WRITE = 2,
    HAL_HOST_FLUSH = 3, /* all data acknowledged before it is in flash when it completes */
    HAL_HOST_TRIM = 4
};
#define HAL_HOST_FUA 1u /* flag: the write completes only when its data are in flash */
#define HAL_HOST_PRIORITY_SHIFT 1u /* flags bits 2:1: priority, 0 normal to 3 highest */
#define HAL_HOST_PRIORITY_MASK 6u

enum { HAL_HOST_TAGS = 1024 }; /* at most */

enum hal_host_status { HAL_HOST_OK = 0, HAL_HOST_ERROR = 1 };

struct hal_host_command { /* 24 bytes */
    uint64_t lba;         /* first sector (512 B) */
    uint32_t sectors;     /* 1 to 65536; a TRIM up to 4,194,240; 0 for FLUSH */
    uint16_t tag;
    uint8_t opcode; /* hal_host_opcode */
    uint8_t flags;  /* HAL_HOST_FUA, priority */
    uint32_t reserved[2];
};

/* One transfer between a page buffer in DRAM and the host. Transfers of one command are started
   in ascending order of `offset`; the port may interleave those of different commands. */
struct hal_host_dma {
    uint16_t tag;
    uint8_t to_host;  /* 1: DRAM to host (read), 0: host to DRAM (write) */
    uint8_t complete; /* 1: the port completes the command with OK when this transfer has ended */
    uint32_t offset;  /* sectors from the start of the command */
    uint32_t buf;     /* DRAM byte offset of sector 0 of the page buffer */
    uint16_t sector;  /* first sector in the page buffer */
    uint16_t sectors; /* number of sectors */
    uint32_t cookie;  /* returned in HAL_EVENT_HOST_DMA; below HAL_HOST_DMA_ABORTED */
};
/* In the cookie of HAL_EVENT_HOST_DMA: the host's command was aborted before the transfer; nothing or a part
   has been moved. The command goes on as if it had; its completion is not reported. */
#define HAL_HOST_DMA_ABORTED 0x80000000u

struct hal_message { /* 32 bytes that mean something to the firmware only */
    uint32_t word[8];
};

struct hal_event {
    uint16_t kind; /* hal_event_kind */
    uint16_t tag;  /* HOST_DMA */
    uint32_t cookie;
    union {
        struct hal_host_command command;
        struct flash_completion flash;
        struct hal_message message;
    } u;
};

/* Take the next visible event of this core; false: none left in this step. */
bool hal_next_event(struct hal *hal, uint32_t core, struct hal_event *event);

/* Ring the flash doorbell. False, and no effect: ring full; HAL_EVENT_FLASH_SPACE follows. */
bool hal_flash_submit(struct hal *hal, const struct flash_op *op);

void hal_host_transfer(struct hal *hal, const struct hal_host_dma *dma);
void hal_host_complete(struct hal *hal, uint32_t tag, uint32_t status);

/* DRAM engine: for each set bit i of `sectors`, copy sector i of page buffer `src` to `dst`, or
   clear it where src is HAL_COPY_ZERO. HAL_COPY_ZERO_EMPTY does the same and says that `dst` holds
   nothing else: a unit of which only a part is cleared has no data then, where with HAL_COPY_ZERO it
   keeps what its other sectors are. HAL_EVENT_COPY with `cookie` follows. */
#define HAL_COPY_ZERO 0xffffffffu
#define HAL_COPY_ZERO_EMPTY 0xfffffffeu
static inline int hal_copy_clears(uint32_t src) { return src >= HAL_COPY_ZERO_EMPTY; }
void hal_copy(struct hal *hal, uint32_t dst, uint32_t src, uint64_t sectors, uint32_t cookie);

/* One-shot timer `id` (0 to 3, one a module) at simulated time `at_us`; arming again moves it. */
void hal_timer_arm(struct hal *hal, uint32_t id, uint64_t at_us);

/* Send a message to another core. */
void hal_send(struct hal *hal, uint32_t core, const struct hal_message *message);

/* Show a value to waves and timeline. Costs nothing, changes nothing. `id` from probes.def. */
void hal_probe(struct hal *hal, uint32_t id, uint32_t value);

/* The firmware has found an inconsistency in itself; the run ends with status 3. */
void hal_panic(struct hal *hal, uint32_t code, uint32_t detail);

/* Hint that `address` will be needed soon; may do nothing. */
static inline void hal_prefetch(const void *address) { __builtin_prefetch(address); }

#ifdef __cplusplus
}
#endif
