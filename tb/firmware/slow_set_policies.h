// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: slow and obvious models of the policies that evict in sets.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "tb/firmware/set_rig.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb::set_models {

inline constexpr u32 kSlots = 48;
inline constexpr u32 kChannels = 4;
inline constexpr u32 kTurns = 2; ///< LPNs of a slot: no page is in two slots

inline fw_config config_of(u32 policy, u32 over = FW_BUFFER_CCF_LRU, u32 neighbours = 0)
{
    fw_config c = small_config(kChannels);
    c.lines = kSlots;
    c.buffer_policy = policy;
    (policy == FW_BUFFER_CAWR_BLOCK ? c.cawr_over : c.cave_over) = over;
    c.cawr_any_neighbour = neighbours;
    c.clean_window = 11;
    return c;
}

using Set = std::vector<Leaving>;
using Pages = std::vector<SetPage>;

/// What a policy is told, and what it answers. `pages` is as before the call.
class Slow {
public:
    virtual ~Slow() = default;
    virtual void enter(u32, u32) {}
    virtual void use(u32, bool) {}
    virtual void idle(u32) {}
    virtual void busy(u32) {}
    virtual void leave(u32) {}
    virtual void set_dirty(u32, bool) {}
    virtual Set victims(const Pages& pages, bool must) = 0;
};

/// Dirty idle pages in one list.
class SlowGating : public Slow {
    void idle(u32 slot) override { order_.push_back(slot); }
    void busy(u32 slot) override { order_.remove(slot); }
    Set victims(const Pages&, bool must) override
    {
        Set set;
        if (order_.size() >= kChannels || must) {
            for (const u32 slot : order_) {
                if (set.size() < kChannels) {
                    set.push_back({slot, turn_++ % kChannels});
                }
            }
        }
        return set;
    }
    std::list<u32> order_;
    u32 turn_ = 0;
};

/// The other policy alone (which has its own model in policy_test.cpp), and a list of what was put aside.
class SlowCave : public Slow {
public:
    explicit SlowCave(u32 over) : over_(config_of(over)) {}
    void enter(u32 slot, u32 lpn) override { over_.enter(slot, lpn); }
    void use(u32 slot, bool write) override { over_.use(slot, write); }
    void idle(u32 slot) override
    {
        aside_.remove(slot);
        over_.idle(slot);
    }
    void busy(u32 slot) override
    {
        over_.busy(slot);
        aside_.remove(slot);
    }
    void leave(u32 slot) override { over_.leave(slot); }
    void set_dirty(u32 slot, bool dirty) override { over_.set_dirty(slot, dirty); }
    Set victims(const Pages& pages, bool must) override
    {
        for (;;) {
            if (aside_.size() == kChannels) {
                break;
            }
            const Set one = over_.victims(false);
            if (one.empty()) {
                if (!must) {
                    return {};
                }
                break;
            }
            if (!pages[one[0].slot].dirty) {
                return one;
            }
            over_.busy(one[0].slot);
            aside_.push_back(one[0].slot);
        }
        Set set;
        for (const u32 slot : aside_) {
            set.push_back({slot, turn_++ % kChannels});
        }
        return set;
    }

private:
    SetRig over_;
    std::list<u32> aside_;
    u32 turn_ = 0;
};

/// A block-level policy alone, and what it gave up: blocks of pages on their way out. `fixed`: at most one at
/// each of the channels, which stays its own; else in a row, and the channels have their turns.
class SlowClusters : public Slow {
public:
    SlowClusters(u32 over, bool fixed) : over_(config_of(over)), fixed_(fixed), blocks_(fixed ? kChannels : 0) {}
    void enter(u32 slot, u32 lpn) override { over_.enter(slot, lpn); }
    void use(u32 slot, bool write) override { over_.use(slot, write); }
    void idle(u32 slot) override
    {
        remove(slot);
        over_.idle(slot);
    }
    void busy(u32 slot) override
    {
        over_.busy(slot);
        remove(slot);
    }
    void leave(u32 slot) override { over_.leave(slot); }
    void set_dirty(u32 slot, bool dirty) override { over_.set_dirty(slot, dirty); }
    Set victims(const Pages& pages, bool must) override
    {
        const auto block = [&](u32 slot) { return pages[slot].lpn / kBlock; };
        for (bool blocked = false; !blocked;) {
            if (!stray_.empty()) { // the page of a block that did not come in yet
                const u32 slot = stray_.front();
                const auto its = [&](const std::list<u32>& b) { return !b.empty() && block(b.front()) == block(slot); };
                auto to = std::find_if(blocks_.begin(), blocks_.end(), its);
                if (to == blocks_.end() && fixed_) {
                    to = std::find_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return b.empty(); });
                } else if (to == blocks_.end() && blocks_.size() < kChannels) {
                    to = blocks_.insert(blocks_.end(), std::list<u32>{});
                }
                blocked = to == blocks_.end();
                if (!blocked) {
                    to->push_back(slot);
                    stray_.clear();
                }
                continue;
            }
            const Set one = over_.victims(false);
            if (one.empty()) {
                break;
            }
            if (!pages[one[0].slot].dirty) {
                return one;
            }
            over_.busy(one[0].slot);
            stray_.push_back(one[0].slot);
        }
        Set set;
        u32 turn = turn_;
        for (u32 i = 0; i < blocks_.size(); ++i) {
            if (!blocks_[i].empty()) {
                set.push_back({blocks_[i].front(), fixed_ ? i : turn++ % kChannels});
            }
        }
        if (set.size() < kChannels && !must) {
            return {};
        }
        turn_ = turn;
        return set;
    }

