// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a controller without any optional port: no straps, no handshakes that may be left out, no idle_o.
#include <gtest/gtest.h>

#include <Vbare.h>

#include "models/flash/rtl/rtl_own.h"
#include "tb/rtl/random_mix.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

std::unique_ptr<flash::RtlModelIf> make_bare()
{
    return flash::make_rtl_own<Vbare, 2, 2>("bare_controller", 16, false);
}

Mix bare_mix(u64 seed)
{
    Mix mix = mix_of(seed);
    mix.geometry = make_geometry().channels(2).ways(2).planes(4);
    mix.tags = mix.depth = 16;
    mix.total = 500;
    mix.make = make_bare;
    return mix;
}

TEST(OwnPorts, OptionalOnesMayBeMissing)
{
    const std::unique_ptr<flash::RtlModelIf> model = make_bare();
    EXPECT_FALSE(model->knows_idle());
    model->reset(flash::RtlStraps{});
    EXPECT_FALSE(model->idle());
    EXPECT_TRUE(model->land_ready());
    EXPECT_EQ(model->wake_at(), ~u64{0});
    EXPECT_FALSE(model->has_registers());
}

TEST(OwnPorts, WithoutIdleTheClockRunsAllTheTimeAndNothingElseChanges)
{
    for (u64 seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Mix mix = bare_mix(seed);
        const std::vector<TraceEntry> bare = run_mix(mix);
        mix.make = nullptr;
        mix.rtl = "simple_v2001"; // gated, in the shape of the build
        EXPECT_EQ(bare, run_mix(mix));
    }
}

// 500 us of an erase are 100,000 edges at which nothing happens, and none of them is idle.
TEST(OwnPorts, TheWatchdogCountsNoEdgesOfAControllerThatIsNeverIdle)
{
    const Geometry geometry = make_geometry().channels(2).ways(2);
    flash::RtlDriverConfig config;
    config.tags = 16;
    config.patience.edges = 1000;
    FakeTimes times;
    times.random = false;
    times.busy_ps = 500000000;
    FakeFlash bench(geometry, config, times, make_bare());
    flash_op op{};
    op.opcode = FLASH_OP_ERASE;
    op.nplanes = 1;
    op.oob = FLASH_NO_OOB;
    bench.submit_at(0, op);
    EXPECT_TRUE(bench.run(1000000000));
    EXPECT_GT(bench.driver().edges(), 100000u);
}

} // namespace
} // namespace tlmssd::tb
