// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memory and version of the process.
#include "models/observe/output/process.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace tlmssd::observe {
namespace {

TEST(PeakRss, GrowsByWhatIsTouched)
{
    constexpr std::size_t kBytes = 256u << 20;
    const double before = peak_rss_mib();
    EXPECT_GT(before, 0.5);
    const std::unique_ptr<char[]> block(new char[kBytes]);
    std::memset(block.get(), 1, kBytes);
    volatile char used = block[kBytes - 1];
    static_cast<void>(used);
    const double after = peak_rss_mib();
    EXPECT_GE(after, 256.0);
    EXPECT_LT(after, before + 300.0); // MiB, not KiB or bytes
}

TEST(GitDescribe, NamesSomething) { EXPECT_GT(std::strlen(git_describe()), 0u); }

} // namespace
} // namespace tlmssd::observe
