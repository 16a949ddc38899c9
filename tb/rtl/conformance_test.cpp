// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what docs/start/own-rtl-controller.md asks of every RTL controller, in each mode that it has. FakeFlash
// checks every segment and every completion.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/config/keys/rtl_controllers.h"
#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/random_mix.h"
#include "tb/rtl/rtl_rig.h"
#include "tb/rtl/shared_model.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using flash::Phase;

struct Subject {
    std::string rtl;
    ControllerMode mode;
    config::IssuePolicy policy = config::IssuePolicy::FirstCome;

    std::unique_ptr<flash::RtlModelIf> make() const { return flash::make_rtl_model(rtl, false, policy); }
};

std::vector<Subject> subjects()
{
    std::vector<Subject> all;
    for (const config::RtlController& rtl : config::rtl_controllers()) {
        for (ControllerMode mode : {ControllerMode::Serial, ControllerMode::InOrder, ControllerMode::Ooo}) {
            if (rtl.has(mode)) {
                all.push_back({rtl.name, mode});
                if (rtl.clump) {
                    all.push_back({rtl.name, mode, config::IssuePolicy::Clump});
                }
            }
        }
    }
    return all;
}

std::string name_of(const testing::TestParamInfo<Subject>& info)
{
    const ControllerMode mode = info.param.mode;
    return info.param.rtl + (info.param.policy == config::IssuePolicy::Clump ? "_clump" : "") +
           (mode == ControllerMode::Serial    ? "_serial"
            : mode == ControllerMode::InOrder ? "_inorder"
                                              : "_ooo");
}

class RtlConformance : public testing::TestWithParam<Subject>, public RtlRig {
protected:
    RtlConformance() : RtlRig([] { return GetParam().make(); }), shape(GetParam().make()->shape())
    {
        // What the smallest build has room for.
        geometry.channels = std::min(shape.channels, 2u);
        geometry.ways = std::min(shape.luns, 2u);
        geometry.dies = shape.luns >= 4 ? 2 : 1; // LUNs of a CE#
        geometry.planes = 4;
        geometry.pages = 4;
        geometry.blocks = 4;
        config.tags = 16;
        config.straps.mode = GetParam().mode;
        config.straps.stations = 8;
        config.straps.age_limit = 100;
    }
    flash_op op(u32 opcode, u32 channel, u32 ce, u32 lun, u32 nplanes = 1)
    {
        flash_op o = op_at(opcode, channel, ce, lun, nplanes);
        o.cookie = 0xc0000000u + o.tag;
        for (u32 p = 0; p < 4; ++p) {
            o.row[p] = next_row_++;
        }
        return o;
    }
    /// Random operations on each geometry that fits into the built shape.
    std::vector<Mix> mixes(u32 total) const
    {
        std::vector<Mix> all;
        for (u64 seed = 0; seed < 2 * kMixShapes; ++seed) {
            Mix mix = o3_mix(seed, GetParam().mode);
            const Geometry& g = mix.geometry;
            if (g.channels <= shape.channels && mix.tags <= shape.tags &&
                (g.ces_per_channel() << bits_for(g.luns_per_ce())) <= shape.luns) {
                mix.make = [] { return GetParam().make(); };
                mix.total = total;
                all.push_back(mix);
            }
        }
        EXPECT_GE(all.size(), 1u) << "1x1x1 always fits";
        return all;
    }

    /// Another mode that the controller has; its own where it has one.
    static ControllerMode other_mode()
    {
        for (const Subject& other : subjects()) {
            if (other.rtl == GetParam().rtl && other.mode != GetParam().mode) {
                return other.mode;
            }
        }
        return GetParam().mode;
    }

    flash::RtlShape shape;

private:
    u32 next_row_ = 0;
};

TEST_P(RtlConformance, EachOpcodeHasItsSegments)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 2));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 0, 3));
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 2));
    bench().submit_at(0, op(FLASH_OP_RESET, 0, 0, 0, 2));
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().steps(0), (std::vector<Step>{{Phase::Command, 0}, {Phase::Command, 1},
                                                   {Phase::DataOut, 0}, {Phase::DataOut, 1}}));
    EXPECT_EQ(bench().steps(1), (std::vector<Step>{{Phase::DataIn, 0}, {Phase::DataIn, 1},
                                                   {Phase::DataIn, 2}, {Phase::Status, 2}}));
    EXPECT_EQ(bench().steps(2),
              (std::vector<Step>{{Phase::Command, 0}, {Phase::Command, 1}, {Phase::Status, 1}}));
    EXPECT_EQ(bench().steps(3), (std::vector<Step>{{Phase::Command, 0}}));
}

TEST_P(RtlConformance, GivesTheCookieBackAndTheFailureOfTheStatusByte)
{
    times.fail_one_in = 1;
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 2));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 0, 3));
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    ASSERT_TRUE(bench().run(kEnough));
    const u32 planes[] = {0, 7, 1};
    for (u32 n = 0; n < 3; ++n) {
        EXPECT_EQ(bench().completion(n).cookie, 0xc0000000u + n);
        EXPECT_EQ(bench().completion(n).status, n == 0 ? FLASH_STATUS_OK : FLASH_STATUS_FAIL);
        EXPECT_EQ(bench().completion(n).failed_planes, planes[n]);
    }
}

