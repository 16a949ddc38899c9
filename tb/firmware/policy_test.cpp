// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each replacement policy against a slow and obvious model of it: random pages come, are used,
// become dirty or clean, idle or busy, and leave; both name the same victim each time. And what it costs.
#include "models/common/hash.h"
#include "tb/firmware/policy_pair.h"
#include "tb/firmware/storm.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

/// One of several pages that a slot may get; no two slots can have the same.
constexpr u32 kSpan = kSlots + 2;
static_assert(kSpan % kBlock == 0);
u32 lpn_of(u32 slot, u32 multiple) { return slot + multiple * kSpan; }

class Policy : public testing::TestWithParam<u32> {};

/// The oldest page, or the youngest.
TEST_P(Policy, FindsTheOnlyIdlePage)
{
    for (const u32 idle : {0u, 1u}) {
        Pair pair(GetParam());
        for (const u32 slot : {0u, 1u}) {
            pair.enter(slot, slot);
            pair.use(slot, true);
        }
        pair.idle(idle);
        EXPECT_EQ(pair.victim(), GetParam() == FW_BUFFER_NONE ? FW_NONE : idle);
    }
}

TEST_P(Policy, NamesTheVictimOfItsObviousModel)
{
    const u32 steps = long_form() ? 2'000'000 : 200'000;
    Pair pair(GetParam());
    u64 victims = 0;
    u64 dirty = 0;
    for (u32 i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
        const auto draw = [&](u64 stream, u32 below) {
            return static_cast<u32>(draw_below(draw64(GetParam(), stream, i), below));
        };
        const u32 slot = draw(0, 4) == 0 ? draw(1, 8) : draw(1, kSlots); // some are used more
        const PageState& p = pair.pages[slot];
        if (draw(4, 20) == 0) { // a block is written from end to end
            for (u32 n = slot - slot % kBlock; n < kSlots && n < slot - slot % kBlock + kBlock; ++n) {
                if (!pair.pages[n].there) {
                    pair.enter(n, lpn_of(n, p.lpn / kSpan));
                }
                pair.use(n, true);
                pair.idle(n);
            }
            continue;
        }
        if (!p.there) {
            pair.enter(slot, lpn_of(slot, draw(5, 3)));
            if (draw(2, 16) != 0) {
                pair.use(slot, draw(2, 2) == 0);
            } else { // brought ahead
                pair.idle(slot);
            }
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

/// Those that evict in sets: set_policy_test.cpp.
std::vector<u32> one_by_one()
{
    std::vector<u32> all;
    for (u32 policy = 0; policy < FW_BUFFER_COUNT; ++policy) {
        if (buffer_policy_of(policy)->victim != nullptr) {
            all.push_back(policy);
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, Policy, testing::ValuesIn(one_by_one()),
                         [](const auto& test) { return std::string(kPolicies[test.param]); });

/// Writes over a working set twice as large as the buffer, 256 times as many page buffers: cycles a
/// page grow with the logarithm at the most.
TEST_P(Policy, CostsHardlyMoreInALargeBuffer)
{
    if (GetParam() == FW_BUFFER_NONE) {
        return; // has nothing to do
    }
    const auto cycles = [&](u32 slots) {
        fw_config c = small_config(2, 2, 2, 2, 12, 4);
        c.lines = slots;
        c.buffer_policy = GetParam();
        c.clean_window = c.victim_window = slots / 4;
        c.block_pages = 64;
        ModuleRig rig(c);
        fw* f = rig.f();
        const buffer_policy_ops* ops = f->buffer->policy;
        std::map<u32, u32> slot_of;
        std::vector<u32> free(slots);
        for (u32 i = 0; i < slots; ++i) {
            free[i] = i;
        }
        const u32 accesses = 4 * slots + 4096;
        for (u32 i = 0; i < accesses; ++i) {
            if (i == accesses - 4096) {
                f->step_cycles = 0; // the last ones count
            }
            const u32 lpn = static_cast<u32>(draw_below(draw64(1, 2, i), 2 * slots));
            const bool write = draw64(1, 3, i) % 2 == 0;
            auto found = slot_of.find(lpn);
            bool hit = found != slot_of.end();
            if (!hit && free.empty()) {
                const u32 victim = ops->victim(f);
                EXPECT_NE(victim, FW_NONE);
                line_use(f, victim);
                if (ops->leave != nullptr) {
                    ops->leave(f, victim);
                }
                slot_of.erase(f->buffer->lines[victim].lpn);
                free.push_back(victim);
            }
            if (!hit) {
                found = slot_of.emplace(lpn, free.back()).first;
                free.pop_back();
                f->buffer->lines[found->second] = {};
                f->buffer->lines[found->second].state = LINE_STABLE;
                f->buffer->lines[found->second].lpn = lpn;
                if (ops->enter != nullptr) {
                    ops->enter(f, found->second);
                }
            }
            line_use(f, found->second);
            if (ops->use != nullptr) {
                ops->use(f, found->second, write, hit);
            }
            f->buffer->lines[found->second].dirty |= write;
            f->buffer->lines[found->second].idle = 1;
            if (ops->idle != nullptr) {
                ops->idle(f, found->second);
            }
        }
        return static_cast<double>(f->step_cycles) / 4096;
    };
    const double small = cycles(256);  // 1 MiB of 4 KiB pages
    const double large = cycles(65536); // 256 MiB
    // A tree has 16 levels instead of 8; all else is the same on the average. lru is charged for far
    // links only: two a use.
    const double far_links = 2.0 * fw_cycles_of[FW_COST_BUFFER_FAR_LINK];
    EXPECT_LT(large, 2.5 * small + far_links + 1);
    if (GetParam() != FW_BUFFER_LRU) {
        EXPECT_GT(small, 0);
    }
    RecordProperty("cycles_a_page_1_mib", std::to_string(small));
    RecordProperty("cycles_a_page_256_mib", std::to_string(large));
}

} // namespace
} // namespace tlmssd::tb
