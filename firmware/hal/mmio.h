// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memory map, registers and rings of the RISC-V port; C and C++ read the same file.
//
// docs/reference/rv32-interface.md describes the protocol in words. All values are little endian; registers are 32 bits
// wide and are read and written as whole words. Start-up code and linker script read the numbers too
// (hence no suffixes).
#pragma once

#ifndef __ASSEMBLER__
#include <stdint.h>

#include "firmware/hal/hal.h"
#endif

/* ---- memory map (docs/explanation/contracts.md 1) ---- */
#define MMIO_ITCM_BASE 0x00000000
#define MMIO_ITCM_BYTES 0x00028000
#define MMIO_DTCM_BASE 0x10000000
#define MMIO_DTCM_BYTES 0x00040000
#define MMIO_REGS_BASE 0x40000000
#define MMIO_REGS_BYTES 0x00001000
#define MMIO_DRAM_BASE 0x80000000 /* DRAM byte offset 0 */

/* ---- DTCM ---- */
#define MMIO_BOOT_BLOCK 0x10000000  /* struct mmio_boot_block, written by the host before reset */
#define MMIO_EVENT_RINGS 0x10001000 /* one ring of 64-byte entries per core */
#define MMIO_FLASH_RING 0x10002000  /* struct flash_op */
#define MMIO_DMA_RING 0x10006000    /* struct hal_host_dma in 32-byte entries */
#define MMIO_COPY_RING 0x10006800   /* struct mmio_copy in 32-byte entries */
#define MMIO_SEND_RING 0x10007000   /* struct mmio_send in 64-byte entries */
#define MMIO_DATA 0x10008000        /* .data and .bss, to MMIO_STACK_GUARD */
#define MMIO_STACK_GUARD 0x1000b000 /* 4 KiB without memory: an overflow of the stack is a fault */
#define MMIO_STACK 0x1000c000       /* to MMIO_TABLES, grows downward */
#define MMIO_TABLES 0x10010000      /* the firmware's hot tables, to the end of DTCM */

#define MMIO_MAX_CORES 4
#define MMIO_CORE_IDLE 0xff /* CORE of a step that is a question: 1 to IDLE if nothing is inside */
#define MMIO_EVENT_ENTRIES 16 /* all ring sizes are powers of two */
#define MMIO_EVENT_BYTES 64
#define MMIO_FLASH_ENTRIES 256
#define MMIO_FLASH_BYTES 64
#define MMIO_DMA_ENTRIES 64
#define MMIO_DMA_BYTES 32
#define MMIO_COPY_ENTRIES 64
#define MMIO_COPY_BYTES 32
#define MMIO_SEND_ENTRIES 64
#define MMIO_SEND_BYTES 64

/* ---- registers: offsets from MMIO_REGS_BASE. Heads and tails count entries and never wrap at the
   ring's size; the entry is at (count modulo ring size). ---- */
#define MMIO_REG_CORE 0x000          /* R: number of the core that runs this step */
#define MMIO_REG_NOW_LOW 0x004       /* R: simulated time at the step's start in us */
#define MMIO_REG_NOW_HIGH 0x008      /* R */
#define MMIO_REG_STATUS 0x00c        /* W: enum mmio_status, once, at boot */
#define MMIO_REG_IDLE 0x010          /* W: answer to a step of MMIO_CORE_IDLE */
#define MMIO_REG_EVENT_TAIL 0x020    /* R: + 4 * core: events that the core can see */
#define MMIO_REG_EVENT_HEAD 0x030    /* W: + 4 * core: events that the core has taken */
#define MMIO_REG_FLASH_TAIL 0x040    /* W: doorbell; R: descriptors accepted */
#define MMIO_REG_DMA_TAIL 0x044      /* W: doorbell */
#define MMIO_REG_COPY_TAIL 0x048     /* W: doorbell */
#define MMIO_REG_SEND_TAIL 0x04c     /* W: doorbell */
#define MMIO_REG_HOST_COMPLETE 0x050 /* W: tag | status << 16 */
#define MMIO_REG_TIMER_LOW 0x054     /* W: expiry in us */
#define MMIO_REG_TIMER_HIGH 0x058    /* W */
#define MMIO_REG_TIMER_ARM 0x05c     /* W: id; arms timer `id` at TIMER_HIGH:TIMER_LOW */
#define MMIO_REG_PROBE_ID 0x060      /* W */
#define MMIO_REG_PROBE_VALUE 0x064   /* W: shows the value under PROBE_ID */
#define MMIO_REG_PANIC_DETAIL 0x070  /* W */
#define MMIO_REG_PANIC_CODE 0x074    /* W: the firmware has stopped for good */
#define MMIO_REG_TRAP_TVAL 0x080     /* W: mtval */
#define MMIO_REG_TRAP_PC 0x084       /* W: mepc */
#define MMIO_REG_TRAP_CAUSE 0x088    /* W: mcause; the CPU has stopped for good */

