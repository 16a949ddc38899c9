// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading a 32-bit ELF executable, of RISC-V or of x32: what to load where, and its symbols.
#pragma once

#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/cpu/iss/iss_if.h"

namespace tlmssd::cpu {

struct ElfSegment {
    u32 address = 0;
    u32 memory_bytes = 0; ///< at least data.size(); the rest is zero
    std::vector<u8> data;
    bool executable = false;
};

struct ElfSymbol {
    std::string name;
    u32 address = 0;
    u32 bytes = 0;
    bool function = false;
    bool object = false;
};

struct ElfImage {
    std::string path;
    u32 entry = 0;
    std::vector<ElfSegment> segments;
    std::vector<ElfSymbol> symbols; ///< named ones, by address

    /// nullptr where there is none of that name.
    const ElfSymbol* find(const std::string& name) const;
    const ElfSymbol* find_object(const std::string& name) const;
    /// "function+0x1c", or the bare address where no function is known.
    std::string describe(u32 address) const;
    /// Copy all segments; throws ModelError where the ISS has no memory for one. Sets the PC.
    void load_into(IssIf& iss) const;
};

enum class ElfMachine { Rv32, X32 };

/// Throws InputError (path and reason) for anything but a complete little-endian executable of that machine.
ElfImage read_elf(const std::string& path, ElfMachine machine = ElfMachine::Rv32);

} // namespace tlmssd::cpu
