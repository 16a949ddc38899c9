// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: slow and obvious models of the replacement policies that know pages only.
#pragma once

#include <list>
#include <set>
#include <vector>

#include "tb/firmware/private.h"

namespace tlmssd::tb {

inline constexpr u32 kSlots = 40;
inline constexpr u32 kWindow = 11;
inline constexpr u32 kBlock = 3;
inline constexpr u32 kVictimBlocks = 2;
inline constexpr u32 kHot = 256; // of 1024

struct PageState {
    bool there = false, idle = false, dirty = false, used = false;
    u32 lpn = 0;
};
using Pages = std::vector<PageState>;

/// Pages in a std::list, looked through from the front, the oldest.
class Slow {
public:
    virtual ~Slow() = default;
    virtual void enter(u32 slot) { order.push_back(slot); }
    virtual void use(u32 slot, bool write, bool hit) = 0;
    virtual void idle(u32) {}
    virtual void busy(u32) {}
    virtual void leave(u32 slot) { order.remove(slot); }
    virtual u32 victim(const Pages& pages) = 0;
    const Pages* all = nullptr;
    u32 block_pages = kBlock, hot = kHot, window = kWindow, victim_blocks = kVictimBlocks;

protected:
    void renew(u32 slot)
    {
        order.remove(slot);
        order.push_back(slot);
    }
    u32 first_idle(const Pages& pages) const
    {
        for (const u32 slot : order) {
            if (pages[slot].idle) {
                return slot;
            }
        }
        return FW_NONE;
    }
    u32 block_of(u32 slot) const { return (*all)[slot].lpn / block_pages; }
    std::list<u32> order;
};

class SlowNone : public Slow {
    void use(u32, bool, bool) override {}
    u32 victim(const Pages&) override { return FW_NONE; }
};

class SlowFifo : public Slow {
    void use(u32, bool, bool) override {}
    u32 victim(const Pages& pages) override { return first_idle(pages); }
};

/// By the end of the last use.
class SlowLru : public Slow {
    void use(u32, bool, bool) override {}
    void idle(u32 slot) override { renew(slot); }
    u32 victim(const Pages& pages) override { return first_idle(pages); }
};

class SlowClock : public Slow {
    void use(u32 slot, bool, bool) override { referenced.insert(slot); }
    void leave(u32 slot) override
    {
        Slow::leave(slot);
        referenced.erase(slot);
    }
    u32 victim(const Pages& pages) override
    {
        if (first_idle(pages) == FW_NONE) { // nothing but pages in use: twice round, back where it was
            return FW_NONE;
        }
        for (;;) {
            const u32 slot = order.front();
            if (pages[slot].idle && referenced.erase(slot) == 0) {
                return slot;
            }
            renew(slot);
        }
    }
    std::set<u32> referenced;
};

class SlowCflru : public Slow {
    void use(u32 slot, bool, bool) override { renew(slot); }
    u32 victim(const Pages& pages) override
    {
        u32 left = kWindow;
        for (const u32 slot : order) {
            if (left-- == 0) {
                break;
            }
            if (pages[slot].idle && !pages[slot].dirty) {
                return slot;
            }
        }
        return first_idle(pages);
    }
};

class SlowWsr : public Slow {
    void enter(u32 slot) override
    {
        Slow::enter(slot);
        cold.erase(slot);
    }
    void use(u32 slot, bool, bool) override
    {
        cold.erase(slot);
        renew(slot);
    }
    u32 victim(const Pages& pages) override
    {
        for (;;) {
            const u32 slot = first_idle(pages);
            if (slot == FW_NONE || !pages[slot].dirty || cold.count(slot) != 0) {
                return slot;
            }
            cold.insert(slot);
            renew(slot);
        }
    }
    std::set<u32> cold;
};

class SlowCcf : public Slow { // `order` is the mixed list
    void enter(u32 slot) override { cold_clean.push_back(slot); }
    void use(u32 slot, bool write, bool hit) override
    {
        if (hit || write) {
            leave(slot);
            order.push_back(slot);
            if (hit) {
                hot.insert(slot);
            }
        }
    }
    void leave(u32 slot) override
    {
        order.remove(slot);
        cold_clean.remove(slot);
        hot.erase(slot);
    }
    u32 victim(const Pages& pages) override
    {
        for (;;) {
            for (const u32 slot : cold_clean) {
                if (pages[slot].idle) {
                    return slot;
                }
            }
            const u32 slot = first_idle(pages);
            if (slot == FW_NONE || hot.erase(slot) == 0) {
                return slot;
            }
            order.remove(slot);
            (pages[slot].dirty ? order : cold_clean).push_back(slot);
        }
    }
    std::list<u32> cold_clean;
    std::set<u32> hot;
};

} // namespace tlmssd::tb
