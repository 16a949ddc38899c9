// SPDX-License-Identifier: BSD-3-Clause
#include "models/common/huge_heap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tlmssd {
namespace {

/// VmFlags of the mapping that `address` is in, as /proc/self/smaps has them.
std::string flags_of(const void* address)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    bool inside = false;
    while (std::getline(maps, line)) {
        std::uintptr_t from = 0, to = 0;
        char dash = 0;
        std::istringstream words(line);
        if (words >> std::hex >> from >> dash >> to && dash == '-') {
            inside = from <= wanted && wanted < to;
        } else if (inside && line.rfind("VmFlags:", 0) == 0) {
            return line + " ";
        }
    }
    return "";
}

TEST(HugeHeap, AsksForHugePagesUnderWhatIsAllocatedAfterwards)
{
#ifndef __GLIBC__
    GTEST_SKIP() << "the C library is not glibc: the heap is left as it is";
#elif defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the address sanitizer has a heap of its own";
#endif
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
        GTEST_SKIP() << "this kernel has no transparent huge pages";
    }
    use_huge_heap();
    std::vector<std::unique_ptr<char[]>> pieces;
    for (int i = 0; i < 320; ++i) { // 20 MiB: more than what was free before, and 2 MiB of alignment
        pieces.push_back(std::make_unique<char[]>(64 << 10));
    }
    EXPECT_NE(flags_of(pieces.back().get()).find(" hg "), std::string::npos)
        << flags_of(pieces.back().get());
}

} // namespace
} // namespace tlmssd
