// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cache reads and cache programs: data, R/B#, ARDY, FAIL and FAILC. Times of the rig:
// tR 50 us, tPROG 900 us, tRCBSY 3 us, tCBSY 4 us.
#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

constexpr Picoseconds kRead = microseconds(50);
constexpr Picoseconds kProgram = microseconds(900);
constexpr Picoseconds kReadCache = microseconds(3);
constexpr Picoseconds kProgramCache = microseconds(4);

UnitTag tag(u32 plane, u32 page) { return {100 + 10 * plane + page, 1}; }

/// Block 1 of both planes of LUN 0 full: unit 0 of page p of plane q is tag(q, p).
struct Full : Rig {
    Full()
    {
        for (u32 plane = 0; plane < 2; ++plane) {
            for (u32 page = 0; page < 4; ++page) {
                program_page(row(0, plane, 1, page), tag(plane, page), {1, 1});
            }
        }
    }
    u32 at(u32 page, u32 plane = 0) const { return row(0, plane, 1, page); }
    UnitTag first_tag()
    {
        clear_cells();
        send(direct_out(kUnitColumns, cells));
        return cells.tags[0];
    }
    /// After a status read: 00h first.
    UnitTag first_tag_again()
    {
        clear_cells();
        Segment s = lone_command(0x00);
        s.burst(DataDirection::Out, kUnitColumns, &cells);
        send(s);
        return cells.tags[0];
    }
    UnitTag tag_of(u32 plane)
    {
        clear_cells();
        send(enhanced_out(at(0, plane), 0, kUnitColumns, cells));
        return cells.tags[0];
    }
};

TEST(ReadCacheSequential, DeliversOnePageWhileTheNextIsSensed)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0)));
    rig.send_and_wait(lone_command(0x31));
    EXPECT_EQ(rig.status(), 0xc0); // RDY 1, ARDY 0
    EXPECT_EQ(rig.first_tag_again(), tag(0, 0));
    rig.send_and_wait(lone_command(0x31));
    EXPECT_EQ(rig.first_tag(), tag(0, 1));
    rig.send_and_wait(lone_command(0x31));
    EXPECT_EQ(rig.first_tag(), tag(0, 2));
    rig.send_and_wait(lone_command(0x3f));
    EXPECT_EQ(rig.first_tag(), tag(0, 3));
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.target.lun(0).statistics().reads, 4u);
    rig.expect_clean();
}

TEST(ReadCacheSequential, IsBusyForTheTransferOrUntilTheReadUnderWayEnds)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0)));
    const Picoseconds first = rig.send(lone_command(0x31)); // nothing under way: tRCBSY
    rig.run_until(first + kTwb + kReadCache);
    EXPECT_EQ(rig.last_busy(), kTwb + kReadCache);
    const Picoseconds sensed = first + kTwb + kReadCache + kRead; // page 1 is in the page register
    rig.send(lone_command(0x31));
    rig.run_until(sensed - Picoseconds(1));
    EXPECT_TRUE(rig.busy(0));
    rig.run_for(Picoseconds(1));
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.edge(0, true), sensed);
    rig.run_until(sensed + microseconds(60)); // page 2 has come long since
    EXPECT_EQ(rig.status(), 0xe0);
    rig.send(lone_command(0x00));
    rig.send_and_wait(lone_command(0x3f));
    EXPECT_EQ(rig.last_busy(), kTwb + kReadCache);
    EXPECT_EQ(rig.first_tag(), tag(0, 2));
    rig.expect_clean();
}

TEST(ReadCacheSequential, RunsAtTheArraysPaceWhereTheBusIsFaster)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0)));
    rig.send_and_wait(lone_command(0x31));
    const Picoseconds start = rig.edge(0, true);
    for (u32 page = 0; page < 2; ++page) {
        rig.send(direct_out(kPhysical, rig.cells)); // 8640 / 2 x 6 ns = 26 us, below tR
        rig.send_and_wait(lone_command(0x31));
    }
    EXPECT_EQ(rig.edge(0, true), start + 2 * kRead);
    rig.expect_clean();
}

TEST(ReadCacheRandom, DeliversInTheOrderAsked)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(2)));
    rig.send_and_wait(read_command(rig.at(0), 0, 0x31));
    EXPECT_EQ(rig.first_tag(), tag(0, 2));
    rig.send_and_wait(read_command(rig.at(3), 0, 0x31));
    EXPECT_EQ(rig.first_tag(), tag(0, 0));
    rig.send_and_wait(lone_command(0x3f));
    EXPECT_EQ(rig.first_tag(), tag(0, 3));
    rig.expect_clean();
}

TEST(ReadCacheRandom, MayGoToAnotherPlane)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(2, 0)));
    rig.send_and_wait(read_command(rig.at(0, 1), 0, 0x31));
    EXPECT_EQ(rig.tag_of(0), tag(0, 2));
    rig.send_and_wait(read_command(rig.at(3, 0), 0, 0x31));
    EXPECT_EQ(rig.tag_of(1), tag(1, 0));
    rig.send_and_wait(lone_command(0x3f));
    EXPECT_EQ(rig.first_tag(), tag(0, 3)) << "of the page's plane, without 06h";
    rig.expect_clean();
}

TEST(ReadCacheRandom, TakesBothPlanesAlong)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.at(0, 1)));
    rig.send_and_wait(read_command(rig.at(2, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.at(2, 1), 0, 0x31));
    EXPECT_EQ(rig.tag_of(0), tag(0, 0));
    EXPECT_EQ(rig.tag_of(1), tag(1, 0));
    rig.send_and_wait(lone_command(0x31)); // sequential: page 3 of both
    EXPECT_EQ(rig.tag_of(1), tag(1, 2));
    EXPECT_EQ(rig.tag_of(0), tag(0, 2));
    rig.send_and_wait(lone_command(0x3f));
    EXPECT_EQ(rig.tag_of(0), tag(0, 3));
    EXPECT_EQ(rig.tag_of(1), tag(1, 3));
    rig.expect_clean();
}

TEST(ReadCache, ColumnChangeWorksBehindIt)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0)));
    rig.send_and_wait(lone_command(0x31));
    rig.send(column_out(kUnitColumns, kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], (UnitTag{1, 1}));
    EXPECT_EQ(rig.status(), 0xc0);
    rig.expect_clean();
}

TEST(ReadCache, PastTheEndOfTheBlockIsRefused)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(3)));
    rig.send(lone_command(0x31));
    EXPECT_FALSE(rig.busy(0));
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, onfi::Rule::CacheState);
    EXPECT_EQ(rig.first_tag(), tag(0, 3)); // the page is still there
}

TEST(ReadCache, EraseOrPlainReadMayFollowOnceTheArrayIsReady)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0)));
    rig.send_and_wait(lone_command(0x31));
    rig.run_for(kRead); // page 1 is read and never asked for
    rig.send_and_wait(read_command(rig.at(3)));
    EXPECT_EQ(rig.first_tag(), tag(0, 3));
    rig.expect_clean();
}

TEST(ReadCache, ResetEndsIt)
{
    Full rig;
    rig.send_and_wait(read_command(rig.at(0)));
    rig.send_and_wait(lone_command(0x31));
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(rig.last_busy(), kTwb + microseconds(5)); // idle or reading
    rig.send(lone_command(0x3f));
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, onfi::Rule::CacheState);
}

/// Sends page `page` of block 2, plane 0, ended by `confirm`; returns the segment's end.
Picoseconds send_page(Rig& rig, u32 page, u8 confirm)
{
    rig.fill(tag(0, page), {1, 1});
    return rig.send(program(rig.row(0, 0, 2, page), 0, kPhysical, rig.cells, confirm));
}

TEST(ProgramCache, WritesAllPages)
{
    Rig rig;
    for (u32 page = 0; page < 3; ++page) {
        send_page(rig, page, page < 2 ? 0x15 : 0x10);
        rig.wait_ready(0);
    }
    for (u32 page = 0; page < 3; ++page) {
        ASSERT_NE(rig.store.read({0, 0, 2, page}).tags, nullptr);
        EXPECT_EQ(rig.store.read({0, 0, 2, page}).tags[0], tag(0, page));
    }
    EXPECT_EQ(rig.target.lun(0).statistics().programs, 3u);
    EXPECT_EQ(rig.target.lun(0).statistics().programming, 3 * kProgram);
    rig.expect_clean();
}

TEST(ProgramCache, IsBusyForTheTransferOrUntilTheProgramUnderWayEnds)
{
    Rig rig;
    const Picoseconds first = send_page(rig, 0, 0x15);
    const Picoseconds ready = first + kTwb + kProgramCache;
    rig.run_until(ready);
    EXPECT_EQ(rig.edge(0, true), ready);
    EXPECT_EQ(rig.status(), 0xc0);
    send_page(rig, 1, 0x15);
    rig.run_until(ready + kProgram - Picoseconds(1));
    EXPECT_TRUE(rig.busy(0));
    EXPECT_EQ(rig.store.next_page({0, 0, 2, 0}), 0u);
    rig.run_for(Picoseconds(1));
    EXPECT_EQ(rig.edge(0, true), ready + kProgram); // page 0 is done, page 1 begins
    EXPECT_EQ(rig.store.next_page({0, 0, 2, 0}), 1u);
    send_page(rig, 2, 0x10); // waits for page 1, then takes its own tPROG
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), ready + 3 * kProgram);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.expect_clean();
}

