// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_reset: low at once, without a clock; high after the second edge since its input.
#include <VUnitReset.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

class UnitReset : public testing::Test {
protected:
    UnitReset()
    {
        dut->clk_i = 0;
        set(1);
        set(0);
    }
    void set(u8 reset)
    {
        dut->rst_ni = reset;
        dut.settle();
    }
    u32 edge()
    {
        dut->clk_i = 1;
        dut.settle();
        dut->clk_i = 0;
        dut.settle();
        return dut->rst_no;
    }
    Dut<VUnitReset> dut;
};

TEST_F(UnitReset, BeginsWithoutAClock)
{
    EXPECT_EQ(dut->rst_no, 0);
    set(1);
    edge();
    ASSERT_EQ(edge(), 1u);
    set(0);
    EXPECT_EQ(dut->rst_no, 0);
}

TEST_F(UnitReset, EndsAtTheSecondEdge)
{
    for (u32 length = 0; length < 4; ++length) { // edges of the reset itself
        set(0);
        for (u32 i = 0; i < length; ++i) {
            EXPECT_EQ(edge(), 0u);
        }
        set(1);
        EXPECT_EQ(dut->rst_no, 0) << "without an edge";
        EXPECT_EQ(edge(), 0u);
        EXPECT_EQ(edge(), 1u);
        EXPECT_EQ(edge(), 1u);
    }
}

// An input that rises for one edge alone releases nothing, and what that edge has begun is forgotten.
TEST_F(UnitReset, BeginsAgainFromTheStart)
{
    set(1);
    EXPECT_EQ(edge(), 0u);
    set(0);
    set(1);
    EXPECT_EQ(edge(), 0u);
    EXPECT_EQ(edge(), 1u);
}

} // namespace
} // namespace tlmssd::tb
