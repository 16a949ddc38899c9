// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_clump, alone and in o3_bus, against the rule of docs/explanation/o3-bus.md, "The policy `clump`", said in the
// plainest way, and against flash::Clump, which the TLM controller has.
#include <algorithm>
#include <deque>
#include <vector>

#include <VUnitBusClump.h>
#include <VUnitClump.h>

#include "models/flash/tlm/clump.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

/// The bursts that wait, in the order of asking.
struct Reference {
    explicit Reference(u32 passes) : most(passes) {}
    u32 most;            ///< bursts that pass the oldest
    u32 shift = 0;       ///< LUN index = (ce << shift) | lun
    u32 used = 0;        ///< bit l: LUN l has a station in use
    std::deque<u32> luns;
    u32 passed = 0;

    u32 level(u32 lun) const
    {
        const u32 ce = ((1u << (1u << shift)) - 1) << (lun >> shift << shift); // the LUNs of its CE#
        return (used >> lun & 1u) != 0 ? 2 : (used & ce) != 0 ? 1 : 0;
    }
    u32 top() const
    {
        u32 best = 0;
        for (const u32 lun : luns) {
            best = std::max(best, level(lun));
        }
        return best;
    }
    u32 place() const
    {
        u32 i = 0;
        while (passed < most && level(luns[i]) != top()) {
            ++i;
        }
        return i;
    }
    u32 grant()
    {
        const u32 i = place();
        const u32 lun = luns[i];
        luns.erase(luns.begin() + i);
        passed = i == 0 ? 0 : passed + 1;
        return lun;
    }
};

/// LUNs whose stations are in use; those of `never` never are, so that their bursts are passed.
u32 next_used(Random& random, u32 used, u32 luns, u32 never)
{
    const u32 flipped = random.percent(40) ? used ^ (1u << random.below(luns)) : used;
    return flipped & ~never;
}

