// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memcpy and memset for targets without a C library.
#include "firmware/core/types.h"

#ifndef FW_NATIVE
void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    u8 *d = dst;
    const u8 *s = src;
    while (n--) {
        *d++ = *s++;
    }
    return dst;
}

void *memset(void *dst, int value, size_t n)
{
    u8 *d = dst;
    while (n--) {
        *d++ = (u8)value;
    }
    return dst;
}
#else
typedef int fw_memory_is_libc; /* natively the C library's are linked */
#endif
