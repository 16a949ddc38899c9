// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: collection's bounded share of a die, the two thresholds, and collection by channel.
#include <gmock/gmock.h>

#include "tb/firmware/ftl_rig.h"

namespace tlmssd::tb {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// What is at work besides collection.
struct Rig : FtlRig {
    using FtlRig::FtlRig;
    u32 read(u32 lpn) { return start(FLASH_OP_READ, lpn); }
    void done(u32 o, u32 lpn = 0)
    {
        ended(o, lpn);
        if ((op(o).flags & FW_OP_GC) == 0) { // the buffer gives it back
            fw_op_free(rig.f(), o);
        }
    }
};

fw_config one_plane()
{
    fw_config c = small_config(1, 1, 1, 1, 16, 4);
    c.gc_threshold = 6;
    c.gc_hard = 2;
    c.gc_share = 64; // a quarter
    c.logical_pages = 64;
    return c;
}

/// One page of the victim costs a read of 50 us and a program of 500 us, at 3/4 debt each; a read of the
/// host takes 50 us at 1/4 off: 550 * 3 / 50 = 33 of them.
class Share : public testing::Test, public Rig {
protected:
    Share() : Rig(one_plane())
    {
        occupy(0, {4, 2, 4, 4, 4, 4, 4, 4, 4, 4}); // 6 free; victim: block 1 with LPNs 4 and 5
        other = read(0); // the host has something to do there
        rig.take();
        ftl_gc_check(rig.f(), 0);
        std::vector<u32> ops = collected();
        EXPECT_THAT(ops, SizeIs(1)) << "without debt it begins";
        done(ops.at(0), 4);
        ops = collected();
        EXPECT_EQ(op(ops.at(0)).opcode, FLASH_OP_PROGRAM) << "a page is not left half moved";
        tell(FW_MSG_OP_ASSIGN, ops[0]);
        tell(FW_MSG_OP_DONE, ops[0]);
    }
    u32 other;
};

TEST_F(Share, HoldsCollectionUntilTheHostHasHadItsPart)
{
    EXPECT_THAT(collected(), IsEmpty());
    EXPECT_EQ(rig.stats().gc_held, 1u);
    rig.now_us = 70;
    for (u32 i = 0; i < 32; ++i) {
        done(read(8));
        ASSERT_THAT(collected(), IsEmpty()) << i;
    }
    done(read(8));
    const std::vector<u32> ops = collected();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(ops[0]).opcode, FLASH_OP_READ);
    EXPECT_EQ(rig.stats().gc_held_us, 70u);
}

TEST_F(Share, LeavesAnIdleDieToCollection)
{
    EXPECT_THAT(collected(), IsEmpty());
    done(other);
    EXPECT_THAT(collected(), SizeIs(1));
}

/// The host writes on: blocks go until two are left, and then collection has the die.
TEST_F(Share, EndsAtTheHardThreshold)
{
    EXPECT_THAT(collected(), IsEmpty());
    for (u32 block = 0; block < 3; ++block) { // collection has opened one of six
        EXPECT_GT(ftl->planes[0].free_count, 2u);
        for (u32 page = 0; page < 4; ++page) {
            ASSERT_THAT(collected(), IsEmpty());
            const u32 o = fw_op_alloc(rig.f());
            rig.f()->ops[o].opcode = FLASH_OP_PROGRAM;
            rig.f()->ops[o].lpn = 20 + 4 * block + page; // overwritten: the plane has no room for more data
            tell(FW_MSG_OP_NEW, o);
            tell(FW_MSG_OP_ASSIGN, o); // and never ends
            if (ftl->planes[0].free_count == 2) {
                EXPECT_THAT(collected(), SizeIs(1));
                EXPECT_EQ(block, 2u);
                return;
            }
        }
    }
    FAIL() << "the host was not stopped";
}

