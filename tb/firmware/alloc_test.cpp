// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the 24 allocation orders against the tables of the worked examples (section 5).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tb/firmware/device.h"

namespace tlmssd::tb {
namespace {

using Place = std::array<u32, 4>; ///< channel, way, die, plane

fw_config with_order(fw_config config, const std::string& order)
{
    for (u32 i = 0; i < 4; ++i) {
        config.allocation[i] = static_cast<u32>(std::string("CWDP").find(order[i]));
    }
    return config;
}

std::vector<Place> sequence(const fw_config& config, u32 count)
{
    HalLog firmware(config);
    std::vector<Place> places;
    for (u32 n = 0; n < count; ++n) {
        u32 plane = ftl_choose_plane(firmware.f());
        Place place;
        place[3] = plane % config.planes;
        plane /= config.planes;
        place[2] = plane % config.dies;
        plane /= config.dies;
        place[1] = plane % config.ways;
        place[0] = plane / config.ways;
        places.push_back(place);
    }
    return places;
}

std::vector<Place> sequence(const std::string& order, u32 count)
{
    return sequence(with_order(small_config(), order), count);
}

std::vector<std::string> all_orders()
{
    std::string order = "CDPW";
    std::vector<std::string> orders;
    do {
        orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return orders;
}

TEST(AllocationOrder, GivesThePrintedTuples)
{
    EXPECT_EQ(sequence("CWDP", 8),
              (std::vector<Place>{{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0},
                                  {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0}}));
    EXPECT_EQ(sequence("PWCD", 8),
              (std::vector<Place>{{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}, {0, 1, 0, 1},
                                  {1, 0, 0, 0}, {1, 0, 0, 1}, {1, 1, 0, 0}, {1, 1, 0, 1}}));
    EXPECT_EQ(sequence("DPWC", 8),
              (std::vector<Place>{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 1, 1},
                                  {0, 1, 0, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}, {0, 1, 1, 1}}));
    EXPECT_EQ(sequence("WDCP", 8),
              (std::vector<Place>{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 1, 0},
                                  {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 1, 1, 0}}));
    EXPECT_EQ(sequence("PDWC", 8),
              (std::vector<Place>{{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 1, 1},
                                  {0, 1, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 1, 1, 1}}));
}

TEST(AllocationOrder, Has24DistinctPermutations)
{
    std::set<std::vector<Place>> distinct;
    for (const std::string& order : all_orders()) {
        const std::vector<Place> places = sequence(order, 32);
        const std::vector<Place> round(places.begin(), places.begin() + 16);
        EXPECT_EQ(std::set<Place>(round.begin(), round.end()).size(), 16u) << order;
        EXPECT_TRUE(std::equal(round.begin(), round.end(), places.begin() + 16)) << order;
        distinct.insert(round);
    }
    EXPECT_EQ(distinct.size(), 24u);
}

TEST(AllocationOrder, PwcdAndPwdcPartAtTheFifthPage)
{
    const std::vector<Place> a = sequence("PWCD", 16);
    const std::vector<Place> b = sequence("PWDC", 16);
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + 4, b.begin()));
    EXPECT_NE(a[4], b[4]);
}

TEST(AllocationOrder, FollowsTheFormulaForUnequalSizes)
{
    const fw_config config = with_order(small_config(3, 2, 4, 2), "DPCW");
    const std::vector<Place> places = sequence(config, 48);
    for (u32 n = 0; n < 48; ++n) { // D mod 4, then P mod 2, then C mod 3, then W mod 2
        EXPECT_EQ(places[n], (Place{n / 8 % 3, n / 24 % 2, n % 4, n / 4 % 2})) << n;
    }
}

/// Section 5, last paragraph: an aligned request of 4 pages on 8 x 8 x 2 x 2.
TEST(AllocationOrder, SpreadsFourPagesOverTheExpectedChannelsAndChips)
{
    const struct {
        const char* order;
        u32 channels, chips;
    } expected[] = {{"CWDP", 4, 4}, {"WDCP", 1, 4}, {"DCWP", 2, 2}, {"PCWD", 2, 2},
                    {"PWCD", 1, 2}, {"PDWC", 1, 1}, {"DPWC", 1, 1}};
    for (const auto& e : expected) {
        std::set<u32> channels;
        std::set<std::pair<u32, u32>> chips;
        for (const Place& p : sequence(with_order(small_config(8, 8), e.order), 4)) {
            channels.insert(p[0]);
            chips.insert({p[0], p[1]});
        }
        EXPECT_EQ(channels.size(), e.channels) << e.order;
        EXPECT_EQ(chips.size(), e.chips) << e.order;
    }
}

