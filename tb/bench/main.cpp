// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Google Benchmark inside sc_main.
#include <benchmark/benchmark.h>

#include "tb/bench/world.h"
#include "tb/support/geometry.h"

namespace tlmssd::bench {

namespace {

World* the_world = nullptr;

Geometry mqsim_geometry()
{
    return tb::make_geometry().channels(8).ways(8).dies(2).planes(2).blocks(64).pages(256).page(8192, 448);
}

} // namespace

World::World()
    : geometry(mqsim_geometry()), event_queue("event_queue"),
      dram("dram", event_queue, config::Dram{}, geometry, 1024 * 8192), timers_16("timers_16", 16),
      timers_128("timers_128", 128), timers_1024("timers_1024", 1024)
{
}

World& world() { return *the_world; }

} // namespace tlmssd::bench

int sc_main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    tlmssd::bench::World world;
    tlmssd::bench::the_world = &world;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }
