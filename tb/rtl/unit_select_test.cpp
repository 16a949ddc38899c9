// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_select against the fields of random operations.
#include <cstring>

#include <VUnitSelect.h>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

TEST(UnitSelect, GivesThePlanesFieldsAndOfAPolledResetTheRowOfTheLun)
{
    Goals goals({"last plane", "no OOB record", "OOB address comes round", "poll of a RESET"});
    Random random(1);
    Dut<VUnitSelect> dut;
    for (u32 n = 0; n < 2000; ++n) {
        flash_op op{};
        u32 words[sizeof op / 4];
        for (u32& word : words) {
            word = static_cast<u32>(random.word());
        }
        std::memcpy(&op, words, sizeof op);
        if (random.percent(20)) {
            op.oob = random.percent(50) ? FLASH_NO_OOB : 0xffffffe0u; // + 16 * 3: comes round
        }
        const u32 plane = random.below(4);
        const bool reset_poll = random.percent(20);
        std::memcpy(&dut->desc_i[0], &op, 56);
        dut->valid_i = 1;
        dut->plane_i = static_cast<u8>(plane);
        dut->reset_poll_i = reset_poll;
        dut->row_lun_i = static_cast<u8>(random.below(30));
        dut.settle();
        // o3_pkg::seg_t, its last field first.
        ASSERT_EQ(dut->seg_o[0], op.oob == FLASH_NO_OOB ? op.oob : op.oob + 16 * plane);
        ASSERT_EQ(dut->seg_o[1], op.buf[plane]);
        ASSERT_EQ(dut->seg_o[2], reset_poll ? plane << dut->row_lun_i : op.row[plane]);
        ASSERT_EQ(dut->seg_o[3], (reset_poll ? plane : op.lun) << 24 | u32{op.flags} << 16 |
                                    u32{op.col[plane]} << 8 | op.len[plane]);
        ASSERT_EQ(dut->seg_o[4], u32{op.tag} << 16 | u32{op.opcode} << 8 | op.ce);
        goals.see("last plane", plane == 3);
        goals.see("no OOB record", op.oob == FLASH_NO_OOB && plane != 0);
        goals.see("OOB address comes round", op.oob == 0xffffffe0u && plane >= 2);
        goals.see("poll of a RESET", reset_poll && plane != 0);
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
