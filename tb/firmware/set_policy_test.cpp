// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: policies that evict in sets against slow and obvious models of them: random pages come, are used,
// become dirty or clean, idle or busy, and leave; both name the same set each time.
#include "models/common/hash.h"
#include "tb/firmware/slow_set_policies.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

using namespace set_models;

class SetPolicy : public testing::TestWithParam<Case> {
protected:
    SetPolicy()
        : rig(config_of(GetParam().policy, GetParam().over, GetParam().neighbours)), model(slow(GetParam()))
    {
    }
    void use(u32 i, bool write)
    {
        busy(i);
        rig.use(i, write);
        model->use(i, write);
        model->set_dirty(i, rig.pages[i].dirty);
    }
    void set_dirty(u32 i, bool dirty)
    {
        rig.set_dirty(i, dirty);
        model->set_dirty(i, dirty);
    }
    void busy(u32 i)
    {
        rig.busy(i);
        model->busy(i);
    }
    void leave(u32 i)
    {
        rig.leave(i);
        model->busy(i);
        model->leave(i);
        model->set_dirty(i, false);
    }
    void settle(u32 i)
    {
        if (rig.ops()->retain || rig.pages[i].dirty) {
            rig.idle(i);
            model->idle(i);
        } else {
            leave(i);
        }
    }
    SetRig rig;
    std::unique_ptr<Slow> model;
};

TEST_P(SetPolicy, NamesTheSetsOfItsObviousModel)
{
    const u32 steps = long_form() ? 2'000'000 : 200'000;
    u64 full = 0;
    u64 partial = 0;
    u64 clean = 0;
    for (u32 i = 0; i < steps && !HasFailure(); ++i) {
        const auto draw = [&](u64 stream, u32 below) {
            return static_cast<u32>(draw_below(draw64(GetParam().policy, stream, i), below));
        };
        const u32 slot = draw(0, 4) == 0 ? draw(1, 8) : draw(1, kSlots); // some are used more
        const SetPage& p = rig.pages[slot];
        if (!p.there) {
            const u32 lpn = slot + kSlots * draw(5, kTurns);
            rig.enter(slot, lpn);
            model->enter(slot, lpn);
            use(slot, draw(2, 3) != 0);
            continue;
        }
        switch (draw(3, 8)) {
        case 0:
            use(slot, draw(2, 3) == 0);
            break;
        case 1: // a request or a FLUSH begins with a page that nobody uses, or that was put aside
            busy(slot);
            break;
        case 2:
            if (!p.idle) {
                busy(slot);
                draw(2, 2) == 0 ? set_dirty(slot, false) : leave(slot); // written back, or trimmed
            }
            break;
        case 3: {
            const bool must = draw(4, 8) == 0;
            const Pages before = rig.pages;
            const Set set = rig.victims(must);
            ASSERT_EQ(set, model->victims(before, must)) << "step " << i;
            std::set<u32> slots;
            std::set<u32> channels;
            for (const Leaving& l : set) {
                ASSERT_TRUE(before[l.slot].there);
                slots.insert(l.slot);
                channels.insert(l.channel);
                ASSERT_EQ(before[l.slot].dirty, l.channel != FW_NONE);
            }
            ASSERT_EQ(slots.size(), set.size());
            ASSERT_EQ(channels.size(), set.size()) << "two pages for a channel";
            if (!set.empty()) {
                ++(channels.count(FW_NONE) != 0 ? clean : set.size() == kChannels ? full : partial);
            }
            ASSERT_TRUE(must || set.empty() || channels.count(FW_NONE) != 0 || set.size() == kChannels);
            for (const Leaving& l : set) {
                busy(l.slot); // a program, or nothing
            }
            for (const Leaving& l : set) {
                const u32 what = before[l.slot].dirty ? draw(6 + l.channel, 8) : 2;
                if (what == 0) { // somebody came for it meanwhile
                    use(l.slot, false);
                    set_dirty(l.slot, false);
                } else if (what == 1) { // programmed, but not free: idle() comes without a use
                    set_dirty(l.slot, false);
                    settle(l.slot);
                } else {
                    leave(l.slot);
                }
            }
            break;
        }
        default:
            // One that was put aside: a request that failed has not used it.
            if (!p.idle || ((rig.f()->buffer->lines[slot].used & LINE_CHOSEN) != 0 && draw(4, 32) == 0)) {
                settle(slot);
            }
        }
    }
    EXPECT_GT(full, steps / 1000);
    EXPECT_GT(partial, 5u);
    EXPECT_EQ(clean > steps / 1000, GetParam().policy != FW_BUFFER_GATING);
    const fw_stats& stats = rig.f()->stats;
    EXPECT_EQ(stats.evicted_sets, full);
    EXPECT_EQ(stats.partial_sets, partial);
}

