// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Unicorn back-end on programs of a few instructions (encodings checked with objdump).
#include <gmock/gmock.h>

#include <cstring>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/cpu/iss_if.h"
#include "tb/cpu/iss_support.h"

namespace tlmssd::cpu::test {

namespace {

using testing::HasSubstr;

constexpr u32 kWfi = 0x10500073;
constexpr u32 kCode = 0x1000;

class Registers final : public IssRegistersIf {
public:
    u32 load(u32 offset) noexcept override
    {
        accesses.emplace_back(offset, 0);
        return 7 * offset;
    }
    void store(u32 offset, u32 value) noexcept override { accesses.emplace_back(offset, value); }
    std::vector<std::pair<u32, u32>> accesses;
};

class Iss : public testing::Test {
protected:
    void SetUp() override
    {
        TLMSSD_NEEDS_ISS();
        iss = load_iss_unicorn();
        iss->map_memory(0, 0x4000);
        iss->map_registers(0x40000000, 0x1000, registers);
    }
    void program(const std::vector<u32>& words)
    {
        std::memcpy(iss->memory(kCode, 4 * words.size()), words.data(), 4 * words.size());
        iss->set_pc(kCode);
    }

    Registers registers;
    std::unique_ptr<IssIf> iss;
};

TEST_F(Iss, RunsALoopToWfiAndCountsItsCycles)
{
    program({0x00a00293,  // addi t0,zero,10
             0x00000313,  // addi t1,zero,0
             0x00530333,  // add t1,t1,t0
             0xfff28293,  // addi t0,t0,-1
             0xfe029ce3,  // bne t0,zero,-8
             kWfi});
    const IssResult result = iss->run(1000);
    EXPECT_EQ(result.stop, IssStop::Wfi) << result.reason;
    EXPECT_EQ(result.pc, kCode + 24);
    EXPECT_EQ(iss->reg(6), 55u); // 10 + 9 + ... + 1
    EXPECT_EQ(iss->reg(5), 0u);
    EXPECT_EQ(iss->instructions(), 33u); // 2 + 10 * 3 + 1
    EXPECT_EQ(iss->cycles(), 43u);       // 2 + 10 * (1 + 1 + 2) + 1
}

TEST_F(Iss, EachRegisterAccessHappensOnceAndARunGoesOnBehindWfi)
{
    program({0x400002b7,  // lui t0,0x40000
             0x0042a303,  // lw t1,4(t0)
             0x0462a223,  // sw t1,68(t0)
             kWfi,
             0x0462a223,  // sw t1,68(t0)
             kWfi});
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    EXPECT_THAT(registers.accesses, testing::ElementsAre(std::pair(4u, 0u), std::pair(68u, 28u)));
    EXPECT_EQ(iss->cycles(), 18u); // 1 + 6 + 2 + 1, two accesses of 4 wait states
    iss->set_reg(6, 5);
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    ASSERT_EQ(registers.accesses.size(), 3u);
    EXPECT_EQ(registers.accesses[2], std::pair(68u, 5u));
    EXPECT_EQ(iss->pc(), kCode + 24);
    EXPECT_EQ(iss->cycles(), 18u + 2 + 4 + 1);
}

TEST_F(Iss, FreeCodeAndTheCallToItCostNothing)
{
    program({0x400002b7,  // lui t0,0x40000
             0x00c000ef,  // jal ra,12
             kWfi,
             kWfi,
             0x0002a023,  // sw zero,0(t0)
             0x00008067}); // jalr zero,0(ra)
    iss->set_free_code(kCode + 16, kCode + 24);
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    EXPECT_EQ(registers.accesses.size(), 1u);
    EXPECT_EQ(iss->instructions(), 5u);
    EXPECT_EQ(iss->cycles(), 2u); // lui and wfi
}

TEST_F(Iss, AnAccessWithoutMemoryIsAFaultThatNamesTheAddress)
{
    program({0x200002b7,  // lui t0,0x20000
             0x0102a303,  // lw t1,16(t0)
             kWfi});
    const IssResult result = iss->run(1000);
    EXPECT_EQ(result.stop, IssStop::Fault);
    EXPECT_THAT(result.reason, HasSubstr("load"));
    EXPECT_THAT(result.reason, HasSubstr("0x20000010"));
    EXPECT_EQ(result.pc, kCode + 4); // of the load itself
}

TEST_F(Iss, CodeIsReadOnlyAndOnlyCodeIsExecuted)
{
    iss->map_memory(0x10000000, 0x1000);
    program({0x00002023,  // sw zero,0(zero): a null pointer
             kWfi,
             0x100002b7,   // lui t0,0x10000
             0x00028067}); // jalr zero,0(t0)
    IssResult result = iss->run(1000);
    EXPECT_EQ(result.stop, IssStop::Fault);
    EXPECT_THAT(result.reason, HasSubstr("store of 4 bytes at 0x00000000: read-only code memory"));
    iss->set_pc(kCode + 8);
    result = iss->run(1000);
    EXPECT_EQ(result.stop, IssStop::Fault);
    EXPECT_THAT(result.reason, HasSubstr("not code"));
}

TEST_F(Iss, StoresAreSeenByLoadsAndByTheHostInBothDirections)
{
    iss->map_memory(0x10000000, 0x2000);
    program({0x100012b7,  // lui t0,0x10001
             0x05500313,  // addi t1,zero,85
             0xfe62ae23,  // sw t1,-4(t0): the last word of a page
             0x0062a023,  // sw t1,0(t0): the first of the next
             0xffc2a383,  // lw t2,-4(t0)
             kWfi, 0x0002a383, // lw t2,0(t0)
             kWfi});
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    EXPECT_EQ(iss->reg(7), 85u);
    EXPECT_EQ(*iss->memory(0x10000ffc, 4), 85);
    *iss->memory(0x10001000, 4) = 7;
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    EXPECT_EQ(iss->reg(7), 7u);
}

TEST_F(Iss, CyclesGoToTheSelectedTotalAndToTheirBlock)
{
    iss->map_memory(0x10000000, 0x1000);
    u64 totals[2] = {0, 0};
    iss->count_by(reinterpret_cast<const u32*>(iss->memory(0x10000000, 4)), totals, 2);
    program({0x100002b7,  // lui t0,0x10000
             0x00100313,  // addi t1,zero,1
             0x0062a023,  // sw t1,0(t0): total 1 from the next block on
             0x0040006f,  // jal zero,4
             0x00000013,  // nop
             kWfi});
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    EXPECT_EQ(totals[0], 1u + 1u + 2u + 2u);
    EXPECT_EQ(totals[1], 1u + 1u);
    EXPECT_EQ(totals[0] + totals[1], iss->cycles());
    const std::vector<IssBlockCost> blocks = iss->profile();
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].address, kCode);
    EXPECT_EQ(blocks[0].cycles, 6u);
    EXPECT_EQ(blocks[1].address, kCode + 16);
    EXPECT_EQ(blocks[1].cycles, 2u);
    EXPECT_EQ(blocks[1].executions, 1u);
    iss->clear_profile();
    EXPECT_TRUE(iss->profile().empty());
}