TEST(Hard, BlocksAreLeftToCollection)
{
    fw_config c = one_plane();
    c.gc_share = 0;
    HalLog firmware(c);
    u32 ppn = 0;
    for (u32 n = 0; n < 14 * 4; ++n) {
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
    }
    EXPECT_FALSE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
    for (u32 n = 0; n < 2 * 4; ++n) {
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, true, &ppn));
    }
    EXPECT_FALSE(ftl_write_point_take(firmware.f(), 0, true, &ppn));
}

TEST(Mixed, CollectionWritesBehindTheHostWhichLeavesItTheRestOfItsBlock)
{
    fw_config c = small_config(1, 1, 1, 1, 12, 4);
    c.gc_mixed = 1;
    HalLog firmware(c);
    const fw_ftl* ftl = firmware.f()->ftl;
    u32 ppn = 0;
    for (u32 n = 0; n < 11 * 4 - 1; ++n) {
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
    }
    ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, true, &ppn));
    EXPECT_EQ(ppn, ftl_ppn(ftl, 0, 10, 3)) << "behind the host's last page";
    ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, true, &ppn)); // the last free block
    EXPECT_EQ(ppn, ftl_ppn(ftl, 0, 11, 0));
    EXPECT_FALSE(ftl_write_point_take(firmware.f(), 0, false, &ppn)) << "collection needs the rest of it";
    ftl_block_freed(firmware.f(), 0, 3);
    ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn)) << "it has a block again";
    EXPECT_EQ(ppn, ftl_ppn(ftl, 0, 11, 1));
}

/// Two channels of two planes of 12 blocks; two free blocks a plane are the threshold, four a channel.
class Channel : public testing::Test, public Rig {
protected:
    Channel() : Rig(config()) {}
    static fw_config config()
    {
        fw_config c = small_config(2, 1, 1, 2, 12, 4);
        c.gc_channel = 1;
        c.logical_pages = 180;
        return c;
    }
};

TEST_F(Channel, CollectsWhenTheWholeChannelIsShortOfBlocksInOnePlaneAtATime)
{
    occupy(0, {4, 4, 3, 4, 4, 4, 4, 4, 4, 4});
    occupy(1, {4, 4, 4, 1, 4, 4, 4, 4, 4});
    ftl_gc_check(rig.f(), 0);
    EXPECT_THAT(collected(), IsEmpty()) << "2 + 3 free, though plane 0 alone has only 2";
    occupy(1, {4});
    ftl_gc_check(rig.f(), 1);
    const std::vector<u32> ops = collected();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(ops[0]).home_plane, 0u) << "the first of those with the fewest free blocks";
    EXPECT_EQ(ftl_block_index(ftl, op(ops[0]).ppn), 2u);
    ftl_gc_check(rig.f(), 1);
    EXPECT_THAT(collected(), IsEmpty()) << "one at a time";
    EXPECT_EQ(ftl->channels[0].collecting, 1u);
    EXPECT_EQ(ftl->channels[1].free, 24u);
}

TEST_F(Channel, LeavesOthersAlone)
{
    occupy(2, {4, 4, 3, 4, 4, 4, 4, 4, 4, 4});
    occupy(3, {4, 4, 4, 4, 4, 4, 4, 4, 4, 4}); // no victim here
    ftl_gc_check(rig.f(), 3);
    const std::vector<u32> ops = collected();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(ops[0]).channel, 1u);
    EXPECT_EQ(op(ops[0]).home_plane, 2u);
    EXPECT_EQ(ftl->channels[0].collecting, 0u);
}

TEST_F(Channel, APlaneAtItsLastBlocksCollectsInAnyCase)
{
    occupy(0, {4, 4, 3, 4, 4, 4, 4, 4, 4, 4, 4});
    ftl_gc_check(rig.f(), 0);
    EXPECT_THAT(collected(), SizeIs(1)) << "1 + 12 free";
}

} // namespace
} // namespace tlmssd::tb
