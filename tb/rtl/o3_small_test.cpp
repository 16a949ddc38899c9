// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_top in its second shape: the random mixes, and what depends on the shape.
#include "tb/rtl/o3_small.h"

#include <gtest/gtest.h>

#include <Vo3_small.h>

#include "models/flash/rtl/rtl_o3_verilated.h"
#include "tb/rtl/random_mix.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {

std::unique_ptr<flash::RtlModelIf> make_small_o3()
{
    return flash::make_rtl_o3_of<Vo3_small, kSmallChannels, kSmallLuns>(kSmallTags, kSmallStations, false);
}

using config::ControllerMode;

namespace {

/// Channels, CE# and LUNs of a CE#: the built shape, one CE#, and less than that.
constexpr u32 kGeometries[][3] = {{4, 4, 1}, {4, 1, 4}, {3, 1, 3}, {2, 2, 2}, {1, 1, 1}};
constexpr u64 kSeeds = 30; // each geometry in three modes, twice

} // namespace

Mix small_mix(u64 seed)
{
    const ControllerMode modes[] = {ControllerMode::Ooo, ControllerMode::InOrder, ControllerMode::Serial};
    const ControllerMode mode = modes[seed % 3];
    Mix mix = mode == ControllerMode::Ooo ? suspend_mix(seed) : o3_mix(seed, mode);
    mix.make = make_small_o3;
    const u32(&g)[3] = kGeometries[seed % 5];
    mix.geometry.channels = g[0];
    mix.geometry.ways = g[1];
    mix.geometry.dies = g[2];
    mix.geometry.chip_enables = 1;
    mix.tags = mix.depth = seed % 4 == 3 ? 16 : kSmallTags;
    mix.stations = seed % 4 == 3 ? 2 : kSmallStations;
    mix.polling = seed % 7 == 6;
    mix.retries = seed % 2 == 0 ? 0 : 2; // levels
    return mix;
}

namespace {

TEST(O3Small, LosesNothingAndKeepsTheRules)
{
    Goals goals({"RESET of 3 LUNs", "RESET of 4 LUNs", "all channels at work", "passes one of its LUN",
                 "passes one of another channel", "suspends an ERASE", "resumes", "front FIFO full",
                 "polls a busy LUN", "ends well after a retry", "sets the level back"});
    for (const std::vector<std::string>* names : {&kAlways, &kOutOfOrder, &kSuspend, &kPolls, &kRetries}) {
        goals.allow(*names);
    }
    goals.allow({"refused: no tag left", "polls what is suspended", "reads again while another is suspended"});
    run_mixes(kSeeds, small_mix, 600, goals);
    goals.expect_met(20);
}

TEST(O3Small, GatedAndFreeRunningAreEqualBitForBit)
{
    expect_equal_gated_and_free(kSeeds, small_mix, 150);
}

// The stations of LUN 3 are the last: with six of them their times are kept at 24 to 29. A read of no
// priority comes to a LUN that is busy, then a stream of urgent ones: 1.2 us and 9 clocks each. An age of 10
// stamps is one of 9.4 to 10.5 us, far below the time since reset, so that seven or eight urgent ones pass.
TEST(O3Small, AgesAreThoseOfTheStationOnEachLun)
{
    for (u32 lun = 0; lun < kSmallLuns; ++lun) {
        SCOPED_TRACE("LUN " + std::to_string(lun));
        const Geometry geometry = make_geometry().channels(4).ways(4).pages(64);
        flash::RtlDriverConfig config;
        config.tags = kSmallTags;
        config.straps.mode = ControllerMode::Ooo;
        config.straps.stations = kSmallStations;
        config.straps.age_limit = 10;
        FakeTimes times;
        times.random = false;
        times.segment_ps = 100000;
        times.busy_ps = 1000000;
        times.landing_ps = 50000;
        FakeFlash bench(geometry, config, times, make_small_o3());
        u16 tag = 0;
        const auto submit = [&](u64 at, u8 priority) {
            flash_op op{};
            op.tag = tag++;
            op.opcode = FLASH_OP_READ;
            op.flags = priority;
            op.channel = 3;
            op.ce = static_cast<u8>(lun);
            op.nplanes = 1;
            op.row[0] = tag;
            op.stream = op.tag; // told without waiting for another
            op.oob = FLASH_NO_OOB;
            bench.submit_at(at, op);
        };
        constexpr u64 kBegin = 100000000;
        submit(kBegin, 0);
        submit(kBegin + 100000, 0); // the one that gets old
        for (u32 i = 0; i < 30; ++i) {
            submit(kBegin + 200000 + i * u64{600000}, 3);
        }
        ASSERT_TRUE(bench.run(kBegin * 3));
        u32 before = 0;
        for (const TraceEntry& e : bench.trace()) {
            const bool command = std::get<1>(e) == 3 &&
                                 std::get<3>(e) == static_cast<u32>(flash::Phase::Command);
            if (command && std::get<2>(e) == 1) {
                break;
            }
            before += command && std::get<2>(e) > 1;
        }
        EXPECT_GE(before, 7u);
        EXPECT_LE(before, 8u);
    }
}

} // namespace
} // namespace tlmssd::tb