TEST_P(RtlConformance, IllegalOperationsEndWithTheirStatusAndWithoutASegment)
{
    bench().submit_at(0, op(9, 0, 0, 0));
    bench().submit_at(0, op(0, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, geometry.channels, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, geometry.ways, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, geometry.dies));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 5));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(kEnough));
    for (u32 n = 0; n < 8; ++n) {
        EXPECT_EQ(bench().completion(n).status, n < 7 ? FLASH_STATUS_ILLEGAL : FLASH_STATUS_OK) << n;
    }
}

// Data in DRAM included: a read's landing comes 10 clocks after its burst.
TEST_P(RtlConformance, AFenceWaitsForTheLandingsOfItsStream)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    flash_op fence = op(FLASH_OP_READ, 0, geometry.ways - 1, 0);
    fence.flags = FLASH_FLAG_FENCE;
    bench().submit_at(0, fence);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_GE(start_of(1, Phase::Command), start_of(0, Phase::DataOut) + kSegment + kLanding);
    EXPECT_GE(end_of(1), start_of(1, Phase::DataOut) + kSegment + kLanding);
}

// The LUNs of a CE# are ready at different times after a RESET. FakeFlash minds one that comes before
// the last.
TEST_P(RtlConformance, AResetWaitsForAllLunsOfItsChipEnable)
{
    times.random = true;
    for (u32 i = 0; i < 16; ++i) {
        bench().submit_at(0, op(FLASH_OP_RESET, 0, 0, i / 2 % geometry.dies)); // twice the same LUN
    }
    ASSERT_TRUE(bench().run(kEnough));
    for (u32 i = 0; i < 16; ++i) {
        EXPECT_EQ(bench().completion(i).status, FLASH_STATUS_OK);
    }
}

TEST_P(RtlConformance, LosesNothingAndKeepsTheRules)
{
    for (const Mix& mix : mixes(500)) {
        SCOPED_TRACE("seed " + std::to_string(mix.seed));
        run_mix(mix);
        ASSERT_FALSE(HasFailure()); // the first says enough
    }
}

// Each field has all its bits, of all tags and streams, on as many LUNs as are built, with 1, 2 and 4 of them a CE#.
TEST_P(RtlConformance, EveryFieldMayHaveAnyValue)
{
    for (const u32 dies : {1u, 2u, 4u}) {
        SCOPED_TRACE("LUNs a CE#: " + std::to_string(dies));
        if (dies > shape.luns) {
            continue;
        }
        Mix mix = wide_mix(dies);
        mix.geometry.channels = std::min(shape.channels, 8u);
        mix.geometry.dies = dies;
        mix.geometry.ways = std::min(shape.luns, 16u) / dies;
        mix.tags = mix.depth = shape.tags;
        mix.mode = GetParam().mode;
        mix.make = [] { return GetParam().make(); };
        mix.illegal_percent = 10;
        mix.total = 1000;
        run_mix(mix);
    }
}

// Idle is idle: an edge that the gated clock leaves out changes nothing.
TEST_P(RtlConformance, GatedAndFreeRunningAreEqualBitForBit)
{
    for (Mix mix : mixes(150)) {
        SCOPED_TRACE("seed " + std::to_string(mix.seed));
        for (u32 depth : {1u, mix.tags}) {
            mix.depth = depth;
            mix.gated = true;
            const std::vector<TraceEntry> gated = run_mix(mix);
            mix.gated = false;
            const std::vector<TraceEntry> free = run_mix(mix);
            ASSERT_FALSE(HasFailure());
            ASSERT_EQ(gated.size(), free.size());
            for (std::size_t i = 0; i < gated.size(); ++i) {
                ASSERT_EQ(gated[i], free[i]) << "first difference at entry " << i;
            }
        }
    }
}

// A short run in another mode comes first, where there is one.
TEST_P(RtlConformance, AResetInMidFlightLeavesNothingBehind)
{
    const std::unique_ptr<flash::RtlModelIf> used = GetParam().make();
    for (Mix mix : mixes(200)) {
        SCOPED_TRACE("seed " + std::to_string(mix.seed));
        const std::vector<TraceEntry> fresh = run_mix(mix);
        ASSERT_FALSE(HasFailure() || fresh.empty());
        Mix other = mix;
        other.mode = other_mode();
        other.total = 20;
        run_mix(other, std::make_unique<SharedModel>(*used));
        Mix before = mix;
        before.stop_at = std::get<0>(fresh[fresh.size() / 2]);
        run_mix(before, std::make_unique<SharedModel>(*used));
        EXPECT_EQ(fresh, run_mix(mix, std::make_unique<SharedModel>(*used)));
    }
}

// Operations of one LUN one after the other keep the device busy for 4 x 220 clocks and more; the watchdog,
// which gives up after 1,000 edges without progress here, sees progress.
TEST_P(RtlConformance, TheWatchdogSeesProgress)
{
    config.patience.edges = 1000;
    config.patience.time = microseconds(5);
    for (u32 i = 0; i < 8; ++i) {
        bench().submit_at(0, op(i % 2 ? FLASH_OP_ERASE : FLASH_OP_PROGRAM, 0, 0, 0));
    }
    ASSERT_TRUE(bench().run(kEnough));
}

INSTANTIATE_TEST_SUITE_P(Rtl, RtlConformance, testing::ValuesIn(subjects()), name_of);

} // namespace
} // namespace tlmssd::tb