/// Random pages, twice as many as the buffer holds, half of the uses writes: cycles a page with 256 times as
/// many page buffers. Only the tree of cflru grows, with the logarithm.
TEST_P(SetPolicy, CostsHardlyMoreInALargeBuffer)
{
    if (GetParam().policy == FW_BUFFER_GATING) {
        return; // keeps no page
    }
    const auto cycles = [](u32 slots) {
        fw_config c = config_of(GetParam().policy, GetParam().over, GetParam().neighbours);
        c.lines = slots;
        c.clean_window = c.victim_window = slots / 4;
        c.block_pages = 64;
        SetRig large(c);
        std::vector<u32> slot_of(std::size_t{2} * slots, FW_NONE);
        std::vector<u32> free;
        for (u32 i = 0; i < slots; ++i) {
            free.push_back(i);
        }
        const u32 accesses = 4 * slots + 8192;
        for (u32 i = 0; i < accesses; ++i) {
            if (i == accesses - 8192) {
                large.f()->step_cycles = 0; // the last ones count
            }
            const u32 lpn = static_cast<u32>(draw_below(draw64(1, 2, i), 2 * slots));
            if (slot_of[lpn] == FW_NONE && free.empty()) {
                for (const Leaving& l : large.victims(true)) {
                    slot_of[large.pages[l.slot].lpn] = FW_NONE;
                    free.push_back(l.slot);
                    large.leave(l.slot);
                }
            }
            if (slot_of[lpn] == FW_NONE) {
                slot_of[lpn] = free.back();
                free.pop_back();
                large.enter(slot_of[lpn], lpn);
            }
            large.use(slot_of[lpn], draw64(1, 3, i) % 2 == 0);
            large.idle(slot_of[lpn]);
        }
        return static_cast<double>(large.f()->step_cycles) / 8192;
    };
    const double small = cycles(256); // 1 MiB of 4 KiB pages
    const double large = cycles(65536);
    EXPECT_GT(small, 0);
    EXPECT_LT(large, 2.5 * small + 2.0 * fw_cycles_of[FW_COST_BUFFER_FAR_LINK] + 1);
    RecordProperty("cycles_a_page_1_mib", std::to_string(small));
    RecordProperty("cycles_a_page_256_mib", std::to_string(large));
}

std::vector<Case> cases()
{
    std::vector<Case> all{{FW_BUFFER_GATING, 0, 0}, {FW_BUFFER_CAWR, 0, 0}, {FW_BUFFER_CAWR, 0, 1}};
    for (u32 over = 0; over < FW_BUFFER_COUNT; ++over) {
        if (buffer_policy_of(over)->victim != nullptr && buffer_policy_of(over)->retain) {
            all.push_back({FW_BUFFER_CAVE, over, 0});
        }
        if (buffer_policy_of(over)->by_block) {
            all.push_back({FW_BUFFER_CAWR_BLOCK, over, 0});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, SetPolicy, testing::ValuesIn(cases()),
                         [](const auto& test) { return name_of(test.param); });

} // namespace
} // namespace tlmssd::tb
