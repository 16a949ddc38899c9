// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ISS's cycles: RV32IMAC instructions by class, and the static cost of a basic block.
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::cpu {

enum class InsnClass : u8 {
    Alu,
    StackLoad,  ///< base register sp: DTCM, no wait states
    Load,       ///< any other base: an average of DTCM and of tables in DRAM behind a small cache
    StackStore,
    Store,
    Branch,     ///< conditional, average of taken and not taken
    Jump,
    Multiply,
    Divide,
    Atomic,
    Csr,
    Fence,
    Wait,       ///< wfi
    Trap,       ///< ecall, ebreak, mret and all that is not RV32IMAC
    Count
};

struct InsnCost {
    const char* name;
    u32 cycles;
};

/// By InsnClass; docs/cpu.md shows the same table (a test compares them). Estimates for a
/// single-issue, five-stage core, not yet calibrated against a real one.
inline constexpr std::array<InsnCost, static_cast<std::size_t>(InsnClass::Count)> kInsnCosts{{
    {"alu", 1},
    {"stack load", 2},
    {"load", 6},
    {"stack store", 1},
    {"store", 2},
    {"branch", 2},
    {"jump", 2},
    {"multiply", 3},
    {"divide", 34},
    {"atomic", 8},
    {"csr", 2},
    {"fence", 2},
    {"wfi", 1},
    {"trap", 4},
}};

/// Wait states of one register access, on top of its load or store.
inline constexpr u32 kRegisterWaitCycles = 4;

/// Class of the instruction whose first 16 bits are the low half of `bits` (the upper half counts
/// for 32-bit instructions only).
InsnClass classify(u32 bits);

/// A compressed instruction as the 32-bit one that does the same; 0 (illegal) where there is none.
u32 expand(u32 bits);

/// Where an instruction loads from or stores to: x[base] + offset. Atomics have offset 0.
struct MemoryAccess {
    bool any = false;
    u32 base = 0;
    std::int32_t offset = 0;
};
MemoryAccess memory_access(u32 bits);

struct BlockCost {
    u32 cycles = 0;
    u32 instructions = 0;
};

/// Cost of `bytes` bytes of code at `address`, up to and with a `wfi`. A `jal` to `free_target` costs
/// nothing.
BlockCost block_cost(const u8* code, u32 bytes, u32 address, u32 free_target);

} // namespace tlmssd::cpu
