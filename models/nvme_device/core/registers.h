// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the registers of an NVMe controller, without the doorbells (docs/reference/nvme-registers.md).
#pragma once

#include "models/nvme_device/core/facts.h"

namespace tlmssd::nvme_device {

/// Requests of a write to the controller; bits.
enum Action : u32 {
    kNothing = 0,
    kEnable = 1,
    kDisable = 2,
    kShutdown = 4,
    kSubsystemReset = 8,
    kNewMask = 16,
};

class Registers {
public:
    explicit Registers(const Facts& facts);

    /// A dword below kDoorbells; what is not a register is 0 and ignores writes.
    u32 read(u32 offset) const;
    /// The bytes of `mask`. Fields that must not change while CC.EN is 1 keep their value.
    u32 write(u32 offset, u32 value, u32 mask);

    bool enabled() const { return cc_ & 1; }
    bool ready() const { return ready_; }
    bool failed() const { return failed_; }
    bool shut_down() const { return shutdown_ != 0; } ///< or on the way to it
    u32 page_bytes() const { return kMinPageBytes << (cc_ >> 7 & 15); }
    u32 arbitration() const { return cc_ >> 11 & 7; }
    bool entry_sizes_right() const { return (cc_ >> 16 & 0xff) == 0x46; } ///< IOSQES 6, IOCQES 4
    u64 admin_sq() const { return asq_; }
    u64 admin_cq() const { return acq_; }
    u32 admin_sq_entries() const { return (aqa_ & 0xfff) + 1; }
    u32 admin_cq_entries() const { return (aqa_ >> 16 & 0xfff) + 1; }
    u32 interrupt_mask() const { return mask_; }
    bool settings_right() const;

    void set_ready();
    void set_failed() { failed_ = true; }
    void end_shutdown() { shutdown_ = shutdown_ != 0 ? 2 : 0; }
    /// A controller reset has ended: RDY 0; AQA, ASQ, ACQ stay.
    void end_reset();
    void subsystem_reset();
    /// As after power-on, but for NSSRO.
    void function_reset();

private:
    u32 write_cc(u32 value);

    u64 cap_;
    u32 cc_ = 0;
    u32 aqa_ = 0;
    u64 asq_ = 0;
    u64 acq_ = 0;
    u32 mask_ = 0;
    u32 shutdown_ = 0; ///< SHST
    bool ready_ = false;
    bool failed_ = false;
    bool subsystem_reset_ = false; ///< NSSRO
};

} // namespace tlmssd::nvme_device
