// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recording a latency, and judging one page read on the ONFI bus.
#include <benchmark/benchmark.h>

#include "models/observe/histogram.h"
#include "models/onfi/checker/checker.h"
#include "tb/bench/world.h"
#include "tb/onfi/bytes.h"

namespace tlmssd::bench {
namespace {

void histogram_record(benchmark::State& state)
{
    observe::Histogram histogram;
    u64 i = 0;
    for (auto _ : state) { // 1 us to 1 ms
        histogram.record(Picoseconds(1000000 + (draw64(1, 2, i++) & 0x3fffffff)));
    }
    benchmark::DoNotOptimize(histogram.count());
}
BENCHMARK(histogram_record);

/// Command, R/B# down and up, burst: two segments of a random row on a random chip.
void checker_page_read(benchmark::State& state)
{
    const Geometry& g = world().geometry;
    const onfi::BusTiming timing = onfi::bus_timing(config::BusInterface::NvDdr2, 6);
    config::Nand nand;
    nand.t_read = microseconds(50);
    onfi::Checker checker(g, timing.sheet, nand);
    for (u32 die = 0; die < g.total_dies(); ++die) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            checker.learn(die, plane, 0, g.pages);
        }
    }
    tb::DataCells cells;
    Picoseconds now;
    u64 i = 0;
    for (auto _ : state) {
        const u64 word = draw64(1, 3, i++);
        const u32 ce = word % g.ways;
        const u32 lun = word >> 8 & 1;
        const u32 row = g.row(lun, word >> 9 & 1, 0, word >> 16 & 255);
        tb::Segment command = tb::read_command(row);
        tb::Segment burst = tb::enhanced_out(row, 0, 8 * g.codeword_bytes(), cells);
        for (tb::Segment* s : {&command, &burst}) {
            s->ce = ce;
            s->start = now;
            s->end = now + onfi::segment_time(*s, timing);
            now = s->end;
            if (s == &command) { // the die acts before the channel tells the checker
                checker.on_ready_edge(0, ce, lun, false, now);
            }
            checker.on_observed(0, *s);
            if (s == &command) {
                now += timing.sheet.t_wb + nand.t_read;
                checker.on_ready_edge(0, ce, lun, true, now);
            }
        }
        now += timing.sheet.t_rhw;
    }
    if (checker.violations() != 0) {
        state.SkipWithError(to_string(checker.log().first().front()).c_str());
    }
}
BENCHMARK(checker_page_read);

} // namespace
} // namespace tlmssd::bench
