// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RV32 firmware image on an ISS: boot and step, as fw_boot and fw_step natively.
#pragma once

#include <string>

#include "firmware/core/fw.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/iss_elf.h"
#include "models/cpu/iss_if.h"
#include "models/cpu/iss_mmio.h"
#include "models/cpu/steps_oob.h"

namespace tlmssd::cpu {

/// Boots in the constructor. One object runs the steps of all cores (they never overlap).
class IssFirmware {
public:
    /// Throws InputError for a bad image, ModelError where the firmware does not come up.
    IssFirmware(IssIf& iss, const std::string& image, const fw_config& config, HalIf& hal);

    /// Run one step of `core`; returns its cycles. Throws what the HalIf threw, and ModelError with
    /// function and address for a fault, a trap, a panic, and a step without end.
    u64 step(u32 core, u64 now_us);

    /// Cycles since the step in progress began; for a HalIf that gives outputs their time.
    u64 step_cycles() const { return iss_.cycles() - step_began_; }
    fw_stats stats() const;
    /// The OOB records that flash operations name by DRAM byte offset.
    OobWindow oob() const { return oob_; }
    /// Bytes of the firmware's tables on the 32-bit CPU.
    u32 table_bytes() const;

    /// Instructions in one step after which the watchdog bites.
    void set_watchdog(u64 instructions) { watchdog_ = instructions; }

private:
    void run();
    mmio_boot_block boot_block() const;

    IssIf& iss_;
    ElfImage image_;
    MmioDevice device_;
    OobWindow oob_;
    u64 watchdog_ = 1'000'000'000;
    u64 step_began_ = 0;
};

} // namespace tlmssd::cpu
