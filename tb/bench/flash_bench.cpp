// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the data path: fetching and storing one 4 KiB burst.
#include <benchmark/benchmark.h>

#include "models/flash/data_path.h"
#include "tb/bench/world.h"

namespace tlmssd::bench {
namespace {

class Path {
public:
    Path() : path_(world().geometry, world().dram, ecc(), inject_) {}
    flash::SegmentRequest request()
    {
        flash::SegmentRequest r;
        r.buf = static_cast<u32>(draw64(1, 4, ++draws_) % 1024) * 8192;
        r.len = 8;
        return r;
    }
    flash::DataPath& path() { return path_; }
    onfi::DataCells cells;

private:
    static config::Controller ecc()
    {
        config::Controller controller;
        controller.ecc_latency = nanoseconds(500);
        return controller;
    }

    config::Inject inject_;
    flash::DataPath path_;
    u64 draws_ = 0;
};

void data_path_fetch(benchmark::State& state)
{
    Path p;
    Picoseconds now;
    for (auto _ : state) {
        now = p.path().fetch(p.request(), p.cells, now).at;
    }
    benchmark::DoNotOptimize(p.cells);
}
BENCHMARK(data_path_fetch);

void data_path_store(benchmark::State& state)
{
    Path p;
    Picoseconds now;
    for (auto _ : state) {
        now = p.path().store(p.request(), p.cells, now).data_at;
    }
    benchmark::DoNotOptimize(now);
}
BENCHMARK(data_path_store);

} // namespace
} // namespace tlmssd::bench
