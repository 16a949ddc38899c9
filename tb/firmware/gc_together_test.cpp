// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: copies of a die's planes that the scheduler asks for together (OP_MOVE): who gets a page, who stays.
#include <gmock/gmock.h>

#include "tb/firmware/ftl_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

/// One die of two planes, blocks of 4 pages; 7 of 10 blocks of each plane are full, so that a write which opens
/// one more begins a round.
class GcTogether : public testing::Test {
protected:
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 2, 10, 4);
        c.scheduler = FW_SCHED_HYBRID;
        return c;
    }
    GcTogether() : r(config())
    {
        r.occupy(0, {1, 3, 3, 3, 3, 3, 3}); // LPNs 0 to 18; the victim has LPN 0
        r.occupy(1, {2, 3, 3, 3, 3, 3, 3}); // 19 to 38; the victim has 19 and 20
        first = r.start(FLASH_OP_PROGRAM, 18);
        second = r.start(FLASH_OP_PROGRAM, 39);
        r.rig.take();
    }
    /// A write of the plane gets its page: a round begins there. Gives its read.
    u32 begin(u32 plane)
    {
        r.tell(FW_MSG_OP_ASSIGN, plane == 0 ? first : second);
        const std::vector<u32> ops = r.collected();
        EXPECT_EQ(ops.size(), 1u);
        EXPECT_EQ(r.op(ops.at(0)).opcode, FLASH_OP_READ);
        EXPECT_EQ(r.op(ops.at(0)).plane, plane);
        return ops.at(0);
    }
    /// The read has ended. Gives the program.
    u32 copied(u32 read, u32 lpn)
    {
        r.ended(read, lpn);
        const std::vector<u32> ops = r.collected();
        EXPECT_EQ(ops.size(), 1u);
        EXPECT_EQ(r.op(ops.at(0)).opcode, FLASH_OP_PROGRAM);
        return ops.at(0);
    }
    struct Answer {
        u32 kind, op;
        friend bool operator==(const Answer& a, const Answer& b) { return a.kind == b.kind && a.op == b.op; }
    };
    /// The scheduler asks for the die of `ops`, joined in this order.
    std::vector<Answer> ask(std::initializer_list<u32> ops)
    {
        u32 before = FW_NONE;
        for (const u32 o : ops) {
            r.rig.f()->ops[o].mate = FW_NONE;
            if (before != FW_NONE) {
                r.rig.f()->ops[before].mate = o;
            }
            before = o;
        }
        r.tell(FW_MSG_OP_MOVE, *ops.begin());
        std::vector<Answer> answers;
        for (const fw_message& m : r.rig.take()) {
            if (m.kind == FW_MSG_OP_ASSIGNED || m.kind == FW_MSG_OP_STAYS) {
                answers.push_back({m.kind, m.a});
            }
        }
        return answers;
    }
    static Answer has(u32 op) { return {FW_MSG_OP_ASSIGNED, op}; }
    static Answer stays(u32 op) { return {FW_MSG_OP_STAYS, op}; }
    u32 page_of(u32 op) const { return r.op(op).ppn & 3; }

    FtlRig r;
    u32 first = 0, second = 0;
};

TEST_F(GcTogether, PlanesAtOneOffsetBothGetTheirPage)
{
    const u32 a = begin(0), b = begin(1);
    const u32 p0 = copied(a, 0), p1 = copied(b, 19);
    EXPECT_THAT(ask({p0, p1}), ElementsAre(has(p0), has(p1)));
    EXPECT_EQ(page_of(p0), 0u);
    EXPECT_EQ(page_of(p1), 0u);
    EXPECT_EQ(r.op(p0).plane, 0u);
    EXPECT_EQ(r.op(p1).plane, 1u);
}

TEST_F(GcTogether, ThePlaneThatIsAheadStaysUntilTheOtherHasCaughtUp)
{
    const u32 p1 = copied(begin(1), 19);
    EXPECT_THAT(ask({p1}), ElementsAre(has(p1))); // nobody else collects
    r.ended(p1, 19);
    const std::vector<u32> read = r.collected();
    ASSERT_EQ(read.size(), 1u);
    const u32 next = copied(read[0], 20); // would be page 1
    const u32 p0 = copied(begin(0), 0);
    EXPECT_THAT(ask({next, p0}), ElementsAre(stays(next), has(p0)));
    EXPECT_EQ(page_of(p0), 0u);
    EXPECT_THAT(ask({next}), ElementsAre(has(next)));
    EXPECT_EQ(page_of(next), 1u);
}

TEST_F(GcTogether, ACopyWaitsForThePageThatAnotherPlaneReads)
{
    const u32 a = begin(0), b = begin(1);
    const u32 p0 = copied(a, 0);
    EXPECT_THAT(ask({p0}), ElementsAre(stays(p0))); // the other is being read
    const u32 p1 = copied(b, 19);
    EXPECT_THAT(ask({p0}), ElementsAre(stays(p0))); // it has been placed, the scheduler asked before
    EXPECT_THAT(ask({p0, p1}), ElementsAre(has(p0), has(p1)));
}

// A program in another plane's block may have failed: pages are taken one by one, wherever they are.
TEST_F(GcTogether, ADamagedDeviceServesTheFirstAlone)
{
    const u32 a = begin(0), b = begin(1);
    const u32 p0 = copied(a, 0), p1 = copied(b, 19);
    r.ftl->damaged = true;
    EXPECT_THAT(ask({p0, p1}), ElementsAre(has(p0), stays(p1)));
    EXPECT_THAT(ask({p1}), ElementsAre(has(p1)));
}

} // namespace
} // namespace tlmssd::tb
