// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each replacement policy against a slow and obvious model of it: random pages come, are used,
// become dirty or clean, idle or busy, and leave; both name the same victim each time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <list>

#include "models/common/hash.h"
#include "tb/firmware/hal_log.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kSlots = 40;
constexpr u32 kWindow = 11;

struct PageState {
    bool there = false, idle = false, dirty = false, used = false;
};
using Pages = std::vector<PageState>;

/// Pages in a std::list, looked through from the front, the oldest.
class Slow {
public:
    virtual ~Slow() = default;
    virtual void enter(u32 slot) { order.push_back(slot); }
    virtual void use(u32 slot, bool write, bool hit) = 0;
    virtual void idle(u32) {}
    virtual void leave(u32 slot) { order.remove(slot); }
    virtual u32 victim(const Pages& pages) = 0;

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

std::unique_ptr<Slow> slow(u32 policy)
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
    default:
        throw std::logic_error("a policy without a model: write one");
    }
}

/// The policy as the room calls it, and its model.
class Pair {
public:
    explicit Pair(u32 policy) : rig_(config(policy)), slow_(slow(policy)), pages(kSlots) {}

    void enter(u32 i)
    {
        fw* f = rig_.f();
        f->buffer->slots[i] = {};
        f->buffer->slots[i].state = SLOT_STABLE;
        pages[i] = {true, false, false, false};
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
        rig_.f()->buffer->slots[i].dirty = dirty;
        pages[i].dirty = dirty;
    }
    void idle(u32 i)
    {
        rig_.f()->buffer->slots[i].idle = 1;
        pages[i].idle = true;
        call(ops()->idle, i);
        slow_->idle(i);
    }
    void busy(u32 i)
    {
        slot_use(rig_.f(), i);
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
    static fw_config config(u32 policy)
    {
        fw_config c = small_config();
        c.slots = kSlots;
        c.buffer_policy = policy;
        c.clean_window = kWindow;
        return c;
    }
    const buffer_policy_ops* ops() { return rig_.f()->buffer->policy; }
    void call(void (*hook)(fw*, u32), u32 i)
    {
        if (hook != nullptr) {
            hook(rig_.f(), i);
        }
    }
    RoomRig rig_;
    std::unique_ptr<Slow> slow_;

public:
    Pages pages;
};

class Policy : public testing::TestWithParam<u32> {};

/// The oldest page, or the youngest.
TEST_P(Policy, FindsTheOnlyIdlePage)
{
    for (const u32 idle : {0u, 1u}) {
        Pair pair(GetParam());
        for (const u32 slot : {0u, 1u}) {
            pair.enter(slot);
            pair.use(slot, true);
        }
        pair.idle(idle);
        EXPECT_EQ(pair.victim(), GetParam() == FW_BUFFER_NONE ? FW_NONE : idle);
    }
}

TEST_P(Policy, NamesTheVictimOfItsObviousModel)
{
    const char* form = std::getenv("TLMSSD_TEST_LONG");
    const u32 steps = form != nullptr && std::string(form) == "1" ? 2'000'000 : 200'000;
    Pair pair(GetParam());
    u64 victims = 0;
    u64 dirty = 0;
    for (u32 i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
        const auto draw = [&](u64 stream, u32 below) {
            return static_cast<u32>(draw_below(draw64(GetParam(), stream, i), below));
        };
        const u32 slot = draw(0, 4) == 0 ? draw(1, 8) : draw(1, kSlots); // some are used more
        const PageState& p = pair.pages[slot];
        if (!p.there) {
            pair.enter(slot);
            pair.use(slot, draw(2, 2) == 0);
            continue;
        }
        switch (draw(3, 8)) {
        case 0:
        case 1:
            pair.use(slot, draw(2, 3) == 0);
            break;
        case 2:
            if (!p.idle) { // written back by a FLUSH, or trimmed
                draw(2, 2) == 0 ? pair.set_dirty(slot, false) : pair.leave(slot);
            }
            break;
        case 3: {
            const u32 victim = pair.victim();
            if (victim == FW_NONE) {
                break;
            }
            ++victims;
            dirty += pair.pages[victim].dirty;
            pair.busy(victim); // a program, or nothing
            if (draw(2, 8) != 0) {
                pair.leave(victim);
            } else { // somebody came for it meanwhile
                pair.set_dirty(victim, false);
                pair.use(victim, false);
            }
            break;
        }
        default:
            if (!p.idle) {
                pair.idle(slot);
            }
        }
    }
    if (GetParam() != FW_BUFFER_NONE) {
        EXPECT_GT(victims, steps / 100);
        EXPECT_GT(dirty, victims / 20);
        EXPECT_LT(dirty, victims);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Policy, testing::Range(0u, u32{FW_BUFFER_COUNT}),
                         [](const auto& test) { return std::string(kPolicies[test.param]); });

/// By hand: pages a, b, c, d come in this order, a and b written, c and d read; then b and d are used
/// again. Who leaves, one after the other.
struct Walk {
    u32 policy;
    const char* leaving;
};

class PolicyWalk : public testing::TestWithParam<Walk> {};

TEST_P(PolicyWalk, LeavesInThisOrder)
{
    Pair pair(GetParam().policy);
    for (u32 i = 0; i < 4; ++i) {
        pair.enter(i);
        pair.use(i, i < 2);
        pair.idle(i);
    }
    for (const u32 i : {1, 3}) {
        pair.use(i, false);
        pair.idle(i);
    }
    std::string leaving;
    for (u32 n = 0; n < 4; ++n) {
        const u32 victim = pair.victim();
        ASSERT_NE(victim, FW_NONE);
        leaving += static_cast<char>('a' + victim);
        pair.leave(victim);
    }
    EXPECT_EQ(leaving, GetParam().leaving);
    EXPECT_EQ(pair.victim(), FW_NONE);
}

INSTANTIATE_TEST_SUITE_P(
    All, PolicyWalk,
    testing::Values(Walk{FW_BUFFER_FIFO, "abcd"},
                    Walk{FW_BUFFER_LRU, "acbd"},
                    Walk{FW_BUFFER_CLOCK, "abcd"},     // all have their bit: once round
                    Walk{FW_BUFFER_CFLRU, "cdab"},     // all four are in the window
                    Walk{FW_BUFFER_LRU_WSR, "cdab"},   // a and b get their second chance
                    // c is cold and clean, a cold and dirty; b and d are hot: b is dirty and becomes cold,
                    // d is clean and leaves as a cold one.
                    Walk{FW_BUFFER_CCF_LRU, "cadb"}),
    [](const auto& test) { return std::string(kPolicies[test.param.policy]); });

} // namespace
} // namespace tlmssd::tb
