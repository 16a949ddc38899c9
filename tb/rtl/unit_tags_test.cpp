// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_tags against a set: a tag that is in use or not built is not free, and is not known.
#include <set>

#include <VUnitTags.h>

#include "tb/rtl/goals.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kTags = 16;

TEST(UnitTags, KnowsWhichTagsAreInUse)
{
    Goals goals({"in use", "not built", "taken", "left", "taken while another is left", "all in use",
                 "one in use is asked for", "one not in use is asked for", "one not built is asked for"});
    ClockedDut<VUnitTags> dut;
    Random random(1);
    std::set<u32> used;
    dut->take_i = dut->leave_i = 0;
    dut->op_tag_i = dut->ask_tag_i = 0;
    dut.reset();
    for (u32 i = 0; i < 20000 && !testing::Test::HasFatalFailure(); ++i) {
        const bool fills = i / 500 % 2 == 0;
        // Every bit of a tag counts: one above the built ones is as far as the highest.
        const u32 tag = random.percent(20) ? random.below(kTags) + (u32{kTags} << random.below(12)) % 65536
                                           : random.below(kTags);
        const u32 asked = random.percent(20) ? random.below(65536) : random.below(kTags);
        const bool free = tag < kTags && used.count(tag) == 0;
        const bool known = asked < kTags && used.count(asked) != 0;
        dut->op_tag_i = static_cast<u16>(tag);
        dut->ask_tag_i = static_cast<u16>(asked);
        const bool take = free && random.percent(fills ? 80 : 20);
        const bool leave = !used.empty() && random.percent(fills ? 10 : 60);
        const u32 left = leave ? *std::next(used.begin(), random.below(used.size())) : random.below(kTags);
        dut->take_i = take;
        dut->leave_i = leave;
        dut->leave_tag_i = static_cast<u8>(left);
        dut.settle();
        ASSERT_EQ(dut->op_free_o != 0, free) << tag;
        ASSERT_EQ(dut->ask_known_o != 0, known) << asked;
        goals.see("in use", tag < kTags && !free);
        goals.see("not built", tag >= kTags);
        goals.see("taken", take);
        goals.see("left", leave);
        goals.see("taken while another is left", take && leave);
        goals.see("all in use", used.size() == kTags);
        goals.see("one in use is asked for", known);
        goals.see("one not in use is asked for", asked < kTags && !known);
        goals.see("one not built is asked for", asked >= kTags);
        dut.edge();
        if (leave) {
            used.erase(left);
        }
        if (take) {
            used.insert(tag);
        }
    }
    goals.expect_met(20);
}

} // namespace
} // namespace tlmssd::tb
