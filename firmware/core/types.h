// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: short names of the fixed-width types and the few helpers that every module uses.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;

/* A function that a small CPU calls rather than inlines: its caller then saves fewer registers, and
   cycles by function show it. */
#ifdef FW_NATIVE
#define FW_INLINE static inline
#define FW_APART
#define FW_COLD
#else
#define FW_INLINE __attribute__((always_inline)) static inline /* in a header: short, and in every hot path */
#define FW_APART __attribute__((noinline))
#define FW_COLD __attribute__((noinline, cold)) /* seldom called: small rather than fast */
#endif

#define FW_NONE 0xffffffffu /* "no index" in every table */

#ifndef __cplusplus
/* Freestanding: the compiler may call these two. */
void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memset(void *dst, int value, size_t n);
#endif

static inline u32 fw_min_u32(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 fw_max_u32(u32 a, u32 b) { return a > b ? a : b; }

/* `n` ones from bit `first`; n is 1 to 64. */
static inline u64 fw_mask(u32 first, u32 n)
{
    if (sizeof(void *) < sizeof(u64) && first + n <= 32) { /* shifts of 64 bits are long there */
        return (~(u32)0 >> (32 - n)) << first;
    }
    return (~(u64)0 >> (64 - n)) << first;
}

/* Singly linked FIFO of table indices; the links live in the tables. */
struct fw_fifo {
    u32 head, tail;
};
