// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operation mixes through a bare RTL controller; FakeFlash checks every segment.
#include "tb/rtl/random_mix.h"

#include <deque>
#include <utility>

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_registry.h"
#include "models/flash/rtl/rtl_straps.h"
#include "tb/rtl/random_aborts.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

Geometry shape(u32 channels, u32 ways, u32 dies, u32 chip_enables)
{
    return make_geometry().channels(channels).ways(ways).chip_enables(chip_enables).dies(dies).planes(4);
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
    if (mix.any_payload) {
        for (u32 p = 0; p < 4; ++p) {
            op.col[p] = static_cast<u8>(draw(20 + p, 256));
        }
        op.flags = static_cast<u8>(op.flags | draw(15, 32) << 3); // SUSPENDABLE, META, RAW and two without a name
    }
    op.oob = draw(7, 2) ? FLASH_NO_OOB : draw(8, 1u << 30);
    op.cookie = static_cast<u32>(draw64(mix.seed, 130, n));
    if (draw(9, 100) < mix.illegal_percent) {
        const auto least_or_any = [&](u32 least) { // of the values of a byte that are too large
            return static_cast<u8>(mix.any_payload ? least + draw(16, 256 - least) : least);
        };
        switch (draw(10, mix.any_payload ? 6 : 5)) {
        case 0: op.opcode = 0; break;
        case 1: op.opcode = least_or_any(5); break;
        case 2: op.channel = least_or_any(mix.geometry.channels); break;
        case 3: op.ce = least_or_any(mix.geometry.ces_per_channel()); break;
        case 4: op.nplanes = draw(11, 2) ? 0 : least_or_any(5); break;
        default: op.lun = least_or_any(mix.geometry.luns_per_ce()); break;
        }
    }
    return op;
}

} // namespace

std::vector<TraceEntry> run_mix(const Mix& mix, flash::RtlCounters* counters)
{
    return run_mix(mix, mix.make ? mix.make() : flash::make_rtl_model(mix.rtl, false), counters);
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
        config.straps.polling = {true, 2, 3, 5, 1, 3, 1, 2, 2, 4}; // ticks, about as long as the LUNs take
    }
    config.straps.read_retries = mix.retries;
    if (mix.falls_ps != 0) {
        config.straps.ready_synchronous = false;
        config.straps.ready_mask = flash::ready_mask(Picoseconds(mix.falls_ps), config.period);
    }
    FakeTimes times;
    times.seed = mix.seed;
    times.falls_ps = mix.falls_ps;
    times.fail_one_in = mix.fail_one_in;
    times.lost_one_in = mix.lost_one_in;
    FakeFlash bench(mix.geometry, config, times, std::move(model));
    bench.goals = mix.goals;

    RandomAborts aborts(bench, mix.seed, mix.tags, mix.geometry.channels);
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
        if (mix.aborts) {
            aborts.at_completion();
        }
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
        EXPECT_GT(bench.driver().outstanding(), 0u) << "nothing was under way";
        return bench.trace();
    }
    EXPECT_TRUE(bench.run(20000000000ull)) << "the run did not end";
    EXPECT_EQ(bench.completed(), mix.total) << "operations lost";
    EXPECT_EQ(bench.driver().outstanding(), 0u);
    if (mix.aborts && mix.goals != nullptr) {
        mix.goals->see("a tag in use is aborted", aborts.found() != 0);
        mix.goals->see("a tag not in use is aborted", aborts.not_found() != 0);
        mix.goals->see("a soft reset", aborts.soft_resets() != 0);
    }
    EXPECT_EQ(bench.quiet_edges() == 0, mix.gated || !bench.driver().model().knows_idle());
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

Mix o3_mix(u64 seed, config::ControllerMode mode)
{
    Mix mix = mix_of(seed);
    mix.rtl = "o3";
    mix.mode = mode;
    mix.geometry.pages = 4;
    mix.geometry.blocks = 4;
    mix.rows = seed % 3 == 0 ? 16 : 256;
    mix.priorities = seed % 2 == 0 ? 1 : 4;
    mix.alone_percent = mode == config::ControllerMode::Ooo && seed % 3 == 1 ? 30 : 0;
    mix.age_limit = seed % 5 == 0 ? 0 : 100;
    mix.stations = seed % 4 == 3 ? 2 : 8;
    return mix;
}

