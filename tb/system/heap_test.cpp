// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: no heap allocation per I/O in steady state: every malloc of the process is counted.
#include <execinfo.h>

#include <cstddef>

#include "tb/system/run.h"

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

/// Counts while the completed requests of `stats` are in [from, to).
struct Counter {
    const tlmssd::host::InitiatorStats* stats = nullptr;
    tlmssd::u64 from = 0, to = 0;
    tlmssd::u64 counted = 0;
    tlmssd::u64 all = 0;
    void* first[24] = {}; ///< who asked first
    int depth = 0;
    bool tracing = false; ///< backtrace() itself may allocate
} counter;

void count()
{
    ++counter.all;
    if (counter.stats == nullptr || counter.tracing) {
        return;
    }
    const tlmssd::u64 done = counter.stats->reads.count + counter.stats->writes.count;
    if (done < counter.from || done >= counter.to) {
        return;
    }
    if (counter.counted++ == 0) {
        counter.tracing = true;
        counter.depth = backtrace(counter.first, 24);
        counter.tracing = false;
    }
}

} // namespace

// glibc's own functions under other names: all of malloc's callers, libraries too, come here.
extern "C" {
void* malloc(std::size_t size)
{
    count();
    return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size)
{
    count();
    return __libc_calloc(n, size);
}
void* realloc(void* memory, std::size_t size)
{
    count();
    return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}
}

namespace tlmssd::tb {
namespace {

constexpr u64 kWarmUp = 20000;
constexpr u64 kCounted = 50000;

void expect_no_allocation(const std::string& workload, const Sets& more, bool collects)
{
    Sets sets = more;
    sets.push_back("precondition.overwrite=0.5");
    sets.push_back("workload.requests=" + std::to_string(kWarmUp + kCounted));
    const config::Config config =
        configured(tiny_device() + "workload: {" + workload + "}\n", sets);
    run::Simulation simulation(config, {});
    counter.from = kWarmUp;
    counter.to = kWarmUp + kCounted;
    counter.stats = &simulation.host_stats();
    const run::RunStatus status = simulation.run();
    counter.stats = nullptr;
    ASSERT_EQ(status, run::RunStatus::Done);
    const host::InitiatorStats& stats = simulation.host_stats();
    ASSERT_EQ(stats.reads.count + stats.writes.count, kWarmUp + kCounted);
    ASSERT_GT(counter.all, 0u);
    if (collects) {
        EXPECT_GT(simulation.ssd().firmware().stats.gc_runs, 100u);
    }
    const double each = static_cast<double>(counter.counted) / static_cast<double>(kCounted);
    EXPECT_LT(each, 0.001) << counter.counted << " allocations in " << kCounted << " requests";
    if (each >= 0.001) {
        backtrace_symbols_fd(counter.first, counter.depth, 2);
    }
}

TEST(Heap, TheCounterCountsWhatLibrariesAllocate)
{
    const u64 before = counter.all;
    const std::string text(1000 + before % 2, 'x'); // libstdc++'s operator new
    EXPECT_GT(counter.all, before);
    EXPECT_GE(text.size(), 1000u);
}

const char* const kReads = "rw: randread, bs: 4k";
const char* const kWrites = "rw: randwrite, bs: 4k";
const char* const kMixed = "rw: randrw, bs: 12k, rwmixread: 60";

TEST(Heap, ReadsOnTheDirectPortAllocateNothing) { expect_no_allocation(kReads, {}, false); }

TEST(Heap, ReadsOverSataAllocateNothing)
{
    expect_no_allocation(kReads, {"host.kind=sata"}, false);
}

TEST(Heap, WritesWithGarbageCollectionAllocateNothing) { expect_no_allocation(kWrites, {}, true); }

TEST(Heap, WritesOverSataWithGarbageCollectionAllocateNothing)
{
    expect_no_allocation(kWrites, {"host.kind=sata"}, true);
}

TEST(Heap, BufferedPartialPagesUnderVaqAllocateNothing)
{
    expect_no_allocation(kMixed, {"host.kind=sata", "buffer.policy=lru", "scheduler=vaq"}, true);
}

TEST(Heap, NvmeQueuesAllocateNothing)
{
    expect_no_allocation(kMixed,
                         {"host.kind=nvme", "host.queue_depth=64", "nvme.queues=4", "nvme.steer=round_robin",
                          "nvme.command_limit=16"},
                         true);
}

TEST(Heap, TheOutOfOrderControllerAllocatesNothing)
{
    expect_no_allocation(kMixed,
                         {"scheduler=host", "controller.streams=per_request",
                          "controller.priorities=reads_first"},
                         true);
}

TEST(Heap, ReadsAndWritesUnderPaqAllocateNothing)
{
    expect_no_allocation(kMixed, {"host.kind=sata", "buffer.policy=none", "scheduler=paq2",
                                  "paq.age_limit_us=500"}, true);
}

TEST(Heap, FourCoresAllocateNothing)
{
    expect_no_allocation(kMixed,
                         {"cpu.cores=4", "cpu.core_of.buffer=1", "cpu.core_of.ftl=2",
                          "cpu.core_of.sched=3"},
                         true);
}

#ifdef TLMSSD_HAVE_RTL
TEST(Heap, TheRtlControllerAllocatesNothing)
{
    expect_no_allocation(kReads, {"controller.kind=rtl"}, false);
}
#endif

} // namespace
} // namespace tlmssd::tb
