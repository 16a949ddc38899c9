// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the implementation of the firmware's HAL when the C code is linked in.
#pragma once

#include "firmware/hal/hal.h"
#include "models/common/types.h"

namespace tlmssd::cpu {

/// The functions of firmware/hal/hal.h as an interface: the same contract, word for word. Native
/// firmware reaches it through native_hal.cpp, firmware on the ISS through MmioDevice (iss_mmio.h).
/// An implementation may throw; the exception passes through native firmware and ends the step.
class HalIf {
public:
    virtual ~HalIf() = default;
    virtual bool next_event(u32 core, hal_event& event) = 0;
    virtual bool flash_submit(const flash_op& op) = 0;
    virtual void host_dma(const hal_host_dma& dma) = 0;
    virtual void host_complete(u32 tag, u32 status) = 0;
    virtual void copy(u32 dst, u32 src, u64 sectors, u32 cookie) = 0;
    virtual void timer_arm(u32 id, u64 at_us) = 0;
    virtual void send(u32 core, const hal_message& message) = 0;
    virtual void probe(u32 id, u32 value) = 0;
    /// The firmware goes on as if nothing had happened where this returns: native implementations
    /// throw ModelError.
    virtual void panic(u32 code, u32 detail) = 0;
};

/// The handle that native firmware is booted with. It stays valid as long as `hal` lives.
inline struct ::hal* native_handle(HalIf& hal) { return reinterpret_cast<struct ::hal*>(&hal); }

} // namespace tlmssd::cpu