TEST(AllocationOrder, PassesOverAPlaneAtItsLimit)
{
    HalLog firmware(small_config(4, 1, 1, 1));
    fw_ftl* ftl = firmware.f()->ftl;
    ftl->planes[1].valid = ftl->planes[1].limit;
    ftl->planes[2].valid = ftl->planes[2].limit - 1;
    EXPECT_EQ(ftl_choose_plane(firmware.f()), 0u);
    EXPECT_EQ(ftl_choose_plane(firmware.f()), 2u);
    EXPECT_EQ(ftl_choose_plane(firmware.f()), 3u);
    EXPECT_EQ(ftl_choose_plane(firmware.f()), 0u);
}

TEST(StaticPlacement, GivesEachLpnItsPlaceInTheOrder)
{
    fw_config config = with_order(small_config(2, 1, 1, 2), "PCWD");
    config.static_placement = 1;
    HalLog firmware(config);
    const u32 planes[] = {0, 1, 2, 3}; // P fastest, then C: plane 0, 1 of channel 0, of channel 1
    for (const u32 lpn : {5u, 0u, 5u, 7u, 6u, 3u}) {
        EXPECT_EQ(ftl_plane_for(firmware.f(), lpn), planes[lpn % 4]) << lpn;
    }
    fw_ftl* ftl = firmware.f()->ftl;
    ftl->planes[1].valid = ftl->planes[1].limit; // no room: the next of the order
    EXPECT_EQ(ftl_plane_for(firmware.f(), 5), 2u);
    EXPECT_EQ(ftl_plane_for(firmware.f(), 4), 0u);
}

/// 2 channels of 2 x 2 planes, blocks of 3 pages. The order gives channels in turn; in each, a block is
/// filled before the next plane of the order (W fastest, then P) has its turn.
TEST(WritePoints, OfAChannelFillOneBlockAtATime)
{
    fw_config config = with_order(small_config(2, 2, 1, 2, 12, 3), "CWPD");
    config.channel_points = 1;
    HalLog firmware(config);
    fw* f = firmware.f();
    const u32 of_channel[] = {0, 2, 1, 3}; // way 0 plane 0, way 1 plane 0, way 0 plane 1, way 1 plane 1
    for (u32 i = 0; i < 60; ++i) {
        const u32 k = i / 2; // of the channel
        const u32 plane = ftl_plane_for(f, 99);
        ASSERT_EQ(plane, i % 2 * 4 + of_channel[k / 3 % 4]) << i;
        const u32 op = fw_op_alloc(f);
        ftl_promise(f, op, plane);
        if (i % 5 == 4) { // some are assigned late: those before them are
            u32 ppn = 0;
            for (u32 p = 0; p < 8; ++p) {
                while (f->ftl->planes[p].unassigned != 0) {
                    ASSERT_TRUE(ftl_write_point_take(f, p, false, &ppn));
                    --f->ftl->planes[p].unassigned;
                }
            }
        }
    }
}

/// Three writes have gone to plane 1 alone: plane 0 gets the next three.
TEST(Lockstep, PassesOverThePlaneThatIsAheadUntilTheOtherHasCaughtUp)
{
    for (const u32 lockstep : {0u, 1u}) {
        fw_config config = small_config(1, 1, 1, 2, 12, 8);
        config.lockstep = lockstep;
        HalLog firmware(config);
        u32 ppn = 0;
        for (u32 i = 0; i < 3; ++i) {
            ASSERT_TRUE(ftl_write_point_take(firmware.f(), 1, false, &ppn));
        }
        std::vector<u32> planes;
        for (u32 i = 0; i < 5; ++i) {
            planes.push_back(ftl_choose_plane(firmware.f()));
            ASSERT_TRUE(ftl_write_point_take(firmware.f(), planes.back(), false, &ppn));
        }
        EXPECT_EQ(planes, lockstep != 0 ? (std::vector<u32>{0, 0, 0, 1, 0})
                                        : (std::vector<u32>{0, 1, 0, 1, 0}));
    }
}

