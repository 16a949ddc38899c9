// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a Verilated module and model-side signals share one wave file and one time axis.
#include <Vwaves_toy.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_fst_c.h>

#include "models/observe/fst/waves.h"
#include "tb/observe/fst_reader.h"

namespace tlmssd::observe {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Three clock edges of 10 ns period with the model's signal `edges` set at the same times.
tb::WaveFile run_toy(bool model_signals)
{
    const auto path = std::filesystem::temp_directory_path() /
                      ("tlmssd_waves_rtl_" + std::to_string(getpid()) + ".fst");
    {
        VerilatedContext context;
        context.traceEverOn(true);
        Vwaves_toy top(&context, "rtl");
        Waves waves(path.string());
        u32 edges = 0;
        u32 phase = 0;
        if (model_signals) {
            phase = waves.add_enum("phase_e", {"Low", "High"});
            edges = waves.add("ssd.edges", 40, phase);
        }
        waves.attach([&top](VerilatedFstC& fst) { top.trace(&fst, 99); });
        waves.open();
        top.rst_ni = 0;
        top.clk_i = 0;
        waves.touch(Picoseconds(0));
        top.eval();
        waves.touch(Picoseconds(1000));
        top.rst_ni = 1;
        top.eval();
        for (u64 edge = 1; edge <= 3; ++edge) {
            const Picoseconds rise = nanoseconds(10 * edge);
            if (model_signals) {
                waves.set(edges, edge, rise);
            }
            waves.touch(rise);
            top.clk_i = 1;
            top.eval();
            waves.touch(rise + nanoseconds(5));
            top.clk_i = 0;
            top.eval();
        }
        waves.close(nanoseconds(40));
        top.final();
    }
    tb::WaveFile file = tb::read_waves(path.string());
    std::filesystem::remove(path);
    return file;
}

TEST(WavesWithRtl, ShareFileAndTimeAxis)
{
    const tb::WaveFile file = run_toy(true);
    EXPECT_EQ(file.timescale_exponent, -12);
    EXPECT_EQ(file.end, 40000u);
    const std::string zeros(38, '0');
    EXPECT_THAT(file.changes.at("ssd.edges"),
                ElementsAre(Pair(0, zeros + "00"), Pair(10000, zeros + "01"),
                            Pair(20000, zeros + "10"), Pair(30000, zeros + "11")));
    EXPECT_THAT(file.changes.at("rtl.waves_toy.clk_i"),
                ElementsAre(Pair(0, "0"), Pair(10000, "1"), Pair(15000, "0"), Pair(20000, "1"),
                            Pair(25000, "0"), Pair(30000, "1"), Pair(35000, "0")));
    EXPECT_THAT(file.changes.at("rtl.waves_toy.rst_ni"),
                ElementsAre(Pair(0, "0"), Pair(1000, "1")));
    EXPECT_THAT(file.changes.at("rtl.waves_toy.count_o"),
                ElementsAre(Pair(0, "0000"), Pair(10000, "0001"), Pair(20000, "0010"),
                            Pair(30000, "0011")));
    EXPECT_THAT(file.changes.at("rtl.waves_toy.state_q"),
                ElementsAre(Pair(0, "00"), Pair(10000, "01")));
    // Both sides number their enum types from 1; neither may get the other's names.
    EXPECT_EQ(file.enums.at("rtl.waves_toy.state_q"), "waves_toy.state_e 3 Idle Run Full 00 01 10");
    EXPECT_EQ(file.enums.at("ssd.edges").substr(0, 21), "phase_e 2 Low High 00");
}

TEST(WavesWithRtl, RtlAloneGivesTheSameRtlSignals)
{
    const tb::WaveFile both = run_toy(true);
    const tb::WaveFile alone = run_toy(false);
    EXPECT_EQ(alone.paths.size() + 1, both.paths.size());
    for (const std::string& path : alone.paths) {
        EXPECT_EQ(alone.changes.at(path), both.changes.at(path)) << path;
    }
}

} // namespace
} // namespace tlmssd::observe
