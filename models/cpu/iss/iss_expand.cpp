// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: compressed RISC-V instructions as 32-bit ones (unprivileged ISA, chapter 16, RV32C).
#include "models/cpu/iss/iss_cycles.h"

namespace tlmssd::cpu {

namespace {

constexpr u32 kSp = 2;
enum Opcode : u32 { kLoad = 0x03, kOpImm = 0x13, kStore = 0x23, kOp = 0x33, kLui = 0x37, kBranch = 0x63,
                    kJalr = 0x67, kJal = 0x6f };

/// Bits [high, low] of x, moved to position `to`.
u32 field(u32 x, u32 high, u32 low, u32 to) { return (x >> low & ((2u << (high - low)) - 1)) << to; }
/// x as a signed number of `bits` bits.
u32 extend(u32 x, u32 bits) { return x >> (bits - 1) & 1 ? x | ~((1u << bits) - 1) : x; }

u32 i_type(u32 imm, u32 rs1, u32 funct3, u32 rd, u32 opcode)
{
    return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
u32 r_type(u32 funct7, u32 rs2, u32 rs1, u32 funct3, u32 rd)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | kOp;
}
u32 store(u32 imm, u32 rs2, u32 rs1)
{
    return field(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | 2u << 12 | field(imm, 4, 0, 7) | kStore;
}
u32 branch(u32 imm, u32 rs1, u32 funct3)
{
    return field(imm, 12, 12, 31) | field(imm, 10, 5, 25) | rs1 << 15 | funct3 << 12 |
           field(imm, 4, 1, 8) | field(imm, 11, 11, 7) | kBranch;
}
u32 jal(u32 imm, u32 rd)
{
    return field(imm, 20, 20, 31) | field(imm, 10, 1, 21) | field(imm, 11, 11, 20) |
           field(imm, 19, 12, 12) | rd << 7 | kJal;
}

u32 jump_offset(u32 c)
{
    return extend(field(c, 12, 12, 11) | field(c, 11, 11, 4) | field(c, 10, 9, 8) |
                      field(c, 8, 8, 10) | field(c, 7, 7, 6) | field(c, 6, 6, 7) | field(c, 5, 3, 1) |
                      field(c, 2, 2, 5),
                  12);
}
u32 branch_offset(u32 c)
{
    return extend(field(c, 12, 12, 8) | field(c, 11, 10, 3) | field(c, 6, 5, 6) | field(c, 4, 3, 1) |
                      field(c, 2, 2, 5),
                  9);
}

u32 quadrant0(u32 c)
{
    const u32 small_rd = 8 + field(c, 4, 2, 0);
    const u32 small_rs = 8 + field(c, 9, 7, 0);
    const u32 word = field(c, 12, 10, 3) | field(c, 6, 6, 2) | field(c, 5, 5, 6);
    switch (c >> 13) {
    case 0: { // c.addi4spn
        const u32 imm = field(c, 12, 11, 4) | field(c, 10, 7, 6) | field(c, 6, 6, 2) | field(c, 5, 5, 3);
        return imm == 0 ? 0 : i_type(imm, kSp, 0, small_rd, kOpImm);
    }
    case 2:
        return i_type(word, small_rs, 2, small_rd, kLoad);
    case 6:
        return store(word, small_rd, small_rs);
    default:
        return 0;
    }
}

u32 arithmetic(u32 c, u32 imm)
{
    const u32 rd = 8 + field(c, 9, 7, 0);
    const u32 rs2 = 8 + field(c, 4, 2, 0);
    switch (field(c, 11, 10, 0)) {
    case 0:
        return i_type(imm & 31, rd, 5, rd, kOpImm); // c.srli
    case 1:
        return i_type((imm & 31) | 0x400, rd, 5, rd, kOpImm); // c.srai
    case 2:
        return i_type(imm & 0xfff, rd, 7, rd, kOpImm); // c.andi
    default:
        break;
    }
    if (field(c, 12, 12, 0) != 0) {
        return 0;
    }
    static constexpr u32 kFunct3[] = {0, 4, 6, 7}; // c.sub, c.xor, c.or, c.and
    const u32 which = field(c, 6, 5, 0);
    return r_type(which == 0 ? 0x20 : 0, rs2, rd, kFunct3[which], rd);
}

u32 quadrant1(u32 c)
{
    const u32 rd = field(c, 11, 7, 0);
    const u32 imm = extend(field(c, 12, 12, 5) | field(c, 6, 2, 0), 6);
    switch (c >> 13) {
    case 0:
        return i_type(imm & 0xfff, rd, 0, rd, kOpImm); // c.addi
    case 1:
        return jal(jump_offset(c), 1);
    case 2:
        return i_type(imm & 0xfff, 0, 0, rd, kOpImm); // c.li
    case 3: {
        if (rd == kSp) { // c.addi16sp
            const u32 by = extend(field(c, 12, 12, 9) | field(c, 6, 6, 4) | field(c, 5, 5, 6) |
                                      field(c, 4, 3, 7) | field(c, 2, 2, 5),
                                  10);
            return i_type(by & 0xfff, kSp, 0, kSp, kOpImm);
        }
        return imm << 12 | rd << 7 | kLui;
    }
    case 4:
        return arithmetic(c, imm);
    case 5:
        return jal(jump_offset(c), 0);
    default:
        return branch(branch_offset(c), 8 + field(c, 9, 7, 0), c >> 13 & 1);
    }
}

u32 quadrant2(u32 c)
{
    const u32 rd = field(c, 11, 7, 0);
    const u32 rs2 = field(c, 6, 2, 0);
    const bool high = field(c, 12, 12, 0) != 0;
    switch (c >> 13) {
    case 0:
        return i_type(rs2, rd, 1, rd, kOpImm); // c.slli
    case 2: // c.lwsp
        return i_type(field(c, 12, 12, 5) | field(c, 6, 4, 2) | field(c, 3, 2, 6), kSp, 2, rd, kLoad);
    case 4:
        if (rs2 != 0) {
            return r_type(0, rs2, high ? rd : 0, 0, rd); // c.add, c.mv
        }
        if (rd == 0) {
            return high ? 0x00100073 : 0; // c.ebreak
        }
        return i_type(0, rd, 0, high ? 1 : 0, kJalr);
    case 6: // c.swsp
        return store(field(c, 12, 9, 2) | field(c, 8, 7, 6), rs2, kSp);
    default:
        return 0;
    }
}

} // namespace

u32 expand(u32 bits)
{
    const u32 c = bits & 0xffff;
    switch (bits & 3) {
    case 0:
        return quadrant0(c);
    case 1:
        return quadrant1(c);
    case 2:
        return quadrant2(c);
    default:
        return bits;
    }
}

MemoryAccess memory_access(u32 bits)
{
    const u32 whole = expand(bits);
    const u32 base = field(whole, 19, 15, 0);
    switch (whole & 0x7f) {
    case kLoad:
        return {true, base, static_cast<std::int32_t>(whole) >> 20};
    case kStore:
        return {true, base,
                static_cast<std::int32_t>(extend(field(whole, 31, 25, 5) | field(whole, 11, 7, 0), 12))};
    case 0x2f:
        return {true, base, 0};
    default:
        return {};
    }
}

} // namespace tlmssd::cpu