TEST(ProgramCache, BecomesArrayReadyByItself)
{
    Rig rig;
    const Picoseconds end = send_page(rig, 0, 0x15);
    const Picoseconds done = end + kTwb + kProgramCache + kProgram;
    rig.run_until(done - microseconds(1));
    EXPECT_EQ(rig.status(), 0xc0);
    rig.run_until(done);
    EXPECT_EQ(rig.status(), 0xe0);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0)));
    rig.send(direct_out(kUnitColumns, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], tag(0, 0));
    rig.expect_clean();
}

void block_2_bad(nand::Device& device)
{
    device.faults = {{Picoseconds(), nand::FaultKind::BlockGoesBad, 0, 0, 2}};
}

TEST(ProgramCache, FailcTellsOfThePageBefore)
{
    Rig rig(rig_geometry(), rig_nand(), 1, block_2_bad);
    send_page(rig, 0, 0x15); // fails, in the background
    rig.wait_ready(0);
    EXPECT_EQ(rig.status(), 0xc0); // not known yet
    rig.fill({1, 1}, {2, 1});
    rig.send(program(rig.row(0, 0, 3, 0), 0, kPhysical, rig.cells, 0x15)); // a good block
    rig.wait_ready(0);
    EXPECT_EQ(rig.status(), 0xc2); // FAILC: page before; FAIL is not valid while ARDY is 0
    rig.run_for(kProgram);
    EXPECT_EQ(rig.status(), 0xe2);
    rig.fill({1, 1}, {2, 1});
    rig.send_and_wait(program(rig.row(0, 0, 3, 1), 0, kPhysical, rig.cells)); // ends the sequence
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.status_of(rig.row(0, 1, 0, 0)), 0xe0);
    EXPECT_EQ(rig.target.lun(0).statistics().program_fails, 1u);
}

TEST(ProgramCache, LastPageThatFailsIsFail)
{
    Rig rig(rig_geometry(), rig_nand(), 1, block_2_bad);
    rig.fill({1, 1}, {2, 1});
    rig.send_and_wait(program(rig.row(0, 0, 3, 0), 0, kPhysical, rig.cells, 0x15));
    send_page(rig, 0, 0x10);
    rig.wait_ready(0);
    EXPECT_EQ(rig.status(), 0xe1);
    rig.program_page(rig.row(0, 1, 5, 0), {3, 1}, {4, 1}); // another operation starts afresh
    EXPECT_EQ(rig.status(), 0xe0);
}

TEST(ProgramCache, ResetSpendsWhatRunsAndWhatWaits)
{
    Rig rig;
    send_page(rig, 0, 0x15);
    rig.wait_ready(0);
    send_page(rig, 1, 0x10); // waits for page 0
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(rig.store.next_page({0, 0, 2, 0}), 2u);
    EXPECT_TRUE(rig.store.torn({0, 0, 2, 0}));
    EXPECT_TRUE(rig.store.torn({0, 0, 2, 1}));
    rig.program_page(rig.row(0, 0, 2, 2), {5, 1}, {6, 1});
    rig.expect_clean();
}

TEST(ProgramCache, TwoPlanesGoTogether)
{
    Rig rig;
    for (u32 page = 0; page < 2; ++page) {
        for (u32 plane = 0; plane < 2; ++plane) {
            rig.fill(tag(plane, page), {1, 1});
            const u8 confirm = plane == 0 ? 0x11 : page == 0 ? 0x15 : 0x10;
            const u32 row = rig.row(0, plane, 2, page);
            rig.send_and_wait(program(row, 0, kPhysical, rig.cells, confirm));
        }
    }
    for (u32 plane = 0; plane < 2; ++plane) {
        EXPECT_EQ(rig.store.read({0, plane, 2, 0}).tags[0], tag(plane, 0));
        EXPECT_EQ(rig.store.read({0, plane, 2, 1}).tags[0], tag(plane, 1));
    }
    rig.expect_clean();
}

} // namespace
} // namespace tlmssd::tb
