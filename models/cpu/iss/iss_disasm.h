// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: RV32IMAC instructions as text, for reports.
#pragma once

#include <string>

#include "models/common/types.h"

namespace tlmssd::cpu {

/// ABI name of x0 to x31.
const char* register_name(u32 number);

/// The instruction at `pc` in the assembler's words, without pseudo-instructions; a compressed one as
/// the 32-bit one that does the same. ".word 0x..." for what is not RV32IMAC.
std::string disassemble(u32 bits, u32 pc);

} // namespace tlmssd::cpu
