// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RV32 firmware image on an ISS: boot and step, as fw_boot and fw_step natively.
#pragma once

#include <array>
#include <string>

#include "firmware/core/fw.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/iss/handover.h"
#include "models/cpu/iss/iss_elf.h"
#include "models/cpu/iss/iss_if.h"
#include "models/cpu/iss/iss_mmio.h"
#include "models/cpu/oob_window.h"

namespace tlmssd::cpu {

/// The part of DRAM that is memory; page buffers hold tags in the model, not bytes. Byte offsets in DRAM.
struct FirmwareDram {
    explicit FirmwareDram(const fw_config& config);
    u64 from;        ///< a whole 4 KiB page at or below the OOB records
    u64 oob_bytes;   ///< from fw_config::oob_base on
    u64 table_bytes; ///< from fw_table_base() on
    u64 arena;       ///< of the firmware's tables
    u64 arena_bytes; ///< they are smaller on a 32-bit CPU than fw_arena_bytes() says here
    u64 bytes;       ///< of it all, whole pages
};

/// Boots in the constructor. One object runs the steps of all cores (they never overlap).
class IssFirmware {
public:
    /// Throws InputError for a bad image, ModelError where the firmware does not come up.
    IssFirmware(IssIf& iss, const std::string& image, const fw_config& config, HalIf& hal);

    /// Run one step of `core`; returns its cycles. Throws what the HalIf threw, and ModelError with
    /// function and address for a fault, a trap, a panic, and a step without end.
    u64 step(u32 core, u64 now_us);

    /// Outputs and events from the next step on.
    void connect(HalIf& hal) { device_.connect(hal); }
    /// Cycles from the step's beginning to the HAL call in progress.
    const u64& step_cycles() const { return device_.step_cycles(); }
    fw_stats stats() const;
    /// Counters to zero, but for factory_bad.
    void clear_stats();
    /// Asks the firmware: no command, operation or message is inside.
    bool idle();
    /// Bit n: the firmware shows probe n.
    void set_probing(u32 mask);
    /// The boot block that the firmware has filled in.
    const mmio_boot_block& boot_block() const { return block_; }
    /// One of the values of mmio_shown.
    const u32* shown(u32 which) const { return shown_[which]; }
    /// The u32 at an address that the boot block names.
    u32* word(u32 address) const;
    const ElfImage& image() const { return image_; }
    /// The OOB records that flash operations name by DRAM byte offset.
    OobWindow oob() const { return oob_; }
    /// The table pages, fw_table_bytes() of them; null without.
    u8* tables() const { return tables_; }
    /// Bytes of the firmware's tables on the 32-bit CPU.
    u32 table_bytes() const;
    /// All that a step leaves but the HAL's ring positions. ModelError where the image does not name `firmware`.
    FirmwareSide side();

    /// Instructions in one step after which the watchdog bites.
    void set_watchdog(u64 instructions) { watchdog_ = instructions; }

private:
    void boot(const fw_config& config);
    void run();
    [[noreturn]] void fail(const std::string& what, u32 pc);

    IssIf& iss_;
    ElfImage image_;
    MmioDevice device_;
    const FirmwareDram dram_;
    OobWindow oob_;
    u8* tables_ = nullptr;
    mmio_boot_block block_{};
    fw_stats* stats_ = nullptr;
    std::array<const u32*, MMIO_SHOWN_COUNT> shown_{};
    u64 watchdog_ = 1'000'000'000;
    u32 core_ = 0;
    u64 now_us_ = 0;
};

} // namespace tlmssd::cpu
