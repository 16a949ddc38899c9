// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: no heap allocation per I/O in steady state, on either host port.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tb/host/rig.h"

namespace {
unsigned long long allocations = 0;
}

// Not inlined: GCC 12 takes an inlined pair for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size)
{
    ++allocations;
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace tlmssd::tb {
namespace {

class SteadyState : public KernelTest {
protected:
    static void check(bool sata)
    {
        Rig rig(small_config(32, config::LoopMode::Closed), sata, nanoseconds(500));
        rig.firmware.latency = [](u64) { return microseconds(30); };
        for (u32 i = 0; i < 20000; ++i) {
            const u32 sectors = i % 3 ? 8 : 256;
            rig.source.list.push_back(
                request(i % 5 < 2 ? Kind::Write : Kind::Read, (i * 7919u) % 16000, sectors));
        }
        rig.initiator.start(rig.source, rig);
        sc_core::sc_start(5, sc_core::SC_MS); // warm-up: each tag has seen a large request
        const u64 requests = rig.source.counts().requests;
        const unsigned long long before = allocations;
        ASSERT_GT(before, 0u);
        sc_core::sc_start(20, sc_core::SC_MS);
        const unsigned long long during = allocations - before;
        const u64 issued = rig.source.counts().requests - requests;
        EXPECT_GT(issued, 100u);
        EXPECT_EQ(rig.initiator.stats().mismatches + rig.initiator.stats().errors, 0u);
        EXPECT_LE(during, 4u) << issued << " requests"; // those of sc_start itself
    }
};

TEST_F(SteadyState, DirectAllocatesNothing) { check(false); }
TEST_F(SteadyState, SataAllocatesNothing) { check(true); }

} // namespace
} // namespace tlmssd::tb