Mix wide_mix(u64 seed)
{
    Mix mix = o3_mix(seed, config::ControllerMode::Ooo);
    mix.geometry = shape(8, 8, 2, 1);
    mix.rows = 0;
    mix.any_payload = true;
    mix.tags = mix.depth = 256;
    mix.streams = FLASH_STREAMS;
    mix.priorities = 4;
    mix.stations = 8;
    return mix;
}

Mix suspend_mix(u64 seed)
{
    Mix mix = o3_mix(seed, config::ControllerMode::Ooo);
    mix.suspend = seed % 3 == 0 ? config::Suspend::Erase : config::Suspend::ProgramAndErase;
    mix.suspends = seed % 4 == 0 ? 1 : 15;
    mix.suspend_priority = mix.priorities == 4 && seed % 4 == 1 ? 2 : 0;
    mix.suspend_progress = seed % 2 == 0 ? 0 : 2; // at least 66 ns
    mix.age_limit = 100;
    mix.stations = 8;
    if (seed % kMixShapes == 0) { // else too few meet on one of 128 LUNs
        mix.geometry.channels = mix.geometry.ways = 2;
    }
    mix.rows = 256;
    return mix;
}

void expect_equal_gated_and_free(Mix mix, u64 least)
{
    flash::RtlCounters gated_counts, free_counts;
    const std::vector<TraceEntry> gated = run_mix(mix, &gated_counts);
    mix.gated = false;
    const std::vector<TraceEntry> free = run_mix(mix, &free_counts);
    EXPECT_EQ(gated_counts, free_counts);
    u64 started = 0;
    for (const flash::RtlCounters::Channel& c : gated_counts.channels) {
        started += c.reads + c.programs + c.erases + c.resets;
    }
    EXPECT_EQ(started, gated_counts.ended) << "what got a LUN was told, once; a resume is no new start";
    EXPECT_GE(started, least);
    ASSERT_EQ(gated.size(), free.size());
    for (std::size_t i = 0; i < gated.size(); ++i) {
        ASSERT_EQ(gated[i], free[i]) << "first difference at entry " << i;
    }
}

void expect_equal_gated_and_free(u64 seeds, const std::function<Mix(u64 seed)>& mix_of_seed, u32 total, u64 least)
{
    for (u64 seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Mix mix = mix_of_seed(seed);
        mix.total = total;
        expect_equal_gated_and_free(mix, least);
    }
}

void run_mixes(u64 seeds, const std::function<Mix(u64 seed)>& mix_of_seed, u32 total, Goals& goals)
{
    for (u64 seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Mix mix = mix_of_seed(seed);
        mix.total = total;
        mix.goals = &goals;
        run_mix(mix);
    }
}

const std::vector<std::string> kAlways = {
    "illegal opcode", "illegal place", "illegal planes", "illegal with others inside",
    "fence with older ones of its stream inside", "front FIFO full", "idle with operations outstanding",
    "ends with OK", "ends with FAIL", "ends with UNCORRECTABLE",
    "PROGRAM that depends on READ", "READ that depends on PROGRAM", "PROGRAM that depends on PROGRAM",
    "READ that depends on ERASE", "ERASE that depends on READ", "PROGRAM that depends on ERASE",
    "ERASE that depends on PROGRAM", "ERASE that depends on ERASE", "READ that depends on RESET",
    "RESET that depends on READ", "PROGRAM that depends on RESET", "RESET that depends on PROGRAM",
    "ERASE that depends on RESET", "RESET that depends on ERASE", "RESET that depends on RESET",
    "RESET of 3 LUNs", "RESET of 4 LUNs"};
const std::vector<std::string> kOutOfOrder = {
    "of no stream", "passes one of its LUN", "passes one of another LUN",
    "passes one of another channel", "told long after its end"};
const std::vector<std::string> kSuspend = {
    "suspends an ERASE", "suspends a PROGRAM", "suspends as often as it may", "resumes",
    "a suspend comes too late"};
const std::vector<std::string> kAborts = {
    "aborted before its first segment", "aborted before its first burst", "aborted between its bursts",
    "a tag in use is aborted", "a tag not in use is aborted", "a soft reset"};
const std::vector<std::string> kPolls = {"polls a busy LUN", "polls a LUN of a RESET"};
const std::vector<std::string> kRetries = {
    "ends well after a retry", "lost at every level", "sets the level back", "two planes and more are read again",
    "the last plane alone is read again"};

} // namespace tlmssd::tb
