// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Unicorn back-end on programs of a few instructions (encodings checked with objdump).
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/cpu/iss/iss_if.h"
#include "tb/cpu/iss_rig.h"

namespace tlmssd::cpu::test {

namespace {

using testing::HasSubstr;

class Iss : public IssTest {};

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
    EXPECT_EQ(iss->cycles(), 18u); // 1 + (2 + 8) + (1 + 5) + 1
    iss->set_reg(6, 5);
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    ASSERT_EQ(registers.accesses.size(), 3u);
    EXPECT_EQ(registers.accesses[2], std::pair(68u, 5u));
    EXPECT_EQ(iss->pc(), kCode + 24);
    EXPECT_EQ(iss->cycles(), 18u + 1 + 5 + 1);
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
    iss->map_memory(0x10000000, 0x1000, kTcmWaits);
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
    iss->map_memory(0x10000000, 0x2000, kTcmWaits);
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
    iss->map_memory(0x10000000, 0x1000, kTcmWaits);
    u64 totals[2] = {0, 0};
    iss->count_by(reinterpret_cast<const u32*>(iss->memory(0x10000000, 4)), totals, 2);
    program({0x100002b7,  // lui t0,0x10000
             0x00100313,  // addi t1,zero,1
             0x0062a023,  // sw t1,0(t0): total 1 from the next block on
             0x0040006f,  // jal zero,4
             0x00000013,  // nop
             kWfi});
    EXPECT_EQ(iss->run(1000).stop, IssStop::Wfi);
    EXPECT_EQ(totals[0], 1u + 1u + 1u + 2u);
    EXPECT_EQ(totals[1], 1u + 1u);
    EXPECT_EQ(totals[0] + totals[1], iss->cycles());
    const std::vector<IssBlockCost> blocks = iss->profile();
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].address, kCode);
    EXPECT_EQ(blocks[0].cycles, 5u);
    EXPECT_EQ(blocks[1].address, kCode + 16);
    EXPECT_EQ(blocks[1].cycles, 2u);
    EXPECT_EQ(blocks[1].executions, 1u);
    iss->clear_profile();
    EXPECT_TRUE(iss->profile().empty());
}

/// Wait states by address, the same with a Unicorn of which only the documented functions are used.
class WaitStates : public testing::TestWithParam<bool> {
protected:
    void SetUp() override
    {
        TLMSSD_NEEDS_ISS();
        if (GetParam()) {
            ::setenv("TLMSSD_ISS_PLAIN", "1", 1);
        }
        iss = load_iss_unicorn();
        ::unsetenv("TLMSSD_ISS_PLAIN");
        iss->map_memory(0, 0x4000, kTcmWaits);
        iss->map_memory(0x10000000, 0x2000, kTcmWaits);
        iss->map_memory(0x80000000, 0x4000, {30, 7});
        iss->map_memory(0x90000000, 0x1000, {400, 0});
    }
    u64 run(const std::vector<u32>& words)
    {
        std::memcpy(iss->memory(at, 4 * words.size()), words.data(), 4 * words.size());
        iss->set_pc(at);
        at += 4 * static_cast<u32>(words.size());
        const u64 before = iss->cycles();
        const IssResult result = iss->run(10000);
        EXPECT_EQ(result.stop, IssStop::Wfi) << result.reason;
        return iss->cycles() - before;
    }

    u32 at = kCode;
    std::unique_ptr<IssIf> iss;
};

TEST_P(WaitStates, AreThoseOfTheMemoryWhateverTheBaseRegister)
{
    *iss->memory(0x80001ffc, 4) = 0x85;
    EXPECT_EQ(run({0x800022b7,  // lui t0,0x80002
                   0x10001137,  // lui sp,0x10001
                   0xffc2a303,  // lw t1,-4(t0)      2 + 30
                   0x00612023,  // sw t1,0(sp)       1
                   0x00012383,  // lw t2,0(sp)       2
                   0x0072a023,  // sw t2,0(t0)       1 + 7
                   0x80000137,  // lui sp,0x80000
                   0x00012e03,  // lw t3,0(sp)       2 + 30: sp is not always the stack
                   0x90000eb7,  // lui t4,0x90000
                   0x000eaf03,  // lw t5,0(t4)       2 + 400
                   0x006ea023,  // sw t1,0(t4)       1: stores have no wait states there
                   kWfi}),
              4u + 4 * 2 + 3 * 1 + 1 + 30 + 30 + 7 + 400);
    EXPECT_EQ(iss->reg(6), 0x85u);
    EXPECT_EQ(*iss->memory(0x80002000, 4), 0x85);
    EXPECT_EQ(*iss->memory(0x90000000, 4), 0x85);
}

TEST_P(WaitStates, AreOnceAnAccessOfAnySizeInALoop)
{
    EXPECT_EQ(run({0x800002b7,  // lui t0,0x80000
                   0x00300313,  // addi t1,zero,3
                   0x0002c383,  // lbu t2,0(t0)      2 + 30
                   0x00029e03,  // lh t3,0(t0)       2 + 30
                   0x0002a383,  // lw t2,0(t0)       2 + 30
                   0x00628023,  // sb t1,0(t0)       1 + 7
                   0x00629123,  // sh t1,2(t0)       1 + 7
                   0x0062a223,  // sw t1,4(t0)       1 + 7
                   0xfff30313,  // addi t1,t1,-1     1
                   0xfe0312e3,  // bne t1,zero,-28   2
                   kWfi}),
              2u + 3 * (3 * 32 + 3 * 8 + 1 + 2) + 1);
    EXPECT_EQ(*reinterpret_cast<const u32*>(iss->memory(0x80000000, 4)), 0x00010001u);
    EXPECT_EQ(*iss->memory(0x80000004, 4), 1);
}

TEST_P(WaitStates, OfAnAtomicAreALoadsAndAStores)
{
    EXPECT_EQ(run({0x800002b7,  // lui t0,0x80000
                   0x0002a303,  // lw t1,0(t0)           2 + 30
                   0x0062a3af,  // amoadd.w t2,t1,(t0)   8 + 30 + 7
                   0x0002a303,  // lw t1,0(t0)           2 + 30
                   0x0062a223,  // sw t1,4(t0)           1 + 7
                   kWfi}),
              1u + 32 + 45 + 32 + 8 + 1);
}

TEST_P(WaitStates, AFaultBesideTheMemoryIsStillOne)
{
    const std::vector<u32> words{0x800042b7,  // lui t0,0x80004
                                 0xffc2a303,  // lw t1,-4(t0)
                                 0x0002a303,  // lw t1,0(t0): behind the end
                                 kWfi};
    std::memcpy(iss->memory(kCode, 16), words.data(), 16);
    iss->set_pc(kCode);
    const IssResult result = iss->run(100);
    EXPECT_EQ(result.stop, IssStop::Fault);
    EXPECT_THAT(result.reason, HasSubstr("load of 4 bytes at 0x80004000"));
}

INSTANTIATE_TEST_SUITE_P(Unicorn, WaitStates, testing::Bool(),
                         [](const auto& p) { return p.param ? "plain" : "inside"; });

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
    EXPECT_THROW(iss->map_memory(0x2000, 0x1000, kTcmWaits), ModelError); // overlaps
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
