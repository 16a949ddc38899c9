// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the hardware side of firmware/hal/mmio.h: registers and rings in front of a HalIf.
#pragma once

#include <exception>
#include <string>

#include "firmware/hal/mmio.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/iss/iss_if.h"

namespace tlmssd::cpu {

/// Turns register accesses and ring entries into calls of a HalIf, in the order of the firmware's
/// own HAL calls. An exception of the HalIf is kept until finish_step(), and the firmware sees no
/// further events.
class MmioDevice final : public IssRegistersIf {
public:
    explicit MmioDevice(HalIf& hal) : hal_(&hal) {}
    MmioDevice(const MmioDevice&) = delete;
    MmioDevice& operator=(const MmioDevice&) = delete;
    /// Between steps.
    void connect(HalIf& hal) { hal_ = &hal; }
    /// DTCM of the CPU, MMIO_DTCM_BYTES long; before the first access.
    void bind_dtcm(u8* dtcm) { dtcm_ = dtcm; }

    /// A counter that runs with the CPU; without one step_cycles() stays 0.
    void bind_clock(const u64& cycles) { clock_ = &cycles; }

    void begin_step(u32 core, u64 now_us);
    /// Rethrow what the HalIf threw; throw ModelError for a panic that it let pass, for a trap
    /// and for accesses that mmio.h does not allow.
    void finish_step();

    u32 load(u32 offset) noexcept override;
    void store(u32 offset, u32 value) noexcept override;

    /// Cycles from begin_step() to the last register access, or to finish_step().
    const u64& step_cycles() const { return step_cycles_; }
    mmio_status status() const { return status_; }
    /// The firmware's last answer to MMIO_CORE_IDLE.
    bool idle() const { return idle_; }
    /// A trap has stopped the CPU: its PC (mepc).
    bool trapped() const { return trapped_; }
    u32 trap_pc() const { return trap_pc_; }
    u32 trap_cause() const { return trap_cause_; }
    u32 trap_value() const { return trap_value_; }

private:
    u32 do_load(u32 offset);
    void do_store(u32 offset, u32 value);
    u32 publish_event(u32 core);
    void flash_doorbell(u32 tail);
    void misuse(const std::string& what);
    template <class T>
    T entry(u32 ring, u32 count, u32 entries, u32 bytes) const;

    HalIf* hal_;
    u8* dtcm_ = nullptr;
    u64 step_cycles_ = 0;
    u64 step_began_ = 0;
    const u64* clock_ = &step_began_; ///< by default one that stands still
    std::exception_ptr thrown_;
    u32 core_ = 0;
    u64 now_us_ = 0;
    mmio_status status_ = MMIO_STATUS_RESET;
    bool idle_ = false;
    u32 event_tail_[MMIO_MAX_CORES] = {};
    u32 event_head_[MMIO_MAX_CORES] = {};
    u32 flash_tail_ = 0, dma_tail_ = 0, copy_tail_ = 0, send_tail_ = 0;
    u64 timer_at_ = 0;
    u32 probe_id_ = 0;
    u32 panic_detail_ = 0;
    bool trapped_ = false;
    u32 trap_pc_ = 0, trap_cause_ = 0, trap_value_ = 0;
};

} // namespace tlmssd::cpu
