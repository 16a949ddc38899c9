// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the check of arcs that the coverage build binds to state registers (tb/rtl/cover/cover.svh): an arc that is
// not listed fails, and a state from before a reset begins no arc.
#include <string>

#include <gtest/gtest-spi.h>

#include <Varcs_cover.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

class Arcs : public ClockedDut<Varcs_cover> {
public:
    /// A register that holds `state` at an edge.
    void at(u8 state)
    {
        (*this)->state_i = state;
        settle();
        edge();
    }
    /// A reset that no edge sees, as the pins of onfi_phy have before there is a clock.
    void reset_without_a_clock()
    {
        (*this)->clk_i = 0;
        for (const u8 level : {1, 0, 1}) {
            (*this)->rst_ni = level;
            settle();
        }
    }
};

TEST(UnitCover, AStateFromBeforeAResetBeginsNoArc)
{
    const int before = flash::rtl_power_on_seed;
    for (int seed = before; seed < before + 16; ++seed) { // each begins with another state
        SCOPED_TRACE("power-on seed " + std::to_string(seed));
        flash::rtl_power_on_seed = seed;
        Arcs dut;
        dut.reset_without_a_clock();
        dut.at(1);
        dut.at(1);
    }
    flash::rtl_power_on_seed = before;
    Arcs dut;
    dut.reset();
    dut.at(3);
    dut.reset_without_a_clock();
    dut.at(1); // from 3 there is no arc
    EXPECT_FALSE(dut.assertion_failed());
}

TEST(UnitCover, AListedArcPassesAndAnotherFails)
{
    for (const bool clock : {false, true}) {
        Arcs dut;
        clock ? dut.reset() : dut.reset_without_a_clock();
        for (const u8 state : {0, 0, 1, 1}) {
            dut.at(state);
        }
        EXPECT_FALSE(dut.assertion_failed());
        EXPECT_NONFATAL_FAILURE(dut.at(0), "an assertion of the RTL failed");
    }
}

} // namespace
} // namespace tlmssd::tb
