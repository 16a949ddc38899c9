// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what to say about firmware that has stopped: registers, code, the stack.
#pragma once

#include <string>

#include "models/cpu/iss/iss_elf.h"
#include "models/cpu/iss/iss_if.h"

namespace tlmssd::cpu {

/// Lines on the state of the CPU with `pc` as the place that matters: all registers, the instructions
/// around the PC, and the words of the stack that may be return addresses.
std::string report_cpu(IssIf& iss, const ElfImage& image, u32 pc);

} // namespace tlmssd::cpu