TEST(Lockstep, TakesThePlaneThatIsAheadWhereTheOtherHasNoRoom)
{
    fw_config config = small_config(1, 1, 1, 2, 12, 8);
    config.lockstep = 1;
    HalLog firmware(config);
    fw_ftl* ftl = firmware.f()->ftl;
    ftl->planes[0].valid = ftl->planes[0].limit;
    u32 ppn = 0;
    for (u32 i = 0; i < 3; ++i) {
        EXPECT_EQ(ftl_choose_plane(firmware.f()), 1u);
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 1, false, &ppn));
    }
}

TEST(WritePoint, FillsABlockPageByPage)
{
    HalLog firmware(small_config(1, 1, 1, 1, 12, 4));
    fw_ftl* ftl = firmware.f()->ftl;
    for (u32 n = 0; n < 8; ++n) {
        u32 ppn = 0;
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
        EXPECT_EQ(ppn, ftl_ppn(ftl, 0, n / 4, n % 4));
        EXPECT_EQ(ftl->blocks[n / 4].state, BLOCK_OPEN);
        ftl_page_assigned(firmware.f(), 0, ppn);
    }
    EXPECT_EQ(ftl->planes[0].free_count, 10u);
    EXPECT_EQ(ftl->blocks[0].state, BLOCK_FULL);
}

TEST(WritePoint, KeepsTheLastFreeBlockForCollection)
{
    HalLog firmware(small_config(1, 1, 1, 1, 12, 4));
    u32 ppn = 0;
    for (u32 n = 0; n < 11 * 4; ++n) {
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
    }
    EXPECT_FALSE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
    EXPECT_TRUE(ftl_write_point_take(firmware.f(), 0, true, &ppn));
    EXPECT_EQ(ppn, ftl_ppn(firmware.f()->ftl, 0, 11, 0));
}

TEST(WritePoint, ReusesFreedBlocksBeforeFreshOnesInOrderOfBecomingFree)
{
    HalLog firmware(small_config(1, 1, 1, 1, 12, 1));
    u32 ppn = 0;
    for (u32 n = 0; n < 4; ++n) {
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
    }
    ftl_block_freed(firmware.f(), 0, 2);
    ftl_block_freed(firmware.f(), 0, 0);
    for (const u32 block : {2u, 0u, 4u}) {
        ASSERT_TRUE(ftl_write_point_take(firmware.f(), 0, false, &ppn));
        EXPECT_EQ(ppn, ftl_ppn(firmware.f()->ftl, 0, block, 0));
    }
    EXPECT_EQ(firmware.f()->ftl->blocks[2].erases, 1u);
}

/// 4 LUNs a package on 2 CE#: die 0 and 1 are LUN 0 and 1 of CE 0, die 2 and 3 those of CE 1; the
/// second package's CE# are 2 and 3.
TEST(Descriptor, AddressesChipEnableLunAndRow)
{
    fw_config config = with_order(small_config(2, 2, 4, 2, 12, 4), "DWPC");
    config.chip_enables = 2;
    config.buffer_policy = FW_BUFFER_NONE;
    Device device(config);
    device.issue(HAL_HOST_WRITE, 0, 18 * 8);
    device.run();
    ASSERT_EQ(device.submitted.size(), 18u);
    for (u32 n = 0; n < 18; ++n) {
        const flash_op& op = device.submitted[n];
        const u32 die = n % 4;
        const u32 way = n / 4 % 2;
        const u32 plane = n / 8 % 2;
        EXPECT_EQ(op.opcode, FLASH_OP_PROGRAM);
        EXPECT_EQ(op.channel, n / 16 % 2) << n;
        EXPECT_EQ(op.ce, way * 2 + die / 2) << n;
        EXPECT_EQ(op.lun, die % 2) << n;
        // page 2 bits, plane 1, block 4 (12 blocks), LUN; everything is in page 0 of block 0
        EXPECT_EQ(op.row[0], die % 2 << 7 | plane << 2) << n;
    }
}

} // namespace
} // namespace tlmssd::tb
