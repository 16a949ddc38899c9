// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the C functions of firmware/hal/hal.h for native firmware: each forwards to a HalIf.
#include "models/cpu/hal_if.h"

namespace {

tlmssd::cpu::HalIf& behind(struct hal* handle)
{
    return *reinterpret_cast<tlmssd::cpu::HalIf*>(handle);
}

} // namespace

extern "C" {

bool hal_next_event(struct hal* hal, uint32_t core, struct hal_event* event)
{
    return behind(hal).next_event(core, *event);
}

bool hal_flash_submit(struct hal* hal, const struct flash_op* op)
{
    return behind(hal).flash_submit(*op);
}

void hal_host_transfer(struct hal* hal, const struct hal_host_dma* dma)
{
    behind(hal).host_dma(*dma);
}

void hal_host_complete(struct hal* hal, uint32_t tag, uint32_t status)
{
    behind(hal).host_complete(tag, status);
}

void hal_copy(struct hal* hal, uint32_t dst, uint32_t src, uint64_t sectors, uint32_t cookie)
{
    behind(hal).copy(dst, src, sectors, cookie);
}

void hal_timer_arm(struct hal* hal, uint32_t id, uint64_t at_us)
{
    behind(hal).timer_arm(id, at_us);
}

void hal_send(struct hal* hal, uint32_t core, const struct hal_message* message)
{
    behind(hal).send(core, *message);
}

void hal_probe(struct hal* hal, uint32_t id, uint32_t value) { behind(hal).probe(id, value); }

void hal_panic(struct hal* hal, uint32_t code, uint32_t detail) { behind(hal).panic(code, detail); }

} // extern "C"
