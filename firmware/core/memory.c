// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memcpy and memset for targets without a C library.
#include "firmware/core/types.h"

#ifndef FW_NATIVE
typedef u32 __attribute__((may_alias)) word;

static bool aligned(uintptr_t x) { return (x & (sizeof(word) - 1)) == 0; }

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    u8 *d = dst;
    const u8 *s = src;
    if (aligned((uintptr_t)d | (uintptr_t)s)) {
        for (; n >= sizeof(word); n -= sizeof(word), d += sizeof(word), s += sizeof(word)) {
            *(word *)d = *(const word *)s;
        }
    }
    while (n--) {
        *d++ = *s++;
    }
    return dst;
}

void *memset(void *dst, int value, size_t n)
{
    u8 *d = dst;
    if (aligned((uintptr_t)d)) {
        const word four = (u8)value * 0x01010101u;
        for (; n >= sizeof(word); n -= sizeof(word), d += sizeof(word)) {
            *(word *)d = four;
        }
    }
    while (n--) {
        *d++ = (u8)value;
    }
    return dst;
}
#else
typedef int fw_memory_is_libc; /* natively the C library's are linked */
#endif
