// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the mapped netlist of o3_top beside the RTL that it was made from, and beside the rules of the dies. Both
// have the shape of this build (scripts/netlist-test).
#include <gtest/gtest.h>

#include <Vo3_netlist.h>

#include "models/flash/rtl/rtl_o3_verilated.h"
#include "tb/rtl/random_mix.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kChannels = TLMSSD_RTL_CHANNELS, kLuns = TLMSSD_RTL_LUNS;
constexpr u64 kSeeds = 24; // each geometry in three modes, twice
constexpr u32 kOperations = 400;

std::unique_ptr<flash::RtlModelIf> make_netlist()
{
    return flash::make_rtl_o3_of<Vo3_netlist, kChannels, kLuns>(TLMSSD_RTL_TAGS, TLMSSD_RTL_STATIONS, false);
}

/// Geometries, modes, suspends, polls, aborts and read retry take turns.
Mix netlist_mix(u64 seed)
{
    using config::ControllerMode;
    static_assert(kChannels >= 2 && kLuns >= 2, "the geometries below");
    constexpr u32 kGeometries[][3] = {{kChannels, kLuns, 1}, {kChannels, kLuns / 2, 2}, {2, 1, 1}, {1, 2, 1}};
    const ControllerMode modes[] = {ControllerMode::Ooo, ControllerMode::InOrder, ControllerMode::Serial};
    const ControllerMode mode = modes[seed % 3];
    Mix mix = mode == ControllerMode::Ooo ? suspend_mix(seed) : o3_mix(seed, mode);
    const u32(&g)[3] = kGeometries[seed % 4];
    mix.geometry.channels = g[0];
    mix.geometry.ways = g[1];
    mix.geometry.dies = g[2];
    mix.geometry.chip_enables = 1;
    mix.tags = mix.depth = seed % 4 == 3 ? 16 : TLMSSD_RTL_TAGS;
    mix.stations = seed % 4 == 3 ? 2 : TLMSSD_RTL_STATIONS;
    mix.polling = seed % 5 == 4;
    mix.retries = seed % 2 == 0 ? 0 : 2; // levels
    mix.aborts = seed % 2 == 1;
    mix.total = kOperations;
    return mix;
}

TEST(O3Netlist, LosesNothingAndKeepsTheRules)
{
    Goals goals({"all channels at work", "passes one of its LUN", "passes one of another channel", "suspends an ERASE",
                 "resumes", "front FIFO full", "polls a busy LUN", "ends well after a retry", "a tag in use is aborted"});
    for (const std::vector<std::string>* names : {&kAlways, &kOutOfOrder, &kSuspend, &kPolls, &kAborts, &kRetries}) {
        goals.allow(*names);
    }
    goals.allow({"refused: no tag left", "polls what is suspended", "reads again while another is suspended"});
    const auto mix = [](u64 seed) {
        Mix of_seed = netlist_mix(seed);
        of_seed.make = make_netlist;
        return of_seed;
    };
    run_mixes(kSeeds, mix, kOperations, goals);
    goals.expect_met(10);
}

TEST(O3Netlist, IsTheRtlBitForBit)
{
    for (u64 seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Mix mix = netlist_mix(seed);
        flash::RtlCounters rtl_counters, netlist_counters;
        const std::vector<TraceEntry> rtl = run_mix(mix, &rtl_counters);
        mix.make = make_netlist;
        const std::vector<TraceEntry> netlist = run_mix(mix, &netlist_counters);
        EXPECT_EQ(rtl_counters, netlist_counters);
        ASSERT_GE(rtl.size(), kOperations);
        ASSERT_EQ(rtl.size(), netlist.size());
        for (std::size_t i = 0; i < rtl.size(); ++i) {
            ASSERT_EQ(rtl[i], netlist[i]) << "first difference at entry " << i;
        }
    }
}

} // namespace
} // namespace tlmssd::tb
