// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a debugger on the Unicorn back-end: it sees each instruction once, and costs no cycles.
#include <gmock/gmock.h>

#include <functional>
#include <vector>

#include "models/cpu/iss/gdb_stub.h"
#include "tb/cpu/iss_rig.h"

namespace tlmssd::cpu::test {
namespace {

using testing::ElementsAre;

class Debugger final : public IssDebuggerIf {
public:
    void on_instruction(u32 pc) noexcept override
    {
        seen.push_back(pc - kCode);
        if (act) {
            act(pc - kCode);
        }
    }
    void on_fault(u32 pc, u32 signal) noexcept override
    {
        fault_pc = pc - kCode;
        fault = signal;
    }
    std::vector<u32> seen; ///< offsets
    std::function<void(u32)> act;
    u32 fault_pc = 0, fault = 0;
};

class IssDebugger : public IssTest {
protected:
    void SetUp() override
    {
        IssTest::SetUp();
        if (iss) {
            iss->set_debugger(debugger);
        }
    }
    IssResult run(const std::vector<u32>& words)
    {
        program(words);
        return iss->run(1000);
    }
    Debugger debugger;
};

/// The program and its counts are those of Iss.RunsALoopToWfiAndCountsItsCycles.
TEST_F(IssDebugger, SeesEachInstructionOnceAndCostsNothing)
{
    EXPECT_EQ(run({0x00a00293,  // addi t0,zero,10
                   0x00000313,  // addi t1,zero,0
                   0x00530333,  // add t1,t1,t0
                   0xfff28293,  // addi t0,t0,-1
                   0xfe029ce3,  // bne t0,zero,-8
                   kWfi}).stop,
              IssStop::Wfi);
    EXPECT_EQ(iss->instructions(), 33u);
    EXPECT_EQ(iss->cycles(), 43u);
    ASSERT_EQ(debugger.seen.size(), 33u);
    debugger.seen.resize(6);
    EXPECT_THAT(debugger.seen, ElementsAre(0u, 4u, 8u, 12u, 16u, 8u));
}

TEST_F(IssDebugger, LeavesRegisterAccessesSingle)
{
    EXPECT_EQ(run({0x400002b7,  // lui t0,0x40000
                   0x0042a303,  // lw t1,4(t0)
                   0x0462a223,  // sw t1,68(t0)
                   kWfi}).stop,
              IssStop::Wfi);
    EXPECT_EQ(registers.accesses.size(), 2u);
    EXPECT_EQ(iss->cycles(), 18u);
    EXPECT_THAT(debugger.seen, ElementsAre(0u, 4u, 8u, 12u));
}

TEST_F(IssDebugger, ReadsAndWritesRegistersInTheMiddleOfABlock)
{
    u32 t0 = 0, pc = 0;
    debugger.act = [&](u32 offset) {
        if (offset == 4) {
            t0 = iss->reg(5);
            pc = iss->pc();
            iss->set_reg(5, 100);
        }
    };
    EXPECT_EQ(run({0x00a00293,   // addi t0,zero,10
                   0x00528313,   // addi t1,t0,5
                   kWfi}).stop,
              IssStop::Wfi);
    EXPECT_EQ(t0, 10u);
    EXPECT_EQ(pc, kCode + 4);
    EXPECT_EQ(iss->reg(6), 105u);
}

TEST_F(IssDebugger, SetsThePc)
{
    debugger.act = [&](u32 offset) {
        if (offset == 4) {
            iss->set_pc(kCode + 8);
        }
    };
    EXPECT_EQ(run({0x00a00293,   // addi t0,zero,10
                   0x00b00293,   // addi t0,zero,11: passed over
                   0x00528313,   // addi t1,t0,5
                   kWfi}).stop,
              IssStop::Wfi);
    EXPECT_EQ(iss->reg(6), 15u);
    EXPECT_THAT(debugger.seen, ElementsAre(0u, 4u, 8u, 12u));
}

TEST_F(IssDebugger, IsToldOfFaults)
{
    EXPECT_EQ(run({0x200002b7,  // lui t0,0x20000
                   0x0102a303,  // lw t1,16(t0): no memory
                   kWfi}).stop,
              IssStop::Fault);
    EXPECT_EQ(debugger.fault, kGdbAccess);
    EXPECT_EQ(debugger.fault_pc, 4u);
}

TEST_F(IssDebugger, IsToldOfIllegalInstructions)
{
    EXPECT_EQ(run({0x00000013, 0}).stop, IssStop::Fault); // nop, illegal
    EXPECT_EQ(debugger.fault, kGdbIllegal);
    EXPECT_EQ(debugger.fault_pc, 4u);
}

TEST_F(IssDebugger, IsToldOfTheWatchdog)
{
    EXPECT_EQ(run({0x0000006f}).stop, IssStop::Watchdog); // jal zero,0
    EXPECT_EQ(debugger.fault, kGdbWatchdog);
    EXPECT_EQ(debugger.fault_pc, 0u);
}

} // namespace
} // namespace tlmssd::cpu::test