private:
    static constexpr u32 kBlock = 4; // of small_config()
    void remove(u32 slot)
    {
        stray_.remove(slot);
        for (std::list<u32>& b : blocks_) {
            b.remove(slot);
        }
        if (!fixed_) {
            blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return b.empty(); }),
                          blocks_.end());
        }
    }
    SetRig over_;
    bool fixed_;
    std::vector<std::list<u32>> blocks_;
    std::list<u32> stray_;
    u32 turn_ = 0;
};

/// Algorithms 1 and 2 line by line.
class SlowCawr : public Slow {
public:
    explicit SlowCawr(bool neighbours) : neighbours_(neighbours) {}
    void enter(u32 slot, u32 lpn) override
    {
        lpn_[slot] = lpn;
        use(slot, false);
    }
    void use(u32 slot, bool) override
    {
        remove(slot);
        flagged_.erase(slot);
        wl_.push_back(slot);
    }
    void idle(u32 slot) override
    {
        if (std::find(wl_.begin(), wl_.end(), slot) == wl_.end()) {
            dirty_.count(slot) != 0 ? use(slot, false) : ccl_.push_back(slot);
        }
    }
    void busy(u32 slot) override
    {
        ccl_.remove(slot);
        for (std::list<u32>& cdl : cdls_) {
            cdl.remove(slot);
        }
    }
    void leave(u32 slot) override { remove(slot); }
    void set_dirty(u32 slot, bool dirty) override
    {
        dirty ? (void)dirty_.insert(slot) : (void)dirty_.erase(slot);
    }
    Set victims(const Pages& pages, bool must) override
    {
        const auto end_of_wl = [&] {
            for (const u32 slot : wl_) {
                if (pages[slot].idle) {
                    return slot;
                }
            }
            return u32{FW_NONE};
        };
        while (true) {                                    // 4
            if (!ccl_.empty()) {                          // 5
                return {{ccl_.front(), FW_NONE}};         // 6
            }
            Set set;
            for (u32 i = 0; i < kChannels; ++i) {         // 9
                if (!cdls_[i].empty()) {
                    set.push_back({cdls_[i].front(), i}); // 10
                }
            }
            if (set.size() == kChannels) {                // 8
                return set;                               // 12
            }
            u32 item = end_of_wl();                       // 14
            if (item == FW_NONE) {                        // the hole: nothing left to move
                return must ? set : Set{};
            }
            while (item != FW_NONE && pages[item].dirty) { // 15
                if (flagged_.count(item) != 0) {          // 16
                    if (!to_cdls(item)) {                 // 17
                        break;                            // 18
                    }
                } else {
                    flagged_.insert(item);                // 21
                    wl_.remove(item);                     // 22
                    wl_.push_back(item);
                }
                item = end_of_wl();                       // 24
            }
            if (item != FW_NONE && !pages[item].dirty) {  // 26
                wl_.remove(item);                         // 27
                ccl_.push_back(item);                     // 28
            }
        }
    }

private:
    void remove(u32 slot)
    {
        busy(slot);
        wl_.remove(slot);
    }
    bool is_sequence(u32 item, const std::list<u32>& cdl)
    {
        if (!neighbours_) {
            return lpn_[item] == lpn_[cdl.back()] + 1;
        }
        return std::any_of(cdl.begin(), cdl.end(), [&](u32 other) {
            return lpn_[item] == lpn_[other] + 1 || lpn_[other] == lpn_[item] + 1;
        });
    }
    bool to_cdls(u32 item)
    {
        for (std::list<u32>& cdl : cdls_) {
            if (!cdl.empty() && cdl.size() < 4 && is_sequence(item, cdl)) {
                wl_.remove(item);
                cdl.push_back(item);
                return true;
            }
        }
        for (std::list<u32>& cdl : cdls_) {
            if (cdl.empty()) {
                wl_.remove(item);
                cdl.push_back(item);
                return true;
            }
        }
        return false;
    }
    bool neighbours_;
    std::list<u32> wl_, ccl_, cdls_[kChannels];
    std::set<u32> flagged_, dirty_;
    u32 lpn_[kSlots] = {};
};

struct Case {
    u32 policy, over, neighbours;
};

inline std::unique_ptr<Slow> slow(const Case& c)
{
    switch (c.policy) {
    case FW_BUFFER_GATING:
        return std::make_unique<SlowGating>();
    case FW_BUFFER_CAVE:
        if (c.over == FW_BUFFER_FAB || c.over == FW_BUFFER_BPLRU || c.over == FW_BUFFER_CLC) {
            return std::make_unique<SlowClusters>(c.over, false);
        }
        return std::make_unique<SlowCave>(c.over);
    case FW_BUFFER_CAWR_BLOCK:
        return std::make_unique<SlowClusters>(c.over, true);
    case FW_BUFFER_CAWR:
        return std::make_unique<SlowCawr>(c.neighbours != 0);
    default:
        throw std::logic_error("a policy without a model: write one");
    }
}

inline std::string name_of(const Case& c)
{
    return std::string(kPolicies[c.policy]) +
           (c.policy == FW_BUFFER_CAVE || c.policy == FW_BUFFER_CAWR_BLOCK
                ? std::string("_over_") + kPolicies[c.over]
                : "") +
           (c.neighbours != 0 ? "_any_neighbour" : "");
}

} // namespace tlmssd::tb::set_models
