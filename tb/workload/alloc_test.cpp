// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sources allocate nothing per request in steady state (counted by operator new).
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "models/config/keys/workload_words.h"
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
    config::parse_distribution("zipf:1.1", workload.random_distribution);
    config::parse_bssplit("4k/60:16k/40,512/50:128k/50", workload.bssplit);
    workload.random_read_percent = 80;
    workload.mode = config::LoopMode::Open;
    workload.rate_iops = 1e6;
    workload.rate_process = config::RateProcess::Poisson;
    workload.flush_every = 10;
    workload.trim_percent = 5;
    workload.requests = 20000;
    const auto source = make_source(workload, 1 << 20, 1, nullptr);
    EXPECT_EQ(allocations_of(*source, 0, 20000), 0u);
}

TEST(Allocation, RandomMapNeedsNone)
{
    config::Workload workload;
    workload.norandommap = false;
    config::parse_bssplit("4k/60:16k/40", workload.bssplit);
    workload.requests = 20000; // several passes over 64 MiB
    const auto source = make_source(workload, 1 << 17, 1, nullptr);
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

TEST(Allocation, LoopsOfATraceNeedNoneAfterTheFirst)
{
    std::string text;
    for (int i = 0; i < 100000; ++i) {
        text += std::to_string(i) + " 0 8 8 1\n";
    }
    const TraceFile file(text);
    auto workload = trace_workload(file.path(), "ssdsim");
    workload.loops = 4;
    const auto source = make_source(workload, 1 << 20, 1, nullptr);
    EXPECT_EQ(allocations_of(*source, 100001, 299999), 0u);
}

TEST(Allocation, DescribedColumnsAndTheFilterOfRepeatsNeedNone)
{
    std::string text;
    for (int i = 0; i < 100000; ++i) {
        text += std::to_string(i) + ";a long name of a device;" + std::to_string(i / 2) +
                ";4096;write\n";
    }
    const TraceFile file(text);
    auto workload = trace_workload(file.path(), "");
    workload.trace_columns = "time:us,device,lba:sectors,size:bytes,op";
    workload.dedup = Picoseconds(100000000);
    const auto source = make_source(workload, 1 << 20, 1, nullptr);
    EXPECT_EQ(allocations_of(*source, 1, 49999), 0u); // every second row repeats the one before
    EXPECT_EQ(source->counts().deduplicated, 49999u);
}

} // namespace
} // namespace tlmssd::workload::test
