// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: slow and obvious models of the replacement policies that know blocks.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "tb/firmware/slow_policies.h"

namespace tlmssd::tb {

/// Ties between blocks of equal size: the one whose number of pages in the window changed first.
class SlowRef : public Slow {
    u32 in_window(u32 block) const
    {
        u32 n = 0;
        u32 at = 0;
        for (const u32 slot : order) {
            n += at++ < window && block_of(slot) == block;
        }
        return n;
    }
    void enter(u32 slot) override
    {
        order.push_back(slot);
        if (order.size() <= window) {
            changed[block_of(slot)] = ++time;
        }
    }
    void leave(u32 slot) override
    {
        const auto place = std::find(order.begin(), order.end(), slot);
        const bool inside = std::distance(order.begin(), place) < window;
        order.erase(place);
        if (inside) {
            changed[block_of(slot)] = ++time;
            if (order.size() >= window) {
                changed[block_of(*std::next(order.begin(), window - 1))] = ++time;
            }
        }
    }
    void use(u32 slot, bool, bool) override
    {
        leave(slot);
        enter(slot);
    }
    u32 first_in_window(const Pages& pages, const std::function<bool(u32)>& wanted) const
    {
        u32 at = 0;
        for (const u32 slot : order) {
            if (at++ < window && pages[slot].idle && wanted(block_of(slot))) {
                return slot;
            }
        }
        return FW_NONE;
    }
    u32 victim(const Pages& pages) override
    {
        const u32 slot = first_in_window(pages, [&](u32 block) {
            return std::find(chosen.begin(), chosen.end(), block) != chosen.end();
        });
        if (slot != FW_NONE) {
            return slot;
        }
        u32 best = FW_NONE;
        first_in_window(pages, [&](u32 block) {
            if (best == FW_NONE || in_window(block) > in_window(best) ||
                (in_window(block) == in_window(best) && changed[block] < changed[best])) {
                best = block;
            }
            return false; // all of them
        });
        if (best == FW_NONE) {
            return first_idle(pages);
        }
        chosen.push_back(best);
        if (chosen.size() > victim_blocks) {
            chosen.pop_front();
        }
        return first_in_window(pages, [&](u32 block) { return block == best; });
    }
    std::map<u32, u64> changed;
    u64 time = 0;
    std::deque<u32> chosen;
};

/// Blocks in a list, the oldest first; what a drained one has left behind leaves in order.
class SlowBlocks : public Slow {
protected:
    struct Block {
        u32 number;
        std::set<u32> slots;
        u32 run = 0;
        bool is_hot = false;
    };
    using Blocks = std::list<Block>;
    virtual void touch(Blocks::iterator block, u32 slot, bool write) = 0;
    virtual void lost_page(Blocks::iterator) {}
    virtual Blocks::iterator pick(const Pages& pages) = 0;

    void to_back(Blocks::iterator block) { blocks.splice(blocks.end(), blocks, block); }
    Blocks::iterator find(u32 number)
    {
        return std::find_if(blocks.begin(), blocks.end(),
                            [&](const Block& b) { return b.number == number; });
    }
    static bool has_idle(const Block& b, const Pages& pages)
    {
        return std::any_of(b.slots.begin(), b.slots.end(), [&](u32 slot) { return pages[slot].idle; });
    }
    void enter(u32) override {}
    void use(u32 slot, bool write, bool) override
    {
        drained.erase(slot);
        auto block = find(block_of(slot));
        if (block == blocks.end()) {
            block = blocks.insert(blocks.end(), Block{block_of(slot), {}});
        }
        block->slots.insert(slot);
        touch(block, slot, write);
    }
    void idle(u32 slot) override
    {
        const auto block = find(block_of(slot));
        if (drained.count(slot) != 0) {
            leaving.push_back(slot);
        } else if (block == blocks.end() || block->slots.count(slot) == 0) {
            use(slot, false, false); // brought ahead, nobody has used it
        }
    }
    void busy(u32 slot) override { leaving.remove(slot); }
    void leave(u32 slot) override
    {
        const auto block = find(block_of(slot));
        if (drained.erase(slot) == 0 && block != blocks.end() && block->slots.erase(slot) != 0) {
            if (block->slots.empty()) {
                blocks.erase(block);
            } else {
                lost_page(block);
            }
        }
    }
    u32 victim(const Pages& pages) override
    {
        if (leaving.empty()) {
            const auto block = pick(pages);
            if (block == blocks.end()) {
                return FW_NONE;
            }
            std::map<u32, u32> by_lpn;
            for (const u32 slot : block->slots) {
                by_lpn[pages[slot].lpn] = slot;
            }
            for (const auto& [lpn, slot] : by_lpn) {
                drained.insert(slot);
                if (pages[slot].idle) {
                    leaving.push_back(slot);
                }
            }
            blocks.erase(block);
        }
        return leaving.front();
    }
    Blocks::iterator largest(const Pages& pages, const std::function<bool(const Block&)>& wanted)
    {
        auto best = blocks.end();
        for (auto b = blocks.begin(); b != blocks.end(); ++b) {
            if (wanted(*b) && has_idle(*b, pages) &&
                (best == blocks.end() || b->slots.size() > best->slots.size())) {
                best = b;
            }
        }
        return best;
    }
    Blocks blocks;
    std::set<u32> drained;
    std::list<u32> leaving;
};

class SlowFab : public SlowBlocks {
    void touch(Blocks::iterator block, u32, bool) override { to_back(block); }
    void lost_page(Blocks::iterator block) override { to_back(block); }
    Blocks::iterator pick(const Pages& pages) override
    {
        return largest(pages, [](const Block&) { return true; });
    }
};

class SlowBplru : public SlowBlocks {
    void touch(Blocks::iterator block, u32 slot, bool write) override
    {
        const u32 page = (*all)[slot].lpn % block_pages;
        if (write) {
            block->run = page == 0 || page == block->run ? page + 1
                         : page + 1 == block->run        ? block->run
                                                         : 0;
        }
        blocks.splice(write && block->run == block_pages ? blocks.begin() : blocks.end(), blocks, block);
    }
    Blocks::iterator pick(const Pages& pages) override
    {
        return std::find_if(blocks.begin(), blocks.end(),
                            [&](const Block& b) { return has_idle(b, pages); });
    }
};

/// Hot blocks in order of use and cold ones in order of becoming so or losing a page, in one list.
class SlowClc : public SlowBlocks {
    void touch(Blocks::iterator block, u32, bool) override
    {
        block->is_hot = true;
        to_back(block);
        const auto hot_ones = [&] {
            return std::count_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.is_hot; });
        };
        while (static_cast<u64>(hot_ones()) * 1024 > blocks.size() * hot) {
            const auto oldest =
                std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.is_hot; });
            oldest->is_hot = false;
            to_back(oldest);
        }
    }
    void lost_page(Blocks::iterator block) override
    {
        if (!block->is_hot) {
            to_back(block);
        }
    }
    Blocks::iterator pick(const Pages& pages) override
    {
        const auto cold = largest(pages, [](const Block& b) { return !b.is_hot; });
        return cold != blocks.end()
                   ? cold
                   : std::find_if(blocks.begin(), blocks.end(),
                                  [&](const Block& b) { return has_idle(b, pages); });
    }
};

} // namespace tlmssd::tb