#ifndef __ASSEMBLER__

enum mmio_status {
    MMIO_STATUS_RESET = 0,
    MMIO_STATUS_READY = 1,         /* booted, waiting for the first step */
    MMIO_STATUS_BAD_BOOT_BLOCK = 2, /* magic or size differ: image and host are of different versions */
    MMIO_STATUS_NO_MEMORY = 3      /* the arena is too small */
};

#define MMIO_BOOT_MAGIC 0x32424d54 /* "TMB2" */

/* Values that the host shows after each step: struct mmio_boot_block says where they are. */
enum mmio_shown {
    MMIO_SHOWN_QUEUED = 0, /* operations in the scheduler that are not submitted */
    MMIO_SHOWN_TAGS_FREE,
    MMIO_SHOWN_IN_FLIGHT,  /* descriptors */
    MMIO_SHOWN_BUFFER_FREE,
    MMIO_SHOWN_BUFFER_DIRTY,
    MMIO_SHOWN_COUNT
};

/* The block that the host leaves at MMIO_BOOT_BLOCK; `struct fw_config` of firmware/core/config.h follows it. */
struct mmio_boot_block {
    uint32_t magic;
    uint32_t config_bytes; /* sizeof(struct fw_config) */
    uint32_t arena_offset; /* DRAM byte offset of the firmware's tables; 64-byte aligned, zeroed */
    uint32_t arena_bytes;
    /* Out, valid with MMIO_STATUS_READY. */
    uint32_t arena_used;    /* bytes of the arena in use */
    uint32_t stats_address; /* struct fw_stats */
    uint32_t module_address;  /* u32: the module that runs */
    uint32_t probing_address; /* u32: probes that are wanted; the host may write it between steps */
    uint32_t blocks_address; /* the FTL's block table, of the same layout as natively */
    uint32_t blocks_bytes;
    uint32_t shown_address[MMIO_SHOWN_COUNT]; /* u32 each */
    uint32_t reserved;
};

struct mmio_copy { /* arguments of hal_copy */
    uint64_t sectors;
    uint32_t dst, src;
    uint32_t cookie;
    uint32_t reserved[3];
};

struct mmio_send { /* arguments of hal_send */
    struct hal_message message;
    uint32_t core;
    uint32_t reserved[7];
};

#ifdef __cplusplus
static_assert(sizeof(mmio_boot_block) == 64, "mmio.h");
static_assert(sizeof(mmio_copy) == MMIO_COPY_BYTES, "mmio.h");
static_assert(sizeof(mmio_send) == MMIO_SEND_BYTES, "mmio.h");
static_assert(sizeof(hal_event) == 40, "hal.h: one layout on lp64 and ilp32");
static_assert(sizeof(struct hal_host_dma) == 20, "hal.h: one layout on lp64 and ilp32");
#else
_Static_assert(sizeof(struct mmio_boot_block) == 64, "mmio.h");
_Static_assert(sizeof(struct mmio_copy) == MMIO_COPY_BYTES, "mmio.h");
_Static_assert(sizeof(struct mmio_send) == MMIO_SEND_BYTES, "mmio.h");
_Static_assert(sizeof(struct hal_event) == 40, "hal.h: one layout on lp64 and ilp32");
_Static_assert(sizeof(struct hal_host_dma) == 20, "hal.h: one layout on lp64 and ilp32");
#endif

#endif /* __ASSEMBLER__ */
