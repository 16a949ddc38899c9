/* SPDX-License-Identifier: BSD-3-Clause
 * tlmssd: the memory that the simulator and the nbdkit plugin share: requests, their data, and which
 * pages hold data. C11 and C++17. docs/explanation/nbd-server.md
 */
#pragma once

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SERVE_MAGIC 0x54534452u /* "RDST" */
#define SERVE_VERSION 1u

enum { SERVE_SLOTS = 128, SERVE_SLOT_BYTES = 256 * 1024, SERVE_WORDS = SERVE_SLOTS / 64 };

enum serve_opcode { /* 1 to 4 as hal_host_opcode */
    SERVE_READ = 1,
    SERVE_WRITE = 2,
    SERVE_FLUSH = 3,
    SERVE_TRIM = 4, /* whole pages */
    SERVE_ZERO = 5  /* a write of zeros; no data in the slot */
};

enum serve_state {
    SERVE_IDLE = 0,
    SERVE_ASKED = 1,   /* the simulator has it */
    SERVE_AWAITED = 2, /* as ASKED, and a thread sleeps on `state` */
    SERVE_DONE = 3
};

/* One request. The plugin fills it, sets its bit in serve_ring.asked and waits for SERVE_DONE. */
struct serve_slot {
    uint64_t lba;     /* 512-byte sectors */
    uint32_t sectors; /* 0 for FLUSH */
    uint32_t opcode;
    uint32_t fua;
    uint32_t failed; /* the device ended it with an error */
    uint32_t state;  /* serve_state */
    uint32_t reserved[9];
};

struct serve_ring {
    uint32_t magic;
    uint32_t version;
    uint64_t sectors;      /* of the device */
    uint32_t page_sectors; /* a TRIM is of whole pages */
    uint32_t closed;       /* 1: the simulator answers no more */
    uint64_t data_offset;  /* of slot 0's SERVE_SLOT_BYTES */
    uint64_t map_offset;   /* a bit a page: 0: it reads as zeros */
    uint64_t bytes;        /* in all */
    uint32_t ready; /* 1: nbdkit listens */
    uint32_t reserved[3];
    uint32_t sleeping; /* 1: the simulator sleeps on this word */
    uint32_t reserved2[15];
    uint64_t asked[SERVE_WORDS]; /* a bit a slot */
    uint64_t reserved3[8 - SERVE_WORDS];
    struct serve_slot slot[SERVE_SLOTS];
};

static inline unsigned char *serve_data(struct serve_ring *ring, uint32_t slot)
{
    return (unsigned char *)ring + ring->data_offset + (uint64_t)slot * SERVE_SLOT_BYTES;
}

static inline uint64_t *serve_map(struct serve_ring *ring)
{
    return (uint64_t *)(void *)((unsigned char *)ring + ring->map_offset);
}

/* Sleep while *word == value, at most `milliseconds`. */
static inline void serve_sleep(uint32_t *word, uint32_t value, uint32_t milliseconds)
{
    struct timespec limit;
    limit.tv_sec = (time_t)(milliseconds / 1000);
    limit.tv_nsec = (long)(milliseconds % 1000) * 1000000;
    syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

static inline void serve_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
