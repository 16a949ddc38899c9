// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: RV32IMAC disassembler (unprivileged ISA, chapter 24: instruction listings).
#include "models/cpu/iss/iss_disasm.h"

#include <cstdio>

#include "models/cpu/iss/iss_cycles.h"

namespace tlmssd::cpu {

namespace {

const char* const kRegisters[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

struct Fields {
    u32 bits, rd, rs1, rs2, funct3, funct7;
    std::int32_t imm;
    explicit Fields(u32 b)
        : bits(b), rd(b >> 7 & 31), rs1(b >> 15 & 31), rs2(b >> 20 & 31), funct3(b >> 12 & 7),
          funct7(b >> 25), imm(static_cast<std::int32_t>(b) >> 20)
    {
    }
};

std::string hex(u32 value)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%x", value);
    return text;
}

std::string three(const char* name, u32 a, u32 b, const std::string& c)
{
    return std::string(name) + " " + kRegisters[a] + "," + kRegisters[b] + "," + c;
}

std::string access(const char* name, u32 value, const MemoryAccess& at)
{
    return std::string(name) + " " + kRegisters[value] + "," + std::to_string(at.offset) + "(" +
           kRegisters[at.base] + ")";
}

std::string immediate(const Fields& f)
{
    static const char* const kNames[] = {"addi", "slli", "slti", "sltiu", "xori", "srli", "ori", "andi"};
    if (f.funct3 == 1 || f.funct3 == 5) {
        const u32 kind = f.funct7;
        if (kind != 0 && !(f.funct3 == 5 && kind == 0x20)) {
            return "";
        }
        return three(kind == 0x20 ? "srai" : kNames[f.funct3], f.rd, f.rs1, std::to_string(f.rs2));
    }
    return three(kNames[f.funct3], f.rd, f.rs1, std::to_string(f.imm));
}

std::string operation(const Fields& f)
{
    static const char* const kPlain[] = {"add", "sll", "slt", "sltu", "xor", "srl", "or", "and"};
    static const char* const kMultiply[] = {"mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"};
    const char* name = f.funct7 == 0                       ? kPlain[f.funct3]
                       : f.funct7 == 1                     ? kMultiply[f.funct3]
                       : f.funct7 == 0x20 && f.funct3 == 0 ? "sub"
                       : f.funct7 == 0x20 && f.funct3 == 5 ? "sra"
                                                           : nullptr;
    return name == nullptr ? "" : three(name, f.rd, f.rs1, kRegisters[f.rs2]);
}

std::string branch(const Fields& f, u32 pc)
{
    static const char* const kNames[] = {"beq", "bne", nullptr, nullptr, "blt", "bge", "bltu", "bgeu"};
    const u32 offset = (f.bits >> 8 & 15) << 1 | (f.bits >> 25 & 63) << 5 | (f.bits >> 7 & 1) << 11 |
                       (f.bits >> 31 != 0 ? 0xfffff000u : 0u);
    return kNames[f.funct3] == nullptr ? "" : three(kNames[f.funct3], f.rs1, f.rs2, hex(pc + offset));
}

std::string jump(const Fields& f, u32 pc)
{
    const u32 offset = (f.bits >> 21 & 0x3ff) << 1 | (f.bits >> 20 & 1) << 11 |
                       (f.bits >> 12 & 0xff) << 12 | (f.bits >> 31 != 0 ? 0xfff00000u : 0u);
    return std::string("jal ") + kRegisters[f.rd] + "," + hex(pc + offset);
}

std::string atomic(const Fields& f)
{
    static const struct {
        u32 funct5;
        const char* name;
    } kNames[] = {{0, "amoadd.w"},  {1, "amoswap.w"},  {2, "lr.w"},       {3, "sc.w"},
                  {4, "amoxor.w"},  {8, "amoor.w"},    {12, "amoand.w"},  {16, "amomin.w"},
                  {20, "amomax.w"}, {24, "amominu.w"}, {28, "amomaxu.w"}};
    for (const auto& entry : kNames) {
        if (f.funct3 == 2 && f.funct7 >> 2 == entry.funct5) {
            return three(entry.name, f.rd, f.rs2, std::string("(") + kRegisters[f.rs1] + ")");
        }
    }
    return "";
}

std::string system(const Fields& f)
{
    static const char* const kCsr[] = {nullptr,  "csrrw",  "csrrs",  "csrrc",
                                       nullptr, "csrrwi", "csrrsi", "csrrci"};
    switch (f.bits) {
    case 0x00000073:
        return "ecall";
    case 0x00100073:
        return "ebreak";
    case 0x30200073:
        return "mret";
    case 0x10500073:
        return "wfi";
    default:
        break;
    }
    if (kCsr[f.funct3] == nullptr) {
        return "";
    }
    return std::string(kCsr[f.funct3]) + " " + kRegisters[f.rd] + "," + hex(f.bits >> 20) + "," +
           (f.funct3 >= 5 ? std::to_string(f.rs1) : kRegisters[f.rs1]);
}

std::string text_of(u32 bits, u32 pc)
{
    static const char* const kLoads[] = {"lb", "lh", "lw", nullptr, "lbu", "lhu", nullptr, nullptr};
    static const char* const kStores[] = {"sb", "sh", "sw"};
    const Fields f(bits);
    switch (bits & 0x7f) {
    case 0x03:
        return kLoads[f.funct3] == nullptr ? "" : access(kLoads[f.funct3], f.rd, memory_access(bits));
    case 0x0f:
        return f.funct3 == 0 ? "fence" : f.funct3 == 1 ? "fence.i" : "";
    case 0x13:
        return immediate(f);
    case 0x17:
        return std::string("auipc ") + kRegisters[f.rd] + "," + hex(bits >> 12);
    case 0x23:
        return f.funct3 > 2 ? "" : access(kStores[f.funct3], f.rs2, memory_access(bits));
    case 0x2f:
        return atomic(f);
    case 0x33:
        return operation(f);
    case 0x37:
        return std::string("lui ") + kRegisters[f.rd] + "," + hex(bits >> 12);
    case 0x63:
        return branch(f, pc);
    case 0x67:
        return f.funct3 != 0 ? "" : access("jalr", f.rd, {true, f.rs1, f.imm});
    case 0x6f:
        return jump(f, pc);
    case 0x73:
        return system(f);
    default:
        return "";
    }
}

} // namespace

const char* register_name(u32 number) { return kRegisters[number & 31]; }

std::string disassemble(u32 bits, u32 pc)
{
    const u32 whole = expand(bits);
    const std::string text = whole == 0 ? "" : text_of(whole, pc);
    return !text.empty() ? text : (bits & 3) == 3 ? ".word " + hex(bits) : ".half " + hex(bits & 0xffff);
}

} // namespace tlmssd::cpu