TEST(UnitClump, GivesTheHeadAsTheRuleSays)
{
    constexpr u32 kLuns = 8;
    Goals goals({"node before none", "cluster before none", "node before cluster", "equal ones by age",
                 "none alone goes by age", "the oldest goes after the most passes", "its level has changed",
                 "comes and goes in one cycle", "all LUNs wait", "the last one of the list goes",
                 "one LUN a CE#", "two LUNs a CE#", "four LUNs a CE#", "waits as long as the bound says"});
    for (u64 seed = 0; seed < 9; ++seed) {
        Random random(seed);
        ClockedDut<VUnitClump> dut;
        dut->push_i = dut->pop_i = 0;
        dut->used_i = 0;
        dut.reset();
        Reference model(flash::Clump::kPasses);
        flash::Clump tlm;
        model.shift = static_cast<u32>(seed % 3);
        dut->lun_shift_i = static_cast<u8>(model.shift);
        const u32 never = seed < 3 ? 0 : seed < 6 ? 0x0f : 0x01;
        u32 level_was[kLuns] = {}, before[kLuns] = {}, bound[kLuns] = {};
        bool waits[kLuns] = {};
        for (u32 n = 0; n < 6000; ++n) {
            model.used = next_used(random, model.used, kLuns, never);
            const u32 pop_percent = n / 64 % 2 ? 95 : 40; // the list fills and runs empty in turn
            const u32 come = random.below(kLuns);
            const bool push = !waits[come] && random.percent(90);
            const bool pop = !model.luns.empty() && random.percent(pop_percent);
            dut->used_i = static_cast<u8>(model.used);
            dut->push_i = push;
            dut->data_i = static_cast<u8>(come);
            dut->pop_i = pop;
            dut.settle();
            ASSERT_EQ(dut->any_o, !model.luns.empty());
            goals.see("all LUNs wait", model.luns.size() == kLuns);
            if (!model.luns.empty()) {
                ASSERT_EQ(dut->head_o, model.luns[model.place()]) << "seed " << seed << " step " << n;
            }
            if (pop) {
                const u32 place = model.place(), level = model.level(model.luns[place]);
                ASSERT_EQ(tlm.grant(static_cast<u32>(model.luns.size()), [&](u32 i) {
                    return static_cast<flash::ClumpLevel>(model.level(model.luns[i]));
                }), place);
                const bool due = model.passed == model.most;
                goals.see("the oldest goes after the most passes", due && level < model.top());
                goals.see("node before none", level == 2 && place > 0 && model.level(model.luns[0]) == 0);
                goals.see("cluster before none", level == 1 && place > 0);
                goals.see("node before cluster", level == 2 && place > 0 && model.level(model.luns[0]) == 1);
                goals.see("none alone goes by age", model.top() == 0 && model.luns.size() > 1);
                goals.see("the last one of the list goes", place > 0 && place + 1 == model.luns.size());
                goals.see("comes and goes in one cycle", push);
                goals.see(model.shift == 0   ? "one LUN a CE#"
                          : model.shift == 1 ? "two LUNs a CE#"
                                             : "four LUNs a CE#");
                const u32 lun = model.grant();
                const bool equal = std::any_of(model.luns.begin(), model.luns.end(),
                                               [&](u32 other) { return model.level(other) == level; });
                goals.see("equal ones by age", !due && equal);
                goals.see("its level has changed", level != level_was[lun]);
                ASSERT_LE(before[lun], bound[lun]); // (P + 1) k - 1
                goals.see("waits as long as the bound says", before[lun] == bound[lun]);
                waits[lun] = false;
                for (u32 l = 0; l < kLuns; ++l) {
                    before[l] += waits[l];
                }
            }
            if (push) {
                model.luns.push_back(come);
                waits[come] = true;
                level_was[come] = model.level(come);
                before[come] = 0;
                // It is the k-th oldest.
                bound[come] = (model.most + 1) * static_cast<u32>(model.luns.size()) - 1;
            }
            dut.edge();
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    goals.expect_met();
}

TEST(UnitClump, InTheBusCommandsStillGoBeforeBurstsAndAreBound)
{
    constexpr u32 kLuns = 4, kPasses = 3, kBurstPasses = 2;
    Goals goals({"a command passes a burst", "a burst goes after the most commands",
                 "a burst passes the oldest", "the oldest goes after the most bursts",
                 "a burst that is not the oldest goes after the most commands",
                 "a command goes while bursts may not", "the bus is busy and something waits"});
    for (u64 seed = 0; seed < 6; ++seed) {
        Random random(100 + seed);
        ClockedDut<VUnitBusClump> dut;
        dut->want_i = dut->free_i = dut->burst_may_i = 0;
        dut->used_i = 0;
        dut.reset();
        Reference bursts(kBurstPasses);
        bursts.shift = static_cast<u32>(seed % 3);
        dut->lun_shift_i = static_cast<u8>(bursts.shift);
        std::deque<u32> commands;
        u32 passed = 0; // commands that went while a burst could have
        bool waits[kLuns] = {};
        const u32 free_percent = seed % 2 ? 90 : 30;
        const u32 burst_percent = 20 + 12 * static_cast<u32>(seed);
        for (u32 n = 0; n < 4000; ++n) {
            bursts.used = next_used(random, bursts.used, kLuns, seed == 5 ? 1 : 0);
            const u32 lun = random.below(kLuns);
            const bool want = !waits[lun] && random.percent(70);
            const bool burst = random.percent(burst_percent);
            const bool free = random.percent(free_percent);
            const bool may = random.percent(80);
            dut->used_i = static_cast<u8>(bursts.used);
            dut->want_i = want;
            dut->want_burst_i = burst;
            dut->want_lun_i = static_cast<u8>(lun);
            dut->free_i = free;
            dut->burst_may_i = may;
            dut.settle();
            const bool could = !bursts.luns.empty() && may;
            const bool can = !commands.empty() || could;
            ASSERT_EQ(dut->can_o, can);
            ASSERT_EQ(dut->grant_o, can && free);
            goals.see("the bus is busy and something waits", !free && can);
            if (can && free) {
                const bool takes = could && (commands.empty() || passed >= kPasses);
                const u32 place = takes ? bursts.place() : 0;
                goals.see("a command passes a burst", !takes && could);
                goals.see("a command goes while bursts may not", !takes && !bursts.luns.empty() && !may);
                goals.see("a burst goes after the most commands", takes && !commands.empty());
                goals.see("a burst passes the oldest", place > 0);
                goals.see("a burst that is not the oldest goes after the most commands",
                          place > 0 && !commands.empty());
                goals.see("the oldest goes after the most bursts",
                          takes && bursts.passed == kBurstPasses &&
                              bursts.level(bursts.luns[0]) < bursts.top());
                u32 gets = 0;
                if (takes) {
                    gets = bursts.grant();
                    passed = 0;
                } else {
                    gets = commands.front();
                    commands.pop_front();
                    passed += could;
                }
                ASSERT_EQ(dut->lun_o, gets) << "seed " << seed << " step " << n;
                waits[gets] = false;
            }
            if (want) {
                (burst ? bursts.luns : commands).push_back(lun);
                waits[lun] = true;
            }
            dut.edge();
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
