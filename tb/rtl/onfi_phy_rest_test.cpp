// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL PHY alone, beside its times (onfi_phy_test.cpp): how long each pin of NV-DDR is up,
// pins in and after a reset, and what idle_o promises.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Vonfi_phy.h>

#include "models/flash/rtl/rtl_coverage.h"
#include "models/flash/rtl/rtl_power_on.h"
#include "tb/rtl/phy_bench.h"

namespace tlmssd::tb {
namespace {

std::vector<PhyBus> rest_buses()
{
    std::vector<PhyBus> all;
    for (const BusInterface interface : {BusInterface::Sdr, BusInterface::NvDdr}) {
        for (u32 mode = 0; mode < 6; ++mode) {
            all.push_back({interface, mode, mode % 2 == 0 ? 8u : 16u});
        }
    }
    return all;
}

/// The pins of Vonfi_phy itself, begun with random registers.
class PhyDut {
public:
    PhyDut()
    {
        context_.fatalOnError(false);
        flash::rtl_power_on(context_);
        Verilated::threadContextp(&context_);
        top = std::make_unique<Vonfi_phy>(&context_, "phy");
        top->seg_valid_i = top->wvalid_i = top->reg_write_i = 0;
        top->dq_i = top->dqs_i = 0;
        top->clk_i = 0;
        top->rst_ni = 1;
        top->eval();
    }
    ~PhyDut()
    {
        top->final();
        flash::write_rtl_coverage(context_);
    }
    void edge()
    {
        top->clk_i = 1;
        top->eval();
        top->clk_i = 0;
        top->eval();
    }
    void write(u32 index, u16 value)
    {
        top->reg_write_i = 1;
        top->reg_addr_i = static_cast<u8>(index);
        top->reg_wdata_i = value;
        edge();
        top->reg_write_i = 0;
        top->eval();
    }
    u16 read(u32 index)
    {
        top->reg_addr_i = static_cast<u8>(index);
        top->eval();
        return top->reg_rdata_o;
    }
    /// No CE#, no cycle, nothing driven, nothing said. `clock`: WE# or CLK.
    void expect_rest(bool clock, const std::string& when)
    {
        constexpr u64 kAll = TLMSSD_RTL_LUNS < 64 ? (u64{1} << TLMSSD_RTL_LUNS) - 1 : ~u64{0};
        EXPECT_EQ(u64{top->ce_no}, kAll) << when;
        EXPECT_EQ(top->cle_o, 0) << when;
        EXPECT_EQ(top->ale_o, 0) << when;
        EXPECT_EQ(top->we_no, clock) << when;
        EXPECT_EQ(top->re_no, 1) << when;
        EXPECT_EQ(top->dq_oe_o, 0) << when;
        EXPECT_EQ(top->dqs_oe_o, 0) << when;
        EXPECT_EQ(top->rvalid_o, 0) << when;
        EXPECT_EQ(top->seg_done_o, 0) << when;
        EXPECT_EQ(top->run_o, 0) << when;
        EXPECT_FALSE(context_.gotError()) << when;
    }

private:
    VerilatedContext context_;

public:
    std::unique_ptr<Vonfi_phy> top;
};

/// Power-on with each of some seeds; afterwards the one of the whole test program again.
template <class Body>
void with_power_on_seeds(Body body)
{
    const int before = flash::rtl_power_on_seed;
    for (int seed = before; seed < before + 8; ++seed) {
        SCOPED_TRACE("power-on seed " + std::to_string(seed));
        flash::rtl_power_on_seed = seed;
        body();
    }
    flash::rtl_power_on_seed = before;
}

/// docs/explanation/rtl-pins.md: the PHY's reset is asynchronous, so that the pins rest before there is a clock.
TEST(OnfiPhyReset, PinsRestWithoutAClockAndStayAtRest)
{
    with_power_on_seeds([] {
        PhyDut dut;
        dut.top->rst_ni = 0;
        dut.top->eval();
        dut.expect_rest(true, "in reset");
        for (u32 i = 0; i < flash::kPhyRegisters; ++i) {
            EXPECT_EQ(dut.read(i), 0) << "register " << i;
        }
        dut.top->rst_ni = 1;
        dut.top->eval();
        for (u32 n = 0; n < 4; ++n) {
            dut.edge();
            dut.expect_rest(true, "SDR");
        }
        dut.write(static_cast<u32>(PhyRegister::Half), 2);
        dut.write(static_cast<u32>(PhyRegister::Out), 4);
        dut.write(static_cast<u32>(PhyRegister::Control), flash::kPhyDdr);
        for (u32 n = 0; n < 8; ++n) {
            dut.expect_rest(false, "NV-DDR");
            EXPECT_EQ(dut.top->idle_o, 1);
            dut.edge();
        }
    });
}

/// An edge that writes a register is one that changes something.
TEST(OnfiPhyRegisters, AWriteIsNotIdle)
{
    PhyDut dut;
    dut.top->rst_ni = 0;
    dut.edge();
    dut.top->rst_ni = 1;
    dut.edge();
    EXPECT_EQ(dut.top->idle_o, 1);
    dut.top->reg_write_i = 1;
    dut.top->reg_addr_i = 1;
    dut.top->eval();
    EXPECT_EQ(dut.top->idle_o, 0);
}

class OnfiPhyPins : public testing::TestWithParam<PhyBus> {};

/// Of each primitive, by the registers: a cycle has CLK high from WeFall to WeRise; a burst has CLE and ALE high and
/// a CLK of half a tCK a strobe; only a burst in drives DQS, half a tCK of each strobe. SDR has no DQS, and never both.
TEST_P(OnfiPhyPins, AreUpForTheClocksOfTheirRegisters)
{
    const PhyBus bus = GetParam();
    PhyBench bench(config_of(bus));
    const PhySetup& s = bench.setup;
    bench.boot();
    bench.target.byte = pattern;
    const bool ddr = bus.interface != BusInterface::Sdr;
    for (const PhyCase& c : phy_cases(ddr)) {
        const bool in = c.segment.direction == onfi::DataDirection::In;
        const bool out = c.segment.direction == onfi::DataDirection::Out;
        const PhyRun ran = bench.run(c.request, in ? std::vector<u8>(kBurst, 0x5a) : std::vector<u8>{});
        if (!ddr) {
            EXPECT_EQ(ran.dqs_driven, 0u) << c.name;
            EXPECT_EQ(ran.both_high, 0u) << c.name;
            bench.rest();
            continue;
        }
        const u32 strobe_bytes = c.segment.narrow ? 1 : 2 * bus.width / 8;
        const u32 strobes = in || out ? c.segment.data_bytes / strobe_bytes : 0;
        const u32 pulse = u32{s[PhyRegister::WeRise]} - s[PhyRegister::WeFall];
        EXPECT_EQ(ran.we_high, c.cycles.size() * pulse + strobes * s[PhyRegister::Half]) << c.name;
        const u32 burst = in    ? s[PhyRegister::PreIn] + strobes * s[PhyRegister::In] + s[PhyRegister::PostIn]
                          : out ? s[PhyRegister::PreOut] + strobes * s[PhyRegister::Out]
                                : 0;
        EXPECT_EQ(ran.both_high, burst) << c.name;
        EXPECT_EQ(ran.dqs_driven, in ? burst : 0) << c.name;
        EXPECT_EQ(ran.dqs_high, in ? strobes * s[PhyRegister::Half] : 0) << c.name;
        bench.rest();
    }
}

/// Once idle_o is high no edge changes an output: after every primitive, and it does become high.
TEST_P(OnfiPhyPins, WhatIsIdleStaysAsItIs)
{
    PhyBench bench(config_of(GetParam()));
    bench.boot();
    bench.target.byte = pattern;
    for (const PhyCase& c : phy_cases(GetParam().interface != BusInterface::Sdr)) {
        bench.run(c.request, std::vector<u8>(c.segment.direction == onfi::DataDirection::In ? kBurst : 0, 0x5a));
        flash::PhyModelIf& model = bench.model();
        ASSERT_LT(bench.rest(), 1000u) << c.name;
        const onfi::Pins pins = flash::onfi_pins(model.pins());
        for (u32 n = 0; n < 8; ++n) {
            bench.step();
            EXPECT_TRUE(model.idle()) << c.name;
            EXPECT_EQ(flash::onfi_pins(model.pins()), pins) << c.name;
            EXPECT_FALSE(model.word_out()) << c.name;
            EXPECT_FALSE(model.done()) << c.name;
            EXPECT_EQ(model.run(), 0) << c.name;
        }
    }
}

/// A segment that stands after its end is not begun again, and no time of it runs. tCEH is 0: nothing else holds it.
TEST_P(OnfiPhyPins, ASegmentThatStandsAfterItsEndEndsOnce)
{
    for (const bool ceh : {false, true}) {
        PhyBench bench(config_of(GetParam()));
        if (!ceh) {
            bench.setup[PhyRegister::Ceh] = bench.setup[PhyRegister::Rhw] = 0;
        }
        bench.boot();
        flash::PhyModelIf& model = bench.model();
        const SegmentRequest status = request_of(Phase::Status, FLASH_OP_PROGRAM);
        EXPECT_TRUE(model.idle());
        model.request(&status);
        model.settle();
        EXPECT_FALSE(model.idle()) << "a segment is asked for";
        model.request(nullptr);
        model.settle();
        bench.run(status);
        model.settle();
        EXPECT_FALSE(model.idle()) << "in the clock of seg_done_o";
        model.request(&status);
        model.settle();
        for (u32 n = 0; n < 6; ++n) {
            bench.step();
            EXPECT_FALSE(model.done()) << n;
            EXPECT_FALSE(model.idle()) << n;
            EXPECT_EQ(model.pins().ce_n, ~u32{0}) << n;
            EXPECT_EQ(model.run(), 0) << n;
        }
    }
}

/// run_o while a segment waits: tCEH on the same CE#, tRHW on another after a burst out; one clock behind the step.
TEST_P(OnfiPhyPins, WhichTimeASegmentWaitsFor)
{
    constexpr u8 kRhw = 11, kCeh = 12; // onfi_pkg::RUN_RHW, RUN_CEH
    for (const u32 ce : {kCe, u32{0}}) {
        PhyBench bench(config_of(GetParam()));
        PhySetup& s = bench.setup;
        s[PhyRegister::Ceh] = static_cast<u16>(s[PhyRegister::Cs] + s[PhyRegister::Cycle]); // the most that is legal
        s[PhyRegister::Rhw] = static_cast<u16>(ce == kCe ? 0 : s[PhyRegister::Cs] + 9);
        bench.boot();
        bench.run(request_of(Phase::Status, FLASH_OP_PROGRAM));
        bench.step();
        SegmentRequest next = request_of(Phase::Status, FLASH_OP_PROGRAM);
        next.ce = static_cast<u8>(ce);
        flash::PhyModelIf& model = bench.model();
        model.settle();
        bench.step();
        EXPECT_EQ(model.run(), 0) << "nothing waits";
        model.request(&next);
        model.settle();
        u32 waited = 0;
        for (bench.step(); model.pins().ce_n == ~u32{0}; bench.step()) {
            EXPECT_EQ(model.run(), ce == kCe ? kCeh : kRhw);
            ASSERT_LT(++waited, 1000u);
        }
        EXPECT_GT(waited, 2u);
        EXPECT_EQ(model.run(), 0) << "in the clock in which it begins nothing waits any more";
        for (u32 n = 0; n < 1000 && !model.done(); ++n) {
            bench.step();
        }
        model.request(nullptr);
    }
}

/// Several LUNs a CE#: 78h and a row choose; where operations may fail, 70h asks for all planes of several.
TEST_P(OnfiPhyPins, StatusOfSeveralLunsOnACe)
{
    PhyBench bench(config_of(GetParam()));
    bench.setup[PhyRegister::Control] |= flash::kPhyEnhanced;
    const std::vector<std::string> enhanced = joined({"c 78"}, kRow);
    const auto cycles = [&bench](u8 nplanes) {
        std::vector<std::string> found = bench.run(request_of(Phase::Status, FLASH_OP_PROGRAM, nplanes)).cycles;
        bench.rest();
        found.erase(std::remove_if(found.begin(), found.end(),
                                   [](const std::string& cycle) { return cycle[0] != 'c' && cycle[0] != 'a'; }),
                    found.end());
        return found;
    };
    bench.boot();
    EXPECT_EQ(cycles(1), enhanced);
    EXPECT_EQ(cycles(2), enhanced);
    bench.setup[PhyRegister::Control] |= flash::kPhyFails;
    bench.boot();
    EXPECT_EQ(cycles(1), enhanced);
    EXPECT_EQ(cycles(2), joined({"c 78"}, kRow, {"c 70"}));
}

INSTANTIATE_TEST_SUITE_P(Modes, OnfiPhyPins, testing::ValuesIn(rest_buses()), [](const auto& bench_of) {
    const PhyBus& bus = bench_of.param;
    return std::string(bus.interface == BusInterface::Sdr ? "Sdr" : "NvDdr") + std::to_string(bus.mode) + "x" +
           std::to_string(bus.width);
});

} // namespace
} // namespace tlmssd::tb
