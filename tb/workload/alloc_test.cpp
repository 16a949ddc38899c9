// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sources allocate nothing per request in steady state (counted by operator new).
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tb/workload/trace_file.h"

namespace {

std::size_t allocations = 0;

} // namespace

// Not inlined: else the compiler sees new paired with free() and warns.
__attribute__((noinline)) void* operator new(std::size_t size)
{
    ++allocations;
    void* memory = std::malloc(size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace tlmssd::workload::test {
namespace {

/// Allocations while `requests` requests are taken, after `warm_up` others.
std::size_t allocations_of(RequestSource& source, int warm_up, int requests)
{
    Request request;
    for (int i = 0; i < warm_up; ++i) {
        EXPECT_TRUE(source.next(request));
    }
    const std::size_t before = allocations;
    for (int i = 0; i < requests; ++i) {
        EXPECT_TRUE(source.next(request));
    }
    return allocations - before;
}

TEST(Allocation, TheCounterCounts)
{
    const std::size_t before = allocations;
    const std::string text(100 + before % 2, 'x'); // too long for the string's own buffer
    EXPECT_GT(allocations, before);
    EXPECT_GE(text.size(), 100u);
}

TEST(Allocation, GeneratorNeedsNone)
{
    config::Workload workload;
    workload.rw = config::Rw::RandRw;
    workload.distribution = config::Distribution::Zipf;
    workload.flush_every = 10;
    workload.trim_percent = 5;
    workload.requests = 20000;
    const auto source = make_source(workload, 1 << 20, 1, nullptr);
    EXPECT_EQ(allocations_of(*source, 0, 20000), 0u);
}

TEST(Allocation, TraceNeedsNoneAfterItsBuffersHaveGrown)
{
    std::string spc;
    std::string blkparse;
    for (int i = 0; i < 100000; ++i) {
        spc += "0," + std::to_string(i) + ",4096,R," + std::to_string(i) + ".5\n";
        blkparse += "8,0 1 1 " + std::to_string(i / 1000) + ".5 7 D R 100 + 8 [x]\n";
    }
    const TraceFile spc_file(spc);
    const auto spc_source =
        make_source(trace_workload(spc_file.path(), "spc"), 1 << 20, 1, nullptr);
    EXPECT_EQ(allocations_of(*spc_source, 1, 99999), 0u);
    const TraceFile blkparse_file(blkparse, Packing::Gzip);
    const auto blkparse_source =
        make_source(trace_workload(blkparse_file.path(), "blkparse"), 1 << 20, 1, nullptr);
    EXPECT_EQ(allocations_of(*blkparse_source, 5000, 95000), 0u);
}

} // namespace
} // namespace tlmssd::workload::test
