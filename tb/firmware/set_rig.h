// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a buffer policy that evicts in sets, called as the module calls it; pages are numbered by slots.
#pragma once

#include <gtest/gtest.h>

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {

struct SetPage {
    bool there = false, idle = false, dirty = false, used = false;
    u32 lpn = 0;
};

struct Leaving {
    u32 slot, channel;
    friend bool operator==(const Leaving& a, const Leaving& b)
    {
        return a.slot == b.slot && a.channel == b.channel;
    }
};

/// Also for a policy with `victim`: a set of one for any channel.
class SetRig {
public:
    explicit SetRig(const fw_config& config) : rig_(config), pages(config.lines) {}

    fw* f() { return rig_.f(); }
    const buffer_policy_ops* ops() { return f()->buffer->policy; }

    void enter(u32 i, u32 lpn)
    {
        f()->buffer->lines[i] = {};
        f()->buffer->lines[i].state = LINE_STABLE;
        f()->buffer->lines[i].lpn = lpn;
        pages[i] = {true, false, false, false, lpn};
        call(ops()->enter, i);
    }
    void use(u32 i, bool write)
    {
        busy(i);
        line_used(f(), i, write);
        pages[i].used = true;
        set_dirty(i, pages[i].dirty || write);
    }
    void set_dirty(u32 i, bool dirty)
    {
        f()->buffer->lines[i].dirty = dirty;
        pages[i].dirty = dirty;
    }
    /// As buffer_settle(): a policy that keeps nothing hears of dirty pages only.
    void idle(u32 i)
    {
        if (!ops()->retain && !pages[i].dirty) {
            leave(i);
            return;
        }
        f()->buffer->lines[i].idle = 1;
        pages[i].idle = true;
        call(ops()->idle, i);
    }
    void busy(u32 i)
    {
        line_use(f(), i);
        pages[i].idle = false;
    }
    void leave(u32 i)
    {
        busy(i);
        call(ops()->leave, i);
        pages[i] = {};
    }
    std::vector<Leaving> victims(bool must)
    {
        if (ops()->victims == nullptr) {
            const u32 slot = ops()->victim(f());
            return slot == FW_NONE ? std::vector<Leaving>{} : std::vector<Leaving>{{slot, FW_NONE}};
        }
        buffer_leaving set[32];
        const u32 count = ops()->victims(f(), set, must);
        std::vector<Leaving> all;
        for (u32 i = 0; i < count; ++i) {
            all.push_back({set[i].line, set[i].channel});
        }
        return all;
    }

private:
    void call(void (*hook)(fw*, u32), u32 i)
    {
        if (hook != nullptr) {
            hook(f(), i);
        }
    }
    ModuleRig rig_;

public:
    std::vector<SetPage> pages;
};

} // namespace tlmssd::tb
