// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the heap on huge pages: glibc's is one region that grows at its end.
#include "models/common/huge_heap.h"

#include <cstdlib> // defines __GLIBC__ where it is

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace tlmssd {

void use_huge_heap()
{
#ifdef __GLIBC__
    constexpr std::uintptr_t kHugePage = 2u << 20;
    constexpr int kReserve = 64 << 20;        // address space; memory comes when it is touched
    constexpr int kLargest = 1 << 20;         // what is larger gets a mapping of its own
    constexpr std::size_t kLittle = 64 << 10;
    const auto top = [] { return reinterpret_cast<std::uintptr_t>(::sbrk(0)); };
    const std::uintptr_t before = top();
    // The next allocation that does not fit moves the end by so much at once, and it stays there.
    ::mallopt(M_TOP_PAD, kReserve);
    ::mallopt(M_TRIM_THRESHOLD, 2 * kReserve);
    ::mallopt(M_MMAP_THRESHOLD, kLargest);
    void* volatile beyond_the_end = std::malloc(::mallinfo2().keepcost + kLittle);
    std::free(beyond_the_end);
    const std::uintptr_t from = (before + kHugePage - 1) & ~(kHugePage - 1);
    const std::uintptr_t to = top() & ~(kHugePage - 1);
    if (from < to) {
        ::madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
    }
#endif
}

} // namespace tlmssd
