// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_ready against a plain model: lines two flops late, and masked for so many ticks after a command.
#include <algorithm>

#include <VUnitReady.h>

#include "tb/rtl/goals.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 4;
constexpr u32 kMostMask = 63;

/// clk_i has an edge where `update`, or where the module asks for it.
class ReadyBench {
public:
    ReadyBench(u64 seed, Goals& goals)
        : random(seed), goals_(goals), synchronous_(seed % 2 != 0), mask_(seed % 5 == 0 ? kMostMask : random.below(8))
    {
        dut->clk_i = dut->lines_i = 0;
        dut->mask_i = static_cast<u8>(mask_);
        dut->synchronous_i = synchronous_;
        dut->step_i = 0;
        dut->ready_i = line_;
        dut->update_i = dut->start_i = 0;
        dut->rst_ni = 1;
        dut.settle();
        dut->rst_ni = 0;
        for (u32 i = 0; i < 4; ++i) {
            edge(true);
        }
        dut->rst_ni = 1;
        dut.settle();
        meta_ = shown_ = line_;
    }
    void cycle()
    {
        const u32 step = random.percent(2) ? random.below(1000) : random.percent(30) ? random.below(3) : 0;
        line_ = random.percent(20) ? static_cast<u8>(random.below(16)) : line_;
        const bool start = random.percent(8);
        const bool update = start || random.percent(50);
        const u32 lun = random.below(kLuns);
        dut->step_i = static_cast<u8>(std::min(step, kMostMask));
        dut->ready_i = line_;
        dut->update_i = update;
        dut->start_i = start;
        dut->lun_i = static_cast<u8>(lun);
        dut.settle();
        ASSERT_EQ(dut->ready_o, shown_);
        ASSERT_EQ(dut->before_o, before_) << "it follows in the next cycle, or wake_o was low";
        bool masking = false;
        for (u32 i = 0; i < kLuns; ++i) {
            const bool high = (shown_ >> i & 1) != 0;
            const bool masked = masked_[i];
            ASSERT_EQ((dut->may_o >> i & 1) != 0, high && !masked) << "LUN " << i;
            masking |= masked || time_ < until_[i];
            goals_.see("high and masked", high && masked);
            goals_.see("high at the very end of its mask", high && masked && time_ >= until_[i]);
            goals_.see("low and masked", !high && masked);
        }
        goals_.see("a clock that has stood still", step > kMostMask);
        ASSERT_EQ(dut->masking_o != 0, masking);
        ASSERT_EQ(dut->moves_o != 0, !synchronous_ && meta_ != shown_);
        for (u32 i = 0; i < kLuns; ++i) {
            masked_[i] = time_ < until_[i] || (start && i == lun); // seen a clock later
        }
        if (start) {
            goals_.see("masked again", time_ < until_[lun]);
            until_[lun] = time_ + mask_;
        }
        edge(update || dut->wake_o != 0 || dut->masking_o != 0);
        time_ += step;
        before_ = shown_;
        shown_ = synchronous_ ? line_ : meta_;
        meta_ = line_;
    }

    Random random;
    Dut<VUnitReady> dut;

private:
    void edge(bool gated)
    {
        dut->lines_i = 1;
        dut->clk_i = gated;
        dut.settle();
        dut->clk_i = dut->lines_i = 0;
        dut.settle();
    }

    Goals& goals_;
    bool synchronous_;
    u32 mask_;
    u64 time_ = 0;
    u64 until_[kLuns] = {};
    bool masked_[kLuns] = {};
    u8 line_ = 15, meta_ = 15, shown_ = 15, before_ = 15;
};

TEST(UnitReady, ShowsALineTwoFlopsLateAndNotInsideItsMask)
{
    Goals goals({"high and masked", "high at the very end of its mask", "low and masked", "masked again",
                 "a clock that has stood still"});
    for (u64 seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        ReadyBench bench(seed, goals);
        for (u32 i = 0; i < 5000 && !testing::Test::HasFatalFailure(); ++i) {
            bench.cycle();
        }
    }
    goals.expect_met(20);
}

} // namespace
} // namespace tlmssd::tb
