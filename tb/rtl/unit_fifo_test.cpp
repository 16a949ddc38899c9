// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_fifo and o3_queue, which has the same ports and times, against a std::deque.
#include <deque>

#include <VUnitFifo.h>
#include <VUnitQueue.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr std::size_t kDepth = 4;

template <class Dut>
class UnitFifos : public testing::Test {
};
using FifoAndQueue = testing::Types<VUnitFifo, VUnitQueue>;
TYPED_TEST_SUITE(UnitFifos, FifoAndQueue);

TYPED_TEST(UnitFifos, HoldsWhatWasPutInInItsOrder)
{
    Goals goals({"push into an empty one", "fills up", "full and push and pop at once",
                 "one entry and push and pop at once", "pop of the last", "neither push nor pop",
                 "reset with entries inside", "pointers come round"});
    for (u64 seed = 0; seed < 6; ++seed) {
        Random random(seed);
        ClockedDut<TypeParam> dut;
        dut->push_i = dut->pop_i = 0;
        dut.reset();
        std::deque<u8> model;
        const u32 eager = 30 + static_cast<u32>(seed) * 8; // percent of pushes
        u64 pushes = 0;
        for (u32 n = 0; n < 3000; ++n) {
            if (random.below(500) == 0) {
                goals.see("reset with entries inside", !model.empty());
                dut->push_i = dut->pop_i = 0;
                dut.reset();
                model.clear();
                pushes = 0;
            }
            const bool pop = !model.empty() && random.percent(50);
            const bool push = (model.size() < kDepth || pop) && random.percent(eager);
            const u8 data = static_cast<u8>(random.below(256));
            dut->pop_i = pop;
            dut->push_i = push;
            dut->data_i = data;
            dut.settle();
            ASSERT_EQ(dut->any_o, !model.empty());
            if (!model.empty()) {
                ASSERT_EQ(dut->head_o, model.front());
            }
            goals.see("push into an empty one", model.empty() && push);
            goals.see("full and push and pop at once", model.size() == kDepth && push && pop);
            goals.see("one entry and push and pop at once", model.size() == 1 && push && pop);
            goals.see("pop of the last", model.size() == 1 && pop && !push);
            goals.see("neither push nor pop", !push && !pop);
            if (pop) {
                model.pop_front();
            }
            if (push) {
                model.push_back(data);
                ++pushes;
            }
            goals.see("fills up", push && model.size() == kDepth);
            goals.see("pointers come round", pushes == 2 * kDepth + 1);
            dut.edge();
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    goals.expect_met();
}

/// What the RTL says on standard error when its assertion fails is Verilator's $error: on stdout.
TEST(UnitFifo, AnAssertionThatFailsSaysItsName)
{
    VerilatedContext context;
    context.fatalOnError(false);
    Verilated::threadContextp(&context);
    VUnitFifo fifo(&context, "dut");
    const auto edge = [&] {
        fifo.clk_i = 1;
        fifo.eval();
        fifo.clk_i = 0;
        fifo.eval();
    };
    fifo.rst_ni = 1;
    fifo.push_i = fifo.pop_i = 0;
    fifo.eval();
    fifo.rst_ni = 0;
    edge();
    fifo.rst_ni = 1;
    edge();
    ASSERT_FALSE(context.gotError());
    testing::internal::CaptureStdout();
    fifo.pop_i = 1; // of an empty FIFO
    edge();
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(context.gotError());
    EXPECT_NE(said.find("FifoHas"), std::string::npos) << said;
    fifo.final();
}

} // namespace
} // namespace tlmssd::tb
