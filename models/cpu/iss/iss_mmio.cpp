// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: registers and rings of the RISC-V port, see docs/reference/rv32-interface.md.
#include "models/cpu/iss/iss_mmio.h"

#include <cstring>

#include "models/common/error.h"

namespace tlmssd::cpu {

void MmioDevice::begin_step(u32 core, u64 now_us)
{
    core_ = core;
    now_us_ = now_us;
    step_began_ = *clock_;
    step_cycles_ = 0;
}

void MmioDevice::finish_step()
{
    step_cycles_ = *clock_ - step_began_;
    if (thrown_ != nullptr) {
        const std::exception_ptr thrown = thrown_;
        thrown_ = nullptr;
        std::rethrow_exception(thrown);
    }
}

void MmioDevice::misuse(const std::string& what)
{
    throw ModelError("firmware on the ISS: " + what);
}

u32 MmioDevice::load(u32 offset) noexcept
{
    step_cycles_ = *clock_ - step_began_;
    if (thrown_ != nullptr) { // let the step run out: no events, all descriptors taken
        for (u32 core = 0; core < MMIO_MAX_CORES; ++core) {
            if (offset == MMIO_REG_EVENT_TAIL + 4 * core) {
                return event_tail_[core];
            }
        }
        return offset == MMIO_REG_FLASH_TAIL ? flash_tail_ : 0;
    }
    try {
        return do_load(offset);
    } catch (...) {
        thrown_ = std::current_exception();
        return load(offset);
    }
}

void MmioDevice::store(u32 offset, u32 value) noexcept
{
    step_cycles_ = *clock_ - step_began_;
    if (thrown_ != nullptr) {
        if (offset == MMIO_REG_FLASH_TAIL) {
            flash_tail_ = value;
        }
        return;
    }
    try {
        do_store(offset, value);
    } catch (...) {
        thrown_ = std::current_exception();
        if (offset == MMIO_REG_FLASH_TAIL) {
            flash_tail_ = value;
        }
    }
}

template <class T>
T MmioDevice::entry(u32 ring, u32 count, u32 entries, u32 bytes) const
{
    T value;
    static_assert(sizeof value <= MMIO_EVENT_BYTES);
    std::memcpy(&value, dtcm_ + (ring - MMIO_DTCM_BASE) + (count & (entries - 1)) * bytes,
                sizeof value);
    return value;
}

u32 MmioDevice::publish_event(u32 core)
{
    hal_event event{};
    if (event_tail_[core] == event_head_[core] && hal_->next_event(core, event)) {
        const u32 slot = event_tail_[core] & (MMIO_EVENT_ENTRIES - 1);
        std::memcpy(dtcm_ + (MMIO_EVENT_RINGS - MMIO_DTCM_BASE) +
                        (core * MMIO_EVENT_ENTRIES + slot) * MMIO_EVENT_BYTES,
                    &event, sizeof event);
        ++event_tail_[core];
    }
    return event_tail_[core];
}

void MmioDevice::flash_doorbell(u32 tail)
{
    if (tail != flash_tail_ + 1) {
        misuse("flash doorbell " + std::to_string(tail) + " after " + std::to_string(flash_tail_));
    }
    const auto op =
        entry<flash_op>(MMIO_FLASH_RING, flash_tail_, MMIO_FLASH_ENTRIES, MMIO_FLASH_BYTES);
    if (hal_->flash_submit(op)) {
        ++flash_tail_;
    }
}

u32 MmioDevice::do_load(u32 offset)
{
    switch (offset) {
    case MMIO_REG_CORE:
        return core_;
    case MMIO_REG_NOW_LOW:
        return static_cast<u32>(now_us_);
    case MMIO_REG_NOW_HIGH:
        return static_cast<u32>(now_us_ >> 32);
    case MMIO_REG_EVENT_TAIL:
    case MMIO_REG_EVENT_TAIL + 4:
    case MMIO_REG_EVENT_TAIL + 8:
    case MMIO_REG_EVENT_TAIL + 12:
        return publish_event((offset - MMIO_REG_EVENT_TAIL) / 4);
    case MMIO_REG_FLASH_TAIL:
        return flash_tail_;
    default:
        misuse("load from register " + std::to_string(offset) + ", which cannot be read");
        return 0;
    }
}

void MmioDevice::do_store(u32 offset, u32 value)
{
    switch (offset) {
    case MMIO_REG_STATUS:
        status_ = static_cast<mmio_status>(value);
        break;
    case MMIO_REG_IDLE:
        idle_ = value != 0;
        break;
    case MMIO_REG_EVENT_HEAD:
    case MMIO_REG_EVENT_HEAD + 4:
    case MMIO_REG_EVENT_HEAD + 8:
    case MMIO_REG_EVENT_HEAD + 12: {
        const u32 core = (offset - MMIO_REG_EVENT_HEAD) / 4;
        if (value != event_head_[core] + 1 || event_head_[core] == event_tail_[core]) {
            misuse("event head " + std::to_string(value) + " after " +
                   std::to_string(event_head_[core]));
        }
        event_head_[core] = value;
        break;
    }
    case MMIO_REG_FLASH_TAIL:
        flash_doorbell(value);
        break;
    case MMIO_REG_DMA_TAIL:
        for (; dma_tail_ != value; ++dma_tail_) {
            hal_->host_dma(
                entry<struct hal_host_dma>(MMIO_DMA_RING, dma_tail_, MMIO_DMA_ENTRIES, MMIO_DMA_BYTES));
        }
        break;
    case MMIO_REG_COPY_TAIL:
        for (; copy_tail_ != value; ++copy_tail_) {
            const auto copy =
                entry<mmio_copy>(MMIO_COPY_RING, copy_tail_, MMIO_COPY_ENTRIES, MMIO_COPY_BYTES);
            hal_->copy(copy.dst, copy.src, copy.sectors, copy.cookie);
        }
        break;
    case MMIO_REG_SEND_TAIL:
        for (; send_tail_ != value; ++send_tail_) {
            const auto send =
                entry<mmio_send>(MMIO_SEND_RING, send_tail_, MMIO_SEND_ENTRIES, MMIO_SEND_BYTES);
            hal_->send(send.core, send.message);
        }
        break;
    case MMIO_REG_HOST_COMPLETE:
        hal_->host_complete(value & 0xffff, value >> 16);
        break;
    case MMIO_REG_TIMER_LOW:
        timer_at_ = (timer_at_ >> 32 << 32) | value;
        break;
    case MMIO_REG_TIMER_HIGH:
        timer_at_ = static_cast<u64>(value) << 32 | static_cast<u32>(timer_at_);
        break;
    case MMIO_REG_TIMER_ARM:
        hal_->timer_arm(value, timer_at_);
        break;
    case MMIO_REG_PROBE_ID:
        probe_id_ = value;
        break;
    case MMIO_REG_PROBE_VALUE:
        hal_->probe(probe_id_, value);
        break;
    case MMIO_REG_PANIC_DETAIL:
        panic_detail_ = value;
        break;
    case MMIO_REG_PANIC_CODE:
        hal_->panic(value, panic_detail_);
        misuse("panic, code " + std::to_string(value) + ", detail " + std::to_string(panic_detail_));
        break;
    case MMIO_REG_TRAP_TVAL:
        trap_value_ = value;
        break;
    case MMIO_REG_TRAP_PC:
        trap_pc_ = value;
        break;
    case MMIO_REG_TRAP_CAUSE:
        trap_cause_ = value;
        trapped_ = true;
        break;
    default:
        misuse("store to register " + std::to_string(offset) + ", which cannot be written");
    }
}

} // namespace tlmssd::cpu
