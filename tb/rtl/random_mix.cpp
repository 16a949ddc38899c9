// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operation mixes through a bare RTL controller; FakeFlash checks every segment.
#include "tb/rtl/random_mix.h"

#include <deque>
#include <utility>

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "models/flash/rtl_registry.h"

namespace tlmssd::tb {
namespace {

Geometry shape(u32 channels, u32 ways, u32 dies, u32 chip_enables)
{
    Geometry g;
    g.channels = channels;
    g.ways = ways;
    g.dies = dies;
    g.chip_enables = chip_enables;
    g.planes = 4;
    return g;
}

flash_op random_op(const Mix& mix, u64 n, u16 tag)
{
    const auto draw = [&](u64 purpose, u64 below) {
        return static_cast<u32>(draw_below(draw64(mix.seed, 100 + purpose, n), below));
    };
    flash_op op{};
    op.tag = tag;
    const u32 kind = draw(0, 100);
    op.opcode = kind < 50 ? FLASH_OP_READ : kind < 85 ? FLASH_OP_PROGRAM
                                          : kind < 96 ? FLASH_OP_ERASE : FLASH_OP_RESET;
    op.flags = static_cast<u8>((draw(1, 100) < mix.fence_percent ? FLASH_FLAG_FENCE : 0) |
                               draw(12, mix.priorities) |
                               (mix.suspend != config::Suspend::None && draw(14, 4) != 0
                                    ? FLASH_FLAG_SUSPENDABLE : 0));
    op.channel = static_cast<u8>(draw(2, mix.geometry.channels));
    op.ce = static_cast<u8>(draw(3, mix.geometry.ces_per_channel()));
    op.lun = static_cast<u8>(draw(4, mix.geometry.luns_per_ce()));
    op.nplanes = static_cast<u8>(1 + draw(5, 4));
    op.stream = static_cast<u16>(draw(6, mix.streams));
    if (draw(13, 100) < mix.alone_percent) {
        op.stream = FLASH_NO_STREAM;
    }
    op.seq = static_cast<u16>(n);
    for (u32 p = 0; p < 4; ++p) {
        op.row[p] = mix.rows != 0 ? draw(50 + p, mix.rows)
                                  : static_cast<u32>(draw64(mix.seed, 110 + p, n));
        op.buf[p] = static_cast<u32>(draw64(mix.seed, 120 + p, n));
        op.col[p] = static_cast<u8>(draw(30 + p, 16));
        op.len[p] = static_cast<u8>(draw(40 + p, 256));
    }
    op.oob = draw(7, 2) ? FLASH_NO_OOB : draw(8, 1u << 30);
    op.cookie = static_cast<u32>(draw64(mix.seed, 130, n));
    if (draw(9, 100) < mix.illegal_percent) {
        switch (draw(10, 5)) {
        case 0: op.opcode = 0; break;
        case 1: op.opcode = 5; break;
        case 2: op.channel = static_cast<u8>(mix.geometry.channels); break;
        case 3: op.ce = static_cast<u8>(mix.geometry.ces_per_channel()); break;
        default: op.nplanes = draw(11, 2) ? 0 : 5; break;
        }
    }
    return op;
}

} // namespace

std::vector<TraceEntry> run_mix(const Mix& mix, flash::RtlCounters* counters)
{
    return run_mix(mix, flash::make_rtl_model(mix.rtl, false), counters);
}

std::vector<TraceEntry> run_mix(const Mix& mix, std::unique_ptr<flash::RtlModelIf> model,
                                flash::RtlCounters* counters)
{
    flash::RtlDriverConfig config;
    config.tags = mix.tags;
    config.period = Picoseconds(5000);
    config.gated = mix.gated;
    config.straps.mode = mix.mode;
    config.straps.stations = mix.stations;
    config.straps.age_limit = mix.age_limit;
    config.straps.suspend = mix.suspend;
    config.straps.suspends = mix.suspends;
    config.straps.suspend_priority = mix.suspend_priority;
    config.straps.suspend_progress = mix.suspend_progress;
    if (mix.polling) {
        config.straps.polling = {true, 2, 3, 5, 1, 3, 1, 2, 2}; // ticks, about as long as the LUNs take
    }
    FakeTimes times;
    times.seed = mix.seed;
    times.fail_one_in = mix.fail_one_in;
    times.lost_one_in = mix.lost_one_in;
    FakeFlash bench(mix.geometry, config, times, std::move(model));
    bench.goals = mix.goals;

    u32 submitted = 0;
    std::deque<u16> free_tags;
    for (u32 t = 0; t < mix.tags; ++t) {
        free_tags.push_back(static_cast<u16>(t));
    }
    const auto submit_one = [&](u64 at) {
        bench.submit_at(at, random_op(mix, submitted, free_tags.front()));
        free_tags.pop_front();
        ++submitted;
    };
    bench.on_completion = [&](const flash_completion& completion) {
        free_tags.push_back(completion.tag);
        if (submitted < mix.total) {
            // At once, or after a pause that lets the controller fall idle.
            const u64 word = draw64(mix.seed, 200, submitted);
            submit_one(bench.now() + (word % 4 != 0 ? 0 : (word >> 8) % 400000));
        }
    };
    for (u32 i = 0; i < mix.depth && i < mix.total; ++i) {
        submit_one(draw64(mix.seed, 201, i) % 100000);
    }
    if (mix.stop_at != 0) {
        EXPECT_FALSE(bench.run(mix.stop_at));
        EXPECT_GT(bench.driver().inside(), 0u) << "nothing was under way";
        return bench.trace();
    }
    EXPECT_TRUE(bench.run(20000000000ull)) << "the run did not end";
    EXPECT_EQ(bench.completed(), mix.total) << "operations lost";
    EXPECT_EQ(bench.driver().inside(), 0u);
    EXPECT_EQ(bench.quiet_edges() == 0, mix.gated);
    if (counters != nullptr) {
        flash::RtlDriver& driver = bench.driver();
        for (Picoseconds now(bench.now()); driver.needed(now) != kTimeNever;) { // to rest
            now = driver.next_edge(now);
            driver.edge(now);
        }
        *counters = driver.finish(Picoseconds(30000000000ull));
    }
    return bench.trace();
}

Mix mix_of(u64 seed)
{
    static const Geometry shapes[kMixShapes] = {shape(8, 8, 2, 1), shape(4, 4, 2, 1), shape(2, 2, 2, 2),
                                      shape(1, 1, 1, 1), shape(8, 8, 2, 2), shape(3, 3, 3, 1),
                                      shape(2, 2, 4, 1)};
    Mix mix;
    mix.seed = seed;
    mix.geometry = shapes[seed % kMixShapes];
    mix.tags = seed % 2 ? 128 : 16;
    mix.depth = mix.tags;
    mix.streams = seed % 3 == 0 ? 1 : 16;
    mix.fence_percent = seed % 4 == 0 ? 40 : 4;
    return mix;
}

} // namespace tlmssd::tb
