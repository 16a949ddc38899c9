// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_bus against two queues and a count (docs/explanation/rtl-o3.md, "Bus").
#include <deque>

#include <VUnitBus.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 4;
constexpr u32 kPasses = 3;

/// Commands and status first come first served, before bursts; a burst that could have gone is passed
/// by at most kPasses of them.
struct Model {
    std::deque<u32> commands, bursts;
    u32 passed = 0; ///< commands that went while the first burst could have

    bool can(bool burst_may) const { return !commands.empty() || (!bursts.empty() && burst_may); }
    bool takes_burst(bool burst_may) const
    {
        return !bursts.empty() && burst_may && (commands.empty() || passed >= kPasses);
    }
    u32 next(bool burst_may) const
    {
        return takes_burst(burst_may) ? bursts.front() : commands.front();
    }
    void grant(bool burst_may)
    {
        if (takes_burst(burst_may)) {
            bursts.pop_front();
            passed = 0;
        } else {
            commands.pop_front();
            passed += !bursts.empty() && burst_may;
        }
    }
};

TEST(UnitBus, GivesTheBusAsTheModelDoes)
{
    Goals goals({"a command passes a burst", "a burst goes after the most passes",
                 "a burst goes alone", "a burst may not go and nothing else is there",
                 "a command goes while bursts may not", "asked for and nothing is there",
                 "the bus is busy and something waits", "want and grant in one cycle",
                 "all LUNs wait for bursts", "all LUNs wait for commands"});
    for (u64 seed = 0; seed < 6; ++seed) {
        Random random(seed);
        ClockedDut<VUnitBus> dut;
        dut->want_i = dut->free_i = dut->burst_may_i = 0;
        dut.reset();
        Model model;
        bool waits[kLuns] = {};
        const u32 free_percent = seed % 2 ? 90 : 30;
        const u32 burst_percent = 20 + 12 * static_cast<u32>(seed);
        for (u32 n = 0; n < 4000; ++n) {
            const u32 lun = random.below(kLuns);
            const bool want = !waits[lun] && random.percent(70);
            const bool burst = random.percent(burst_percent);
            const bool free = random.percent(free_percent);
            const bool may = random.percent(80);
            dut->want_i = want;
            dut->want_burst_i = burst;
            dut->want_lun_i = static_cast<u8>(lun);
            dut->free_i = free;
            dut->burst_may_i = may;
            dut.settle();
            const bool can = model.can(may);
            ASSERT_EQ(dut->can_o, can);
            ASSERT_EQ(dut->grant_o, can && free);
            goals.see("asked for and nothing is there", free && !can);
            goals.see("a burst may not go and nothing else is there", free && !can && !model.bursts.empty());
            goals.see("the bus is busy and something waits", !free && can);
            goals.see("all LUNs wait for bursts", model.bursts.size() == kLuns);
            goals.see("all LUNs wait for commands", model.commands.size() == kLuns);
            if (can && free) {
                ASSERT_EQ(dut->lun_o, model.next(may));
                const bool takes = model.takes_burst(may);
                goals.see("want and grant in one cycle", want);
                goals.see("a burst goes alone", takes && model.commands.empty());
                goals.see("a burst goes after the most passes", takes && !model.commands.empty());
                goals.see("a command passes a burst", !takes && !model.bursts.empty() && may);
                goals.see("a command goes while bursts may not", !takes && !model.bursts.empty() && !may);
                waits[model.next(may)] = false;
                model.grant(may);
            }
            if (want) {
                (burst ? model.bursts : model.commands).push_back(lun);
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
