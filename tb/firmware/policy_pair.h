// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a replacement policy beside its slow model: both see the same pages, both name the same victim.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>

#include "tb/firmware/hal_log.h"
#include "tb/firmware/slow_block_policies.h"

namespace tlmssd::tb {

inline std::unique_ptr<Slow> slow(u32 policy)
{
    switch (policy) {
    case FW_BUFFER_NONE:
        return std::make_unique<SlowNone>();
    case FW_BUFFER_LRU:
        return std::make_unique<SlowLru>();
    case FW_BUFFER_FIFO:
        return std::make_unique<SlowFifo>();
    case FW_BUFFER_CLOCK:
        return std::make_unique<SlowClock>();
    case FW_BUFFER_CFLRU:
        return std::make_unique<SlowCflru>();
    case FW_BUFFER_LRU_WSR:
        return std::make_unique<SlowWsr>();
    case FW_BUFFER_CCF_LRU:
        return std::make_unique<SlowCcf>();
    case FW_BUFFER_REF:
        return std::make_unique<SlowRef>();
    case FW_BUFFER_FAB:
        return std::make_unique<SlowFab>();
    case FW_BUFFER_BPLRU:
        return std::make_unique<SlowBplru>();
    case FW_BUFFER_CLC:
        return std::make_unique<SlowClc>();
    default:
        throw std::logic_error("a policy without a model: write one");
    }
}

/// The policy as the module calls it, and its model.
class Pair {
public:
    explicit Pair(const fw_config& c) : rig_(c), slow_(slow(c.buffer_policy)), pages(kSlots)
    {
        slow_->all = &pages;
        slow_->block_pages = c.block_pages;
        slow_->hot = c.hot_blocks;
        slow_->window = c.buffer_policy == FW_BUFFER_REF ? c.victim_window : c.clean_window;
        slow_->victim_blocks = c.victim_blocks;
    }
    explicit Pair(u32 policy) : Pair(config(policy)) {}

    static fw_config config(u32 policy)
    {
        fw_config c = small_config();
        c.lines = kSlots;
        c.buffer_policy = policy;
        c.clean_window = c.victim_window = kWindow;
        c.block_pages = kBlock;
        c.victim_blocks = kVictimBlocks;
        c.hot_blocks = kHot;
        return c;
    }
    void enter(u32 i, u32 lpn)
    {
        fw* f = rig_.f();
        f->buffer->lines[i] = {};
        f->buffer->lines[i].state = LINE_STABLE;
        f->buffer->lines[i].lpn = lpn;
        pages[i] = {true, false, false, false, lpn};
        call(ops()->enter, i);
        slow_->enter(i);
    }
    void use(u32 i, bool write)
    {
        busy(i);
        if (ops()->use != nullptr) {
            ops()->use(rig_.f(), i, write, pages[i].used);
        }
        slow_->use(i, write, pages[i].used);
        pages[i].used = true;
        set_dirty(i, pages[i].dirty || write);
    }
    void set_dirty(u32 i, bool dirty)
    {
        rig_.f()->buffer->lines[i].dirty = dirty;
        pages[i].dirty = dirty;
    }
    void idle(u32 i)
    {
        rig_.f()->buffer->lines[i].idle = 1;
        pages[i].idle = true;
        call(ops()->idle, i);
        slow_->idle(i);
    }
    void busy(u32 i)
    {
        line_use(rig_.f(), i);
        slow_->busy(i);
        pages[i].idle = false;
    }
    void leave(u32 i)
    {
        busy(i);
        call(ops()->leave, i);
        slow_->leave(i);
        pages[i] = {};
    }
    u32 victim()
    {
        const u32 got = ops()->victim(rig_.f());
        EXPECT_EQ(got, slow_->victim(pages));
        return got;
    }

private:
    const buffer_policy_ops* ops() { return rig_.f()->buffer->policy; }
    void call(void (*hook)(fw*, u32), u32 i)
    {
        if (hook != nullptr) {
            hook(rig_.f(), i);
        }
    }
    ModuleRig rig_;
    std::unique_ptr<Slow> slow_;

public:
    Pages pages;
};

} // namespace tlmssd::tb
