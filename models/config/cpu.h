// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the CPU that runs the firmware.
#pragma once

#include <string>

#include "models/common/types.h"

namespace tlmssd::config {

enum class CpuModel : u8 { Native, Iss };

struct Cpu {
    CpuModel model = CpuModel::Native;
    u32 mhz = 800;
    u32 cores = 1;       ///< 1..4
    u32 core_of_hil = 0; ///< which core a module of the firmware runs on
    u32 core_of_buffer = 0;
    u32 core_of_ftl = 0;
    u32 core_of_sched = 0;
    std::string firmware;          ///< iss: path of the RV32 image; empty: that of the build
    u64 watchdog_instructions = 0; ///< iss: most instructions of a step
};

const char* to_string(CpuModel);

} // namespace tlmssd::config
