// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ISS's cycles: RV32IMAC instructions by class, and the static cost of a basic block.
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::cpu {

enum class InsnClass : u8 {
    Alu,
    Load,
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

/// By InsnClass; docs/explanation/cpu.md shows the same table (a test compares them). Estimates for a
/// single-issue, five-stage core, not yet calibrated against a real one.
inline constexpr std::array<InsnCost, static_cast<std::size_t>(InsnClass::Count)> kInsnCosts{{
    {"alu", 1},
    {"load", 2},
    {"store", 1},
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

/// Cycles that an access takes on top of its instruction's.
struct WaitStates {
    u32 load = 0;
    u32 store = 0;
};

/// Code and data memory beside the core.
inline constexpr WaitStates kTcmWaits{0, 0};

/// DRAM through a small write-through cache, as an average: a miss takes 40 cycles (50 ns at
/// 800 MHz: 32.5 ns of tRCD, CL and burst of DDR3-1600 11-11-11, the rest interconnect), and one load
/// in four misses (the tables' entries are two or three lines of 32 bytes, read by a dozen loads).
/// Stores are posted into a write buffer.
inline constexpr WaitStates kDramWaits{10, 2};

/// Registers, over a peripheral bus.
inline constexpr WaitStates kRegisterWaits{8, 5};

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
