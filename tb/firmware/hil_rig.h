// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host interface layer alone; the test plays host and buffer.
#pragma once

#include <gtest/gtest.h>

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {

/// Pages of 8 sectors, and page buffers for more than a command's window of 64 pages.
class HilTest : public testing::Test {
protected:
    static constexpr u32 kSlots = 96;
    HilTest() : rig(config()) {}
    static fw_config config()
    {
        fw_config c = small_config();
        c.lines = kSlots;
        return c;
    }
    void command(u16 tag, u8 opcode, u64 lba, u32 sectors, u8 flags = 0)
    {
        hal_event event{};
        event.kind = HAL_EVENT_HOST_COMMAND;
        event.u.command = hal_host_command{lba, sectors, tag, opcode, flags, {}};
        rig.give(FW_MODULE_HIL, event);
    }
    void dma_done(u16 tag, u32 page)
    {
        hal_event event{};
        event.kind = HAL_EVENT_HOST_DMA;
        event.tag = tag;
        event.cookie = page;
        rig.give(FW_MODULE_HIL, event);
    }
    void answer(u16 kind, u16 tag, u32 page = 0, u32 slot = 0, u32 c = 0)
    {
        fw_message m{};
        m.kind = kind;
        m.tag = tag;
        m.a = page;
        m.b = slot;
        m.c = c;
        rig.deliver(FW_MODULE_HIL, m);
    }
    bool idle() const { return fw_idle(rig.f()); }

    ModuleRig rig;
};

} // namespace tlmssd::tb
