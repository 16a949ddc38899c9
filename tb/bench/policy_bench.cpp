// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each replacement policy alone: one page access over twice as many pages as there are buffers,
// with 256 to 65536 of them (1, 4, 16, 64, 256 MiB of 4 KiB pages).
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "models/common/hash.h"
#include "tb/firmware/hal_log.h"

namespace tlmssd::bench {
namespace {

/// The module's calls of the policy; half of the pages are written whenever they are used.
class Accesses {
public:
    Accesses(u32 policy, u32 over, u32 slots) : rig_(config(policy, over, slots)), slot_of_(2 * slots, FW_NONE)
    {
        for (u32 i = 0; i < slots; ++i) {
            free_.push_back(i);
        }
    }
    void access(u32 lpn)
    {
        fw* f = rig_.f();
        const buffer_policy_ops* ops = f->buffer->policy;
        const bool hit = slot_of_[lpn] != FW_NONE;
        if (!hit) {
            take(f, ops, lpn);
        }
        const u32 slot = slot_of_[lpn];
        line_use(f, slot);
        if (ops->use != nullptr) {
            ops->use(f, slot, lpn % 2 != 0, hit);
        }
        f->buffer->lines[slot].dirty |= lpn % 2;
        f->buffer->lines[slot].idle = 1;
        if (ops->idle != nullptr) {
            ops->idle(f, slot);
        }
    }

private:
    static fw_config config(u32 policy, u32 over, u32 slots)
    {
        fw_config c = tb::small_config();
        c.lines = slots;
        c.buffer_policy = policy;
        c.cave_over = over;
        c.clean_window = c.victim_window = slots / 4;
        c.block_pages = 64;
        return c;
    }
    void give(fw* f, const buffer_policy_ops* ops, u32 victim)
    {
        line_use(f, victim);
        if (ops->leave != nullptr) {
            ops->leave(f, victim);
        }
        slot_of_[f->buffer->lines[victim].lpn] = FW_NONE;
        free_.push_back(victim);
    }
    void take(fw* f, const buffer_policy_ops* ops, u32 lpn)
    {
        if (free_.empty()) {
            buffer_leaving* const set = f->buffer->set;
            const u32 count = ops->victims != nullptr ? ops->victims(f, set, true) : 1;
            for (u32 i = 0; i < count; ++i) {
                give(f, ops, ops->victims != nullptr ? set[i].line : ops->victim(f));
            }
        }
        const u32 slot = free_.back();
        free_.pop_back();
        slot_of_[lpn] = slot;
        f->buffer->lines[slot] = {};
        f->buffer->lines[slot].state = LINE_STABLE;
        f->buffer->lines[slot].lpn = lpn;
        if (ops->enter != nullptr) {
            ops->enter(f, slot);
        }
    }
    tb::ModuleRig rig_;
    std::vector<u32> slot_of_, free_;
};

void access(benchmark::State& state, u32 policy, u32 over, u32 slots)
{
    Accesses buffer(policy, over, slots);
    std::vector<u32> lpns(1u << 20);
    for (u32 i = 0; i < lpns.size(); ++i) {
        lpns[i] = static_cast<u32>(draw_below(draw64(1, 8, i), 2 * slots));
        buffer.access(lpns[i]); // until it is full
    }
    u32 i = 0;
    for (auto _ : state) {
        buffer.access(lpns[i++ % lpns.size()]);
    }
}

const bool kRegistered = [] {
    const char* const names[] = {
#define BUFFER_POLICY(id, name, text) #name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
    };
    for (u32 policy = FW_BUFFER_NONE + 1; policy < FW_BUFFER_COUNT; ++policy) {
        if (policy == FW_BUFFER_GATING) {
            continue; // it keeps no page
        }
        for (const u32 slots : {256u, 1024u, 4096u, 16384u, 65536u}) {
            const auto add = [&](const std::string& policy_name, u32 over) {
                const std::string name = "buffer_policy/" + policy_name + "/" + std::to_string(slots);
                benchmark::RegisterBenchmark(name.c_str(), access, policy, over, slots);
            };
            add(names[policy], FW_BUFFER_CCF_LRU);
            if (policy == FW_BUFFER_CAVE) {
                add("cave_over_fab", FW_BUFFER_FAB);
            }
        }
    }
    return true;
}();

} // namespace
} // namespace tlmssd::bench
