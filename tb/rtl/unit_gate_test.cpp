// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_gate: a clock cell with two enables, which count at the rising edge alone.
#include <VUnitGate.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

class UnitGate : public testing::Test {
protected:
    UnitGate() { drive(0, 0, 0); }
    /// The level of the gated clock.
    u32 drive(u8 clock, u8 enable, u8 test)
    {
        dut->clk_i = clock;
        dut->en_i = enable;
        dut->test_en_i = test;
        dut.settle();
        return dut->clk_o;
    }
    Dut<VUnitGate> dut;
};

TEST_F(UnitGate, EitherEnableLetsAnEdgeThrough)
{
    for (u8 enables = 0; enables < 4; ++enables) {
        const u8 enable = enables & 1;
        const u8 test = enables >> 1;
        EXPECT_EQ(drive(0, enable, test), 0u) << "low with the clock, enables " << u32{enables};
        EXPECT_EQ(drive(1, enable, test), enables != 0 ? 1u : 0u) << "enables " << u32{enables};
    }
}

TEST_F(UnitGate, AnEnableThatComesLateMakesNoEdge)
{
    for (const bool test : {false, true}) {
        drive(0, 0, 0);
        EXPECT_EQ(drive(1, 0, 0), 0u);
        EXPECT_EQ(drive(1, !test, test), 0u) << "the clock is high already";
        EXPECT_EQ(drive(0, !test, test), 0u);
        EXPECT_EQ(drive(1, !test, test), 1u) << "the next edge goes through";
    }
}

TEST_F(UnitGate, AnEnableThatGoesEarlyDoesNotCutThePulse)
{
    for (const bool test : {false, true}) {
        drive(0, !test, test);
        EXPECT_EQ(drive(1, !test, test), 1u);
        EXPECT_EQ(drive(1, 0, 0), 1u) << "until the clock falls";
        EXPECT_EQ(drive(0, 0, 0), 0u);
        EXPECT_EQ(drive(1, 0, 0), 0u);
    }
}

} // namespace
} // namespace tlmssd::tb
