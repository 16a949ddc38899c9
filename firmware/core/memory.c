// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memcpy and memset for targets without a C library.
#include "firmware/core/types.h"

#ifndef FW_NATIVE
typedef u32 __attribute__((may_alias)) word;

static bool aligned(uintptr_t x) { return (x & (sizeof(word) - 1)) == 0; }

__attribute__((used)) void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    u8 *d = dst;
    const u8 *s = src;
    if (aligned((uintptr_t)d | (uintptr_t)s)) {
        for (; n >= 4 * sizeof(word); n -= 4 * sizeof(word), d += 4 * sizeof(word), s += 4 * sizeof(word)) {
            const word *from = (const word *)s;
            word *to = (word *)d;
            const word a = from[0], b = from[1], c = from[2], e = from[3];
            to[0] = a;
            to[1] = b;
            to[2] = c;
            to[3] = e;
        }
        for (; n >= sizeof(word); n -= sizeof(word), d += sizeof(word), s += sizeof(word)) {
            *(word *)d = *(const word *)s;
        }
    }
    while (n--) {
        *d++ = *s++;
    }
    return dst;
}

__attribute__((used)) void *memset(void *dst, int value, size_t n)
{
    u8 *d = dst;
    if (aligned((uintptr_t)d)) {
        const word four = (u8)value * 0x01010101u;
        for (; n >= 4 * sizeof(word); n -= 4 * sizeof(word), d += 4 * sizeof(word)) {
            word *to = (word *)d;
            to[0] = to[1] = to[2] = to[3] = four;
        }
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
