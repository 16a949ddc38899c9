// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: classes and costs of RV32IMAC instructions; the documented table.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "models/cpu/iss/iss_cycles.h"
#include "models/cpu/iss/iss_disasm.h"

namespace tlmssd::cpu::test {

namespace {

TEST(InsnClasses, OfUncompressedInstructions)
{
    const std::pair<u32, InsnClass> cases[] = {
        {0x00a00293, InsnClass::Alu},        // addi t0,zero,10
        {0x400002b7, InsnClass::Alu},        // lui t0,0x40000
        {0x00530333, InsnClass::Alu},        // add t1,t1,t0
        {0x0042a303, InsnClass::Load},       // lw t1,4(t0)
        {0x00812503, InsnClass::Load},       // lw a0,8(sp)
        {0x0462a223, InsnClass::Store},      // sw t1,68(t0)
        {0x00a12423, InsnClass::Store},      // sw a0,8(sp)
        {0xfe029ce3, InsnClass::Branch},     // bne t0,zero,-8
        {0x010000ef, InsnClass::Jump},       // jal ra,16
        {0x00008067, InsnClass::Jump},       // jalr zero,0(ra)
        {0x02c58533, InsnClass::Multiply},   // mul a0,a1,a2
        {0x02c5d533, InsnClass::Divide},     // divu a0,a1,a2
        {0x00b6252f, InsnClass::Atomic},     // amoadd.w a0,a1,(a2)
        {0x1005a52f, InsnClass::Atomic},     // lr.w a0,(a1)
        {0x0ff0000f, InsnClass::Fence},      // fence
        {0x34102573, InsnClass::Csr},        // csrrs a0,mepc,zero
        {0x10500073, InsnClass::Wait},       // wfi
        {0x00000073, InsnClass::Trap},       // ecall
        {0x30200073, InsnClass::Trap},       // mret
        {0x00000007, InsnClass::Trap},       // flw: no floating point
    };
    for (const auto& [bits, wanted] : cases) {
        EXPECT_EQ(classify(bits), wanted) << std::hex << bits;
    }
}

TEST(InsnClasses, OfCompressedInstructions)
{
    const std::pair<u32, InsnClass> cases[] = {
        {0x0808, InsnClass::Alu},        // c.addi4spn a0,sp,16
        {0x41c8, InsnClass::Load},       // c.lw a0,4(a1)
        {0xc1c8, InsnClass::Store},      // c.sw a0,4(a1)
        {0x0505, InsnClass::Alu},        // c.addi a0,1
        {0x2001, InsnClass::Jump},       // c.jal
        {0x450d, InsnClass::Alu},        // c.li a0,3
        {0xbff5, InsnClass::Jump},       // c.j
        {0xdd6d, InsnClass::Branch},     // c.beqz
        {0x050e, InsnClass::Alu},        // c.slli
        {0x4522, InsnClass::Load},       // c.lwsp
        {0xc42a, InsnClass::Store},      // c.swsp
        {0x8502, InsnClass::Jump},       // c.jr
        {0x9502, InsnClass::Jump},       // c.jalr
        {0x852e, InsnClass::Alu},        // c.mv
        {0x952e, InsnClass::Alu},        // c.add
        {0x8d0d, InsnClass::Alu},        // c.sub
        {0x6505, InsnClass::Alu},        // c.lui
        {0x9002, InsnClass::Trap},       // c.ebreak
        {0x0000, InsnClass::Trap},       // defined illegal
    };
    for (const auto& [bits, wanted] : cases) {
        EXPECT_EQ(classify(bits), wanted) << std::hex << bits;
        EXPECT_EQ(classify(bits | 0xffff0000u), wanted) << "the upper half must not count";
    }
}

TEST(BlockCost, AddsUpMixedLengthsAndLeavesOutFreeCalls)
{
    /* 0x100: c.lw (2), 0x102: lw a0,8(sp) (2), 0x106: jal ra,16 -> 0x116 (2), 6 in all */
    const u8 code[] = {0xc8, 0x41, 0x03, 0x25, 0x81, 0x00, 0xef, 0x00, 0x00, 0x01};
    BlockCost cost = block_cost(code, sizeof code, 0x100, 0);
    EXPECT_EQ(cost.cycles, 6u);
    EXPECT_EQ(cost.instructions, 3u);
    cost = block_cost(code, sizeof code, 0x100, 0x116);
    EXPECT_EQ(cost.cycles, 4u);
    EXPECT_EQ(cost.instructions, 3u);
    /* c.jal to itself; bne backwards by 8 is not a call */
    const u8 call[] = {0x01, 0x20};
    EXPECT_EQ(block_cost(call, sizeof call, 0x40, 0x40).cycles, 0u);
    EXPECT_EQ(block_cost(call, sizeof call, 0x40, 0x44).cycles, 2u);
}

TEST(BlockCost, EndsWithWfi)
{
    /* c.li (1), wfi (1); the c.lw behind it is not executed */
    const u8 code[] = {0x0d, 0x45, 0x73, 0x00, 0x50, 0x10, 0xc8, 0x41};
    EXPECT_EQ(block_cost(code, sizeof code, 0, 0xffffffff).cycles, 2u);
    EXPECT_EQ(block_cost(code, sizeof code, 0, 0xffffffff).instructions, 2u);
}

// Encodings and words as riscv64-unknown-elf-objdump -M numeric,no-aliases shows them (register names
// are the ABI's); the 32-bit form of a compressed instruction is what the assembler makes of it under
// .option norvc.
TEST(Disassemble, ShowsEachFormat)
{
    const std::pair<u32, const char*> cases[] = {
        {0x00a50533, "add a0,a0,a0"},       {0x40b50533, "sub a0,a0,a1"},
        {0x02b50533, "mul a0,a0,a1"},       {0x02b57533, "remu a0,a0,a1"},
        {0xffc52283, "lw t0,-4(a0)"},       {0xfe552e23, "sw t0,-4(a0)"},
        {0x40355513, "srai a0,a0,3"},       {0x123452b7, "lui t0,0x12345"},
        {0xfe029ce3, "bne t0,zero,0x1f8"},  {0x00c000ef, "jal ra,0x20c"},
        {0x00008067, "jalr zero,0(ra)"},    {0x00b5252f, "amoadd.w a0,a1,(a0)"},
        {0x30529073, "csrrw zero,0x305,t0"}, {0x10500073, "wfi"},
        {0x00000007, ".word 0x7"},          {0x00000000, ".half 0x0"},
        {0x41c8, "lw a0,4(a1)"},            {0xc1c8, "sw a0,4(a1)"},
        {0x1141, "addi sp,sp,-16"},         {0xc606, "sw ra,12(sp)"},
        {0x40b2, "lw ra,12(sp)"},           {0x7139, "addi sp,sp,-64"},
        {0x8082, "jalr zero,0(ra)"},        {0x852e, "add a0,zero,a1"},
        {0x8d0d, "sub a0,a0,a1"},           {0x9002, "ebreak"},
        {0xbfe5, "jal zero,0x1f8"},         {0xdd65, "beq a0,zero,0x1f8"},
        {0x0808, "addi a0,sp,16"},          {0x6505, "lui a0,0x1"},
        {0x8505, "srai a0,a0,1"},           {0x0506, "slli a0,a0,1"},
    };
    for (const auto& [bits, text] : cases) {
        EXPECT_EQ(disassemble(bits, 0x200), text) << std::hex << bits;
    }
}

TEST(MemoryAccess, IsBaseAndSignedOffset)
{
    EXPECT_FALSE(memory_access(0x00a50533).any); // add
    MemoryAccess a = memory_access(0xfe552e23); // sw t0,-4(a0)
    EXPECT_TRUE(a.any);
    EXPECT_EQ(a.base, 10u);
    EXPECT_EQ(a.offset, -4);
    a = memory_access(0xc606); // c.swsp ra,12(sp)
    EXPECT_EQ(a.base, 2u);
    EXPECT_EQ(a.offset, 12);
}

TEST(InsnCosts, AreThoseOfTheDocumentation)
{
    std::ifstream doc("docs/explanation/cpu.md");
    ASSERT_TRUE(doc) << "run from the repository's root";
    std::vector<std::pair<std::string, u32>> rows;
    bool in_table = false;
    for (std::string line; std::getline(doc, line);) {
        if (line == "| class | cycles | instructions |") {
            in_table = true;
            std::getline(doc, line); // the rule below the heading
        } else if (in_table && line.rfind("| ", 0) == 0) {
            const std::size_t bar = line.find(" | ");
            rows.emplace_back(line.substr(2, bar - 2),
                              static_cast<u32>(std::stoul(line.substr(bar + 3))));
        } else {
            in_table = false;
        }
    }
    ASSERT_EQ(rows.size(), kInsnCosts.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].first, kInsnCosts[i].name);
        EXPECT_EQ(rows[i].second, kInsnCosts[i].cycles) << rows[i].first;
    }
}

} // namespace

} // namespace tlmssd::cpu::test
