// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the checker learns from the bus: ready times, interface, suspends, silent dies.
#include <gtest/gtest.h>

#include <memory>

#include "tb/onfi/checker_stream.h"

namespace tlmssd::tb {
namespace {

using onfi::Checker;
using onfi::Rule;

/// One CE# with two LUNs in SDR 5, segments at their minimum, 200 ns between them.
struct Desk : testing::Test {
    StreamPart part;
    std::unique_ptr<Checker> checker = make(false);
    DataCells cells;
    u64 now = 0;
    u32 drive = kSdr5;
    bool with_timing = true;

    std::unique_ptr<Checker> make(bool tolerate)
    {
        return std::make_unique<Checker>(part.geometry, onfi::data_sheet(BusInterface::Sdr, 5),
                                         part.nand, tolerate);
    }
    /// `answers`: bit l for a falling edge of LUN l at the end.
    void send(Segment s, u32 answers = 0)
    {
        s.start = Picoseconds(now + 200000);
        now += 200000 + least_duration(s, kDrives[drive]);
        s.end = Picoseconds(now);
        s.timing = with_timing ? &timing_of(drive) : nullptr;
        for (u32 lun = 0; lun < 2; ++lun) {
            if ((answers >> lun) & 1) {
                checker->on_ready_edge(0, 0, lun, false, Picoseconds(now));
            }
        }
        checker->on_observed(0, s);
    }
    void rise(u64 after, u32 lun = 0)
    {
        now += after;
        checker->on_ready_edge(0, 0, lun, true, Picoseconds(now));
    }
    void work(const Segment& s, Picoseconds busy, u32 lun = 0)
    {
        send(s, 1u << lun);
        rise(busy.value(), lun);
    }
    void poll(u8 status)
    {
        cells.bytes[0] = status;
        send(read_status(cells));
        cells.bytes[0] = 0;
    }
    u32 row(u32 lun, u32 plane, u32 block, u32 page) const
    {
        return part.row(lun, plane, block, page);
    }
    u64 count() const { return checker->violations(); }
    Rule rule() const
    {
        return count() == 0 ? Rule::None : checker->log().first()[0].rule;
    }
};

constexpr u8 kReady = 0xe0, kReadySuspended = 0xe4;

TEST_F(Desk, CacheReadIsReadyWhenTheArrayHasFetchedThePageBefore)
{
    // 31h at t; the page it asks for is there at t + tR 20. A second 31h at once may rise then, and
    // the third page is there at t + 2 tR; tRCBSY 3 us is shorter.
    work(read_command(0), microseconds(20));
    send(lone_command(0x31), 1);
    const u64 t = now;
    rise(microseconds(3).value());
    send(lone_command(0x31), 1);
    rise(t + microseconds(20).value() - now);
    EXPECT_EQ(count(), 0u);
    send(lone_command(0x3f), 1);
    rise(t + microseconds(40).value() - 1 - now);
    EXPECT_EQ(rule(), Rule::ReadyTooEarly);
}

TEST_F(Desk, CachedProgramsAreReadyWhenTheArrayHasTakenThePageBefore)
{
    // 15h at t programs until t + 100; a second 15h may rise then; 10h then ends at t + 300.
    send(program(row(0, 0, 0, 0), 0, 16, cells, 0x15), 1);
    const u64 t = now;
    rise(microseconds(3).value());
    send(program(row(0, 0, 0, 1), 0, 16, cells, 0x15), 1);
    rise(t + microseconds(100).value() - now);
    send(program(row(0, 0, 0, 2), 0, 16, cells), 1);
    rise(t + microseconds(300).value() - now);
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, AResumedProgramNeedsTheTimeThatWasLeft)
{
    // 10h at t, due at t + 100; suspended and ready at t + 30; resumed: 70 us more.
    for (const u64 early : {u64{0}, u64{1}}) {
        checker = make(false);
        now = 0;
        send(program(0, 0, 16, cells), 1);
        const u64 t = now;
        now += microseconds(15).value();
        send(row_command(0x84, 0));
        rise(t + microseconds(30).value() - now);
        send(row_command(0x13, 0), 1);
        rise(microseconds(70).value() - early);
        EXPECT_EQ(rule(), early == 0 ? Rule::None : Rule::ReadyTooEarly);
    }
}

TEST_F(Desk, AnEraseThatEndsBeforeItsSuspendIsOver)
{
    // Due at 300 us, suspend at 299: ready at 300 is the end of the erase, as the status says.
    checker->learn(0, 0, 0, 3);
    send(erase(0), 1);
    const u64 t = now;
    now = t + microseconds(299).value();
    send(row_command(0x61, 0));
    rise(t + microseconds(300).value() - now);
    poll(kReady);
    work(program(0, 0, 16, cells), microseconds(100));
    EXPECT_EQ(count(), 0u);
    send(row_command(0xd2, 0));
    EXPECT_EQ(rule(), Rule::SuspendState);
}

TEST_F(Desk, AnEraseThatIsStillSuspendedKeepsItsBlock)
{
    checker->learn(0, 0, 0, 3);
    send(erase(0), 1);
    const u64 t = now;
    now = t + microseconds(299).value();
    send(row_command(0x61, 0));
    rise(t + microseconds(314).value() - now); // 299 + 15: it may or may not have ended
    poll(kReadySuspended);
    send(program(0, 0, 16, cells));
    EXPECT_EQ(rule(), Rule::SuspendState);
}

TEST_F(Desk, AModeHoldsFromTheEndOfTfeatOn)
{
    cells.bytes[0] = 0x66; // NV-DDR2 6, program clear
    send(set_features(0x01, cells), 3);
    poll(0x80); // in the old mode while it lasts
    rise(microseconds(1).value(), 0);
    rise(0, 1);
    drive = kNvDdr2;
    poll(kReady);
    EXPECT_EQ(count(), 0u);
    drive = kSdr5;
    poll(kReady);
    EXPECT_EQ(rule(), Rule::WrongInterface);
}

TEST_F(Desk, ASegmentUnderWayWhenTheModeChangesMayEndInTheOldOne)
{
    cells.bytes[0] = 0x66;
    send(set_features(0x01, cells), 3);
    Segment s = read_status(cells);
    s.start = Picoseconds(now + microseconds(1).value() - 1);
    s.end = s.start + microseconds(1);
    s.timing = &timing_of(kSdr5);
    rise(microseconds(1).value(), 0);
    rise(0, 1);
    checker->on_observed(0, s);
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, ASlowerModeOfTheInterfaceIsLegal)
{
    drive = kSdr3;
    poll(kReady);
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, FfhLeavesSdrModeZeroAndFchLeavesTheMode)
{
    cells.bytes[0] = 0x66;
    send(set_features(0x01, cells), 3);
    rise(microseconds(1).value(), 0);
    rise(0, 1);
    drive = kNvDdr2;
    send(lone_command(0xfc), 3);
    rise(microseconds(5).value(), 0);
    rise(0, 1);
    poll(kReady);
    drive = kSdr0; // FFh is understood in any interface
    send(lone_command(0xff), 3);
    rise(microseconds(5).value(), 0);
    rise(0, 1);
    poll(kReady);
    EXPECT_EQ(count(), 0u);
    drive = kSdr3;
    poll(kReady);
    EXPECT_EQ(rule(), Rule::WrongInterface);
}

TEST_F(Desk, FfhInSdrLeavesTheMode)
{
    send(lone_command(0xff), 3);
    rise(microseconds(5).value(), 0);
    rise(0, 1);
    poll(kReady); // SDR 5, as before
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, SegmentsWithoutTimingAreNotJudgedByInterface)
{
    with_timing = false;
    send(lone_command(0xff), 3);
    rise(microseconds(5).value(), 0);
    rise(0, 1);
    poll(kReady); // SDR 5 behind FFh
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, ASegmentInTheWrongInterfaceIsNoCommand)
{
    drive = kNvDdr2;
    send(erase(0)); // and no busy edge is missed
    EXPECT_EQ(count(), 1u);
    EXPECT_EQ(rule(), Rule::WrongInterface);
}

TEST_F(Desk, ProgramClearSparesTheDataOfAnotherLun)
{
    work(read_command(row(0, 0, 0, 0)), microseconds(20));
    work(program(row(1, 0, 0, 0), 0, 16, cells), microseconds(100), 1);
    send(enhanced_out(row(0, 0, 0, 0), 0, 16, cells));
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, WithoutProgramClearAReadUnderWayIsLostToo)
{
    part.nand.program_clear = false;
    checker = make(false);
    send(read_command(row(0, 0, 0, 0)), 1);
    const u64 fell = now;
    send(program(row(1, 0, 0, 0), 0, 16, cells), 2);
    rise(fell + microseconds(20).value() - now, 0);
    EXPECT_EQ(count(), 0u);
    send(enhanced_out(row(0, 0, 0, 0), 0, 16, cells));
    EXPECT_EQ(rule(), Rule::NoData);
}

TEST_F(Desk, ADeadDieIsNotJudgedUntilItAnswers)
{
    checker = make(true);
    send(read_command(0)); // no busy edge
    send(enhanced_out(0, 0, 16, cells));
    send(erase(0));
    send(lone_command(0x31));
    send(lone_command(0xff), 2); // only LUN 1 answers
    rise(microseconds(5).value(), 1);
    EXPECT_EQ(count(), 0u);
    drive = kSdr0; // as FFh leaves it
    work(program(row(0, 0, 0, 4), 0, 16, cells), microseconds(100)); // its cells are not known
    send(program(row(0, 0, 0, 4), 0, 16, cells), 1);
    EXPECT_EQ(count(), 0u);
    send(read_command(0)); // now it is judged again
    EXPECT_EQ(rule(), Rule::LunBusy);
}

TEST_F(Desk, AStatusOfOnesTellsOfADeadDie)
{
    checker = make(true);
    send(read_command(0), 1); // R/B# stays low
    poll(0xff);
    send(read_command(0));
    rise(microseconds(500).value()); // power comes back
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, ADieThatComesBackMayRiseEarly)
{
    checker = make(true);
    send(erase(0), 1);
    rise(microseconds(1).value());
    EXPECT_EQ(count(), 0u);
    checker = make(false);
    send(erase(0), 1);
    rise(microseconds(1).value());
    EXPECT_EQ(rule(), Rule::ReadyTooEarly);
}

TEST_F(Desk, OneLunMayAnswerForTheTarget)
{
    send(read_register(0xec, 0x00), 2);
    rise(microseconds(20).value(), 1);
    Segment out = direct_out(256, cells);
    out.narrow = true;
    send(out);
    EXPECT_EQ(count(), 0u);
}

TEST_F(Desk, EveryLunThatAnswersForTheTargetIsTimed)
{
    send(read_register(0xed, 0x00), 3);
    rise(microseconds(20).value() - 1, 1);
    EXPECT_EQ(rule(), Rule::ReadyTooEarly);
}

TEST_F(Desk, AViolationPrintsItsTwoCycles)
{
    // tCS 15 + 7 x 20: 30h ends at 200 + 155 ns; the second command starts 200 ns later, and its
    // 00h ends at 555 + 15 + 20 ns.
    send(read_command(0), 1);
    send(read_command(0));
    ASSERT_EQ(count(), 1u);
    EXPECT_EQ(to_string(checker->log().first()[0]),
              "0.710000 us: channel 0 CE 0 LUN 0: access to a busy LUN "
              "(command 30h at 0.355000 us, command 00h at 0.590000 us)");
}

} // namespace
} // namespace tlmssd::tb
