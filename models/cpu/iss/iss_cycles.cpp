// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: decoding RV32IMAC as far as its cost goes (RISC-V unprivileged ISA, chapters 2, 7, 8, 16).
#include "models/cpu/iss/iss_cycles.h"

#include <cstring>

namespace tlmssd::cpu {

namespace {

constexpr u32 kWfi = 0x10500073;

InsnClass classify_compressed(u32 bits)
{
    const u32 funct3 = bits >> 13 & 7;
    const u32 rd = bits >> 7 & 31;
    const u32 rs2 = bits >> 2 & 31;
    switch (bits & 3) {
    case 0:
        switch (funct3) {
        case 0:
            return (bits & 0xffff) == 0 ? InsnClass::Trap : InsnClass::Alu; // c.addi4spn
        case 2:
            return InsnClass::Load;
        case 6:
            return InsnClass::Store;
        default:
            return InsnClass::Trap; // floating point
        }
    case 1:
        switch (funct3) {
        case 1: // c.jal
        case 5: // c.j
            return InsnClass::Jump;
        case 6:
        case 7:
            return InsnClass::Branch;
        default:
            return InsnClass::Alu;
        }
    default:
        switch (funct3) {
        case 0:
            return InsnClass::Alu;
        case 2:
            return InsnClass::Load;
        case 4:
            if (rs2 != 0) {
                return InsnClass::Alu; // c.mv, c.add
            }
            return rd == 0 ? InsnClass::Trap : InsnClass::Jump; // c.ebreak; c.jr, c.jalr
        case 6:
            return InsnClass::Store;
        default:
            return InsnClass::Trap;
        }
    }
}

/// Target of a `jal` or `c.jal` at `address`; false for any other instruction.
bool call_target(u32 bits, u32 address, u32& target)
{
    if ((bits & 0x7f) == 0x6f) {
        const u32 offset = (bits >> 21 & 0x3ff) << 1 | (bits >> 20 & 1) << 11 |
                           (bits >> 12 & 0xff) << 12 | ((bits >> 31) != 0 ? 0xfff00000u : 0u);
        target = address + offset;
        return true;
    }
    if ((bits & 0xe003) == 0x2001) {
        const u32 offset = (bits >> 3 & 7) << 1 | (bits >> 11 & 1) << 4 | (bits >> 2 & 1) << 5 |
                           (bits >> 7 & 1) << 6 | (bits >> 6 & 1) << 7 | (bits >> 9 & 3) << 8 |
                           (bits >> 8 & 1) << 10 | ((bits >> 12 & 1) != 0 ? 0xfffff800u : 0u);
        target = address + offset;
        return true;
    }
    return false;
}

} // namespace

InsnClass classify(u32 bits)
{
    if ((bits & 3) != 3) {
        return classify_compressed(bits & 0xffff);
    }
    switch (bits & 0x7f) {
    case 0x03:
        return InsnClass::Load;
    case 0x23:
        return InsnClass::Store;
    case 0x63:
        return InsnClass::Branch;
    case 0x67:
    case 0x6f:
        return InsnClass::Jump;
    case 0x13: // op-imm
    case 0x17: // auipc
    case 0x37: // lui
        return InsnClass::Alu;
    case 0x33:
        if (bits >> 25 != 1) {
            return InsnClass::Alu;
        }
        return (bits >> 14 & 1) != 0 ? InsnClass::Divide : InsnClass::Multiply;
    case 0x2f:
        return InsnClass::Atomic;
    case 0x0f:
        return InsnClass::Fence;
    case 0x73:
        if (bits == kWfi) {
            return InsnClass::Wait;
        }
        return (bits >> 12 & 3) != 0 ? InsnClass::Csr : InsnClass::Trap;
    default:
        return InsnClass::Trap;
    }
}

BlockCost block_cost(const u8* code, u32 bytes, u32 address, u32 free_target)
{
    BlockCost cost;
    for (u32 at = 0; at + 2 <= bytes;) {
        u16 low = 0;
        std::memcpy(&low, code + at, 2);
        u32 bits = low;
        const u32 length = (low & 3) == 3 ? 4 : 2;
        if (length == 4 && at + 4 <= bytes) {
            std::memcpy(&bits, code + at, 4);
        }
        const InsnClass what = classify(bits);
        u32 target = 0;
        if (!call_target(bits, address + at, target) || target != free_target) {
            cost.cycles += kInsnCosts[static_cast<std::size_t>(what)].cycles;
        }
        ++cost.instructions;
        if (what == InsnClass::Wait) {
            break; // the back-end's block goes on behind it, the CPU does not
        }
        at += length;
    }
    return cost;
}

} // namespace tlmssd::cpu
