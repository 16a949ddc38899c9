// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the CPU that runs the firmware (cpu.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(CpuModel, "native", "iss")
TO_STRING(CpuModel)

using namespace rows;

std::vector<Key> cpu_keys()
{
    return {
        choice("cpu.model", AT(cpu.model), CpuModel::Native,
               "native: the firmware linked in, cycles charged; iss: its RV32 image, executed (docs/explanation/cpu.md)"),
        integer("cpu.mhz", AT(cpu.mhz), 800, 1, 100000, "clock of each core, MHz"),
        integer("cpu.cores", AT(cpu.cores), 1, 1, 4, "cores"),
        text("cpu.firmware", AT(cpu.firmware), "",
             "RV32 image that the ISS executes; by default the one made with the program", Type::File)
            .when(kIss),
        integer("cpu.watchdog_instructions", AT(cpu.watchdog_instructions), 100000000, 1000, ~u64{0},
                "a step of more instructions has no end: the run ends with status 3")
            .when(kIss),
        integer("cpu.core_of.hil", AT(cpu.core_of_hil), 0, 0, 3,
                "core of the host interface layer"),
        integer("cpu.core_of.buffer", AT(cpu.core_of_buffer), 0, 0, 3, "core of the buffer"),
        integer("cpu.core_of.ftl", AT(cpu.core_of_ftl), 0, 0, 3,
                "core of the flash translation layer"),
        integer("cpu.core_of.sched", AT(cpu.core_of_sched), 0, 0, 3, "core of the scheduler"),
        integer("cpu.command_cycles", AT(firmware.command_cycles), 0, 0, 1000000,
                "further cycles of hil for each host command, after the requests for its pages: what a drive's "
                "firmware does that this one does not (native only; docs/explanation/cpu.md)"),
    };
}

} // namespace tlmssd::config
