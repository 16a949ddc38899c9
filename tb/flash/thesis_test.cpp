// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the thesis's figure 1 (worked examples, section 3.1): four chips, a read takes 1, a write
// 10, no bus and no software time, everything queued at 0.
#include <gmock/gmock.h>

#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using testing::ElementsAre;

/// R1 writes chips 1, 2, 3 (tags 0-2); R2 reads chip 3 (3); R3 writes chip 1 (4); R4 reads chip 4
/// twice (5, 6); R5 writes chips 2, 4 (7, 8). Chip n is channel n - 1.
std::vector<u64> request_ends(ControllerMode mode, bool fences, bool stream_each = false)
{
    UnitTimeController c(flash_geometry(4), mode);
    const struct {
        u8 opcode;
        u32 channel;
        bool first;
    } queue[] = {{FLASH_OP_PROGRAM, 0, true}, {FLASH_OP_PROGRAM, 1, false},
                 {FLASH_OP_PROGRAM, 2, false}, {FLASH_OP_READ, 2, true},
                 {FLASH_OP_PROGRAM, 0, true},  {FLASH_OP_READ, 3, true},
                 {FLASH_OP_READ, 3, false},    {FLASH_OP_PROGRAM, 1, true},
                 {FLASH_OP_PROGRAM, 3, false}};
    u16 request = 0;
    for (const auto& q : queue) {
        request = static_cast<u16>(request + q.first);
        flash_op op = c.op(q.opcode, q.channel);
        op.flags = fences && q.first ? FLASH_FLAG_FENCE : 0;
        op.stream = stream_each ? request : u16{0};
        EXPECT_TRUE(c.controller.submit(op));
    }
    c.run(100);
    EXPECT_EQ(c.ended.size(), 9u);
    const auto last = [&](std::initializer_list<u32> tags) {
        u64 end = 0;
        for (const u64 e : c.ends(tags)) {
            end = std::max(end, e);
        }
        return end;
    };
    return {last({0, 1, 2}), last({3}), last({4}), last({5, 6}), last({7, 8})};
}

/// What the firmware is told: R4 ends at 2 and is held back until R3 has been told.
TEST(ThesisFigure1, OutOfOrderEndsAt20AndTellsAStreamInOrder)
{
    EXPECT_THAT(request_ends(ControllerMode::Ooo, false), ElementsAre(10, 11, 20, 20, 20));
}

TEST(ThesisFigure1, OutOfOrderWithAStreamForEachRequestTellsThemAsTheyEnd)
{
    EXPECT_THAT(request_ends(ControllerMode::Ooo, false, true), ElementsAre(10, 11, 20, 2, 20));
}

TEST(ThesisFigure1, PipelinedInOrderEndsAt22)
{
    EXPECT_THAT(request_ends(ControllerMode::InOrder, false), ElementsAre(10, 11, 20, 12, 22));
}

TEST(ThesisFigure1, ABarrierBetweenRequestsEndsAt33)
{
    EXPECT_THAT(request_ends(ControllerMode::InOrder, true), ElementsAre(10, 11, 21, 23, 33));
}

TEST(ThesisFigure1, SerialEndsAt63)
{
    EXPECT_THAT(request_ends(ControllerMode::Serial, false), ElementsAre(30, 31, 41, 43, 63));
}

} // namespace
} // namespace tlmssd::tb
