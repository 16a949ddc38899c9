// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_completions against a queue of limited length.
#include <deque>

#include <VUnitCompletions.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kDepth = 4;

TEST(UnitCompletions, IsAQueueThatTakesNoMoreWhenFull)
{
    Goals goals({"waits because it is full", "full by this edge", "not full: one leaves as one comes",
                 "one leaves a full one while one waits", "the last one leaves", "comes round",
                 "an empty one shows 0"});
    for (u64 seed = 0; seed < 6; ++seed) {
        Random random(seed);
        ClockedDut<VUnitCompletions> dut;
        dut->valid_i = dut->pop_i = 0;
        dut->data_i = 0;
        dut.reset();
        std::deque<u32> model;
        bool offered = false; // what is offered stands until it is taken
        u32 data = 0, taken = 0;
        const u32 pops = 20 + 12 * static_cast<u32>(seed);
        for (u32 n = 0; n < 3000; ++n) {
            if (!offered && random.percent(50)) {
                offered = true;
                data = 1 + random.below(255);
            }
            const bool pop = !model.empty() && random.percent(pops);
            dut->valid_i = offered;
            dut->data_i = static_cast<u8>(offered ? data : random.below(256));
            dut->pop_i = pop;
            dut.settle();
            const bool room = model.size() < kDepth;
            const bool push = offered && room;
            ASSERT_EQ(dut->ready_o, room);
            ASSERT_EQ(dut->level_o, model.size());
            ASSERT_EQ(dut->any_o, !model.empty());
            ASSERT_EQ(dut->head_o, model.empty() ? 0u : model.front());
            ASSERT_EQ(dut->fills_o, push && !pop && model.size() == kDepth - 1);
            goals.see("waits because it is full", offered && !room);
            goals.see("full by this edge", dut->fills_o);
            goals.see("not full: one leaves as one comes", push && pop && model.size() == kDepth - 1);
            goals.see("one leaves a full one while one waits", offered && !room && pop);
            goals.see("the last one leaves", pop && !push && model.size() == 1);
            goals.see("an empty one shows 0", model.empty() && taken != 0);
            if (pop) {
                model.pop_front();
            }
            if (push) {
                model.push_back(data);
                offered = false;
                goals.see("comes round", ++taken > kDepth && !model.empty());
            }
            dut.edge();
            ASSERT_FALSE(dut.assertion_failed()) << "seed " << seed;
        }
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