TEST_F(Iss, AnIllegalInstructionIsAFault)
{
    program({0x00000013, 0x00000007, kWfi}); // nop, flw
    const IssResult result = iss->run(1000);
    EXPECT_EQ(result.stop, IssStop::Fault);
    EXPECT_EQ(result.reason, "illegal instruction");
    EXPECT_EQ(result.pc, kCode + 4);
}

TEST_F(Iss, TheWatchdogBitesAnEndlessLoop)
{
    program({0x00000013, 0x0000006f, kWfi}); // nop; jal zero,0
    const IssResult result = iss->run(500);
    EXPECT_EQ(result.stop, IssStop::Watchdog);
    EXPECT_EQ(result.pc, kCode + 4);
    EXPECT_EQ(iss->instructions(), 500u);
}

TEST_F(Iss, MemoryIsFoundOnlyInsideOneMapping)
{
    EXPECT_NE(iss->memory(0x3ffc, 4), nullptr);
    EXPECT_EQ(iss->memory(0x3ffd, 4), nullptr);
    EXPECT_EQ(iss->memory(0x40000000, 4), nullptr);
    EXPECT_THROW(iss->map_memory(0x2000, 0x1000), ModelError); // overlaps
}

TEST(IssModule, WrongFilesAreTheUsersError)
{
    EXPECT_THROW(load_iss("/nowhere/libiss.so"), InputError);
    try {
        load_iss("libm.so.6");
        FAIL() << "libm is no ISS";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("not an ISS module"));
    }
}

} // namespace

} // namespace tlmssd::cpu::test
