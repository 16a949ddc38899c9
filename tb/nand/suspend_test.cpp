// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: suspend and resume of programs and erases. Times of the rig: tPROG 900 us, tBERS 3 ms,
// 100 us to suspend a program and 700 us an erase; a command with a row ends 20 + 4 x 25 ns in.
#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

using onfi::Rule;

constexpr Picoseconds kRowed = nanoseconds(120);
const UnitTag kA{11, 1}, kB{12, 1}, kC{13, 1}, kD{14, 1};

void expect_only(const Rig& rig, Rule rule)
{
    ASSERT_EQ(rig.die_log.count(), 1u);
    EXPECT_EQ(rig.die_log.first()[0].rule, rule) << to_string(rig.die_log.first()[0]);
}

/// LUN 0, plane 0: page 0 of block 1 holds kC, kD; page 0 of block 0 is being programmed.
struct Programming : Rig {
    Picoseconds begun; ///< tWB after the confirm cycle
    Programming()
    {
        program_page(row(0, 0, 1, 0), kC, kD);
        fill(kA, kB);
        begun = send(program(row(0, 0, 0, 0), 0, kPhysical, cells)) + kTwb;
    }
};

struct Erasing : Rig {
    Picoseconds begun;
    Erasing()
    {
        program_page(row(0, 0, 1, 0), kC, kD);
        program_page(row(0, 0, 0, 0), kA, kB);
        begun = send(erase(row(0, 0, 0, 0))) + kTwb;
    }
};

TEST(ProgramSuspend, MakesTheLunReadyAfterItsTimeAndResumeNeedsTheRest)
{
    Programming rig;
    rig.run_until(rig.begun + microseconds(300) - kRowed);
    rig.send(row_command(0x84, 0)); // 300 us of 900 are done when it is taken
    const Picoseconds ready = rig.begun + microseconds(300 + 100);
    rig.run_until(ready - Picoseconds(1));
    EXPECT_TRUE(rig.busy(0));
    rig.run_until(ready);
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.edge(0, true), ready);
    EXPECT_EQ(rig.status(), 0xe4);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 0u);
    const Picoseconds resumed = rig.send(row_command(0x13, 0));
    EXPECT_EQ(rig.edge(0, false), resumed);
    EXPECT_EQ(rig.status(), 0x80);
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), resumed + kTwb + microseconds(600));
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
    EXPECT_EQ(rig.target.lun(0).statistics().suspends, 1u);
    EXPECT_EQ(rig.target.lun(0).statistics().programming, microseconds(2 * 900));
    rig.expect_clean();
}

TEST(ProgramSuspend, KeepsTheDataWhileOtherPagesAreRead)
{
    Programming rig;
    rig.run_for(microseconds(100));
    rig.send_and_wait(row_command(0x84, 0));
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 0)));
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(rig.cells.tags[0], kC);
    rig.send_and_wait(row_command(0x13, 0));
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[1], kB);
    rig.expect_clean();
}

TEST(ProgramSuspend, SurvivesACacheReadBetween)
{
    Programming rig;
    rig.run_for(microseconds(100));
    rig.send_and_wait(row_command(0x84, 0));
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 0)));
    rig.send_and_wait(lone_command(0x31));
    rig.send_and_wait(lone_command(0x3f));
    rig.send_and_wait(row_command(0x13, 0));
    EXPECT_EQ(rig.store.read({0, 0, 0, 0}).tags[0], kA);
    rig.expect_clean();
}

TEST(ProgramSuspend, TwiceAddsUpToTheSameArrayTime)
{
    Programming rig;
    rig.run_until(rig.begun + microseconds(300) - kRowed);
    rig.send_and_wait(row_command(0x84, 0));
    Picoseconds resumed = rig.send(row_command(0x13, 0)) + kTwb;
    rig.run_until(resumed + microseconds(200) - kRowed);
    rig.send_and_wait(row_command(0x84, 0));
    resumed = rig.send(row_command(0x13, 0)) + kTwb;
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), resumed + microseconds(900 - 300 - 200));
    rig.expect_clean();
}

TEST(ProgramSuspend, TooLateLeavesItToEndByItself)
{
    Programming rig;
    rig.run_until(rig.begun + microseconds(850) - kRowed);
    rig.send(row_command(0x84, 0)); // 50 us are left, suspending takes 100
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), rig.begun + microseconds(900));
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.expect_clean();
}

TEST(ProgramSuspend, HasNoEffectOnceTheProgramHasEnded)
{
    Programming rig;
    rig.wait_ready(0);
    rig.send(row_command(0x84, 0)); // nobody can know before the status byte
    EXPECT_FALSE(rig.busy(0));
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.target.lun(0).statistics().suspends, 0u);
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 0)));
    rig.expect_clean();
    rig.send(row_command(0x84, 0)); // the last operation was a read
    expect_only(rig, Rule::SuspendState);
}

TEST(EraseSuspend, LeavesTheBlockUntilTheResumedEraseEnds)
{
    Erasing rig;
    rig.run_until(rig.begun + microseconds(1000) - kRowed);
    rig.send(row_command(0x61, 0));
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), rig.begun + microseconds(1000 + 700));
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 0)));
    const Picoseconds resumed = rig.send(row_command(0xd2, 0));
    rig.wait_ready(0);
    EXPECT_EQ(rig.edge(0, true), resumed + kTwb + microseconds(2000));
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 0u);
    rig.expect_clean();
}

TEST(EraseSuspend, LetsOtherBlocksBeProgrammed)
{
    Erasing rig;
    rig.run_for(microseconds(100));
    rig.send_and_wait(row_command(0x61, 0));
    rig.program_page(rig.row(0, 0, 1, 1), kA, kB);
    EXPECT_EQ(rig.status(), 0xe4);
    rig.send_and_wait(row_command(0xd2, 0));
    EXPECT_EQ(rig.store.next_page({0, 0, 1, 0}), 2u);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 0u);
    rig.expect_clean();
}

TEST(SuspendState, ResetGivesTheSuspendedEraseUp)
{
    Erasing rig;
    rig.run_for(microseconds(100));
    rig.send_and_wait(row_command(0x61, 0));
    rig.send(lone_command(0xfc));
    rig.wait_ready(0);
    rig.wait_ready(1);
    EXPECT_EQ(rig.last_busy(), kTwb + microseconds(500));
    EXPECT_EQ(rig.status(), 0xe0);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.expect_clean();
}

struct Case {
    const char* name;
    bool erasing;
    Segment (*command)(Rig&);
};

const Case kRefused[] = {
    {"SecondSuspend", false, [](Rig&) { return row_command(0x84, 0); }},
    {"ReadOfTheSuspendedPage", false, [](Rig& r) { return read_command(r.row(0, 0, 0, 0)); }},
    {"ReadOfTheSuspendedBlock", true, [](Rig& r) { return read_command(r.row(0, 0, 0, 3)); }},
    {"ProgramWhileAProgramIsSuspended", false,
     [](Rig& r) { return program(r.row(0, 1, 3, 0), 0, kPhysical, r.cells); }},
    {"ProgramOfTheSuspendedBlock", true,
     [](Rig& r) { return program(r.row(0, 0, 0, 1), 0, kPhysical, r.cells); }},
    {"EraseWhileAProgramIsSuspended", false, [](Rig& r) { return erase(r.row(0, 1, 3, 0)); }},
    {"EraseWhileAnEraseIsSuspended", true, [](Rig& r) { return erase(r.row(0, 1, 3, 0)); }},
    {"ResumeOfTheOtherKind", false, [](Rig&) { return row_command(0xd2, 0); }},
    {"EraseSuspendOfASuspendedProgram", false, [](Rig&) { return row_command(0x61, 0); }},
};

class WhileSuspended : public testing::TestWithParam<Case> {};

TEST_P(WhileSuspended, IsRefused)
{
    Rig rig;
    rig.program_page(rig.row(0, 0, 1, 0), kC, kD);
    if (GetParam().erasing) {
        rig.send(erase(0));
    } else {
        rig.fill(kA, kB);
        rig.send(program(0, 0, kPhysical, rig.cells));
    }
    rig.run_for(microseconds(100));
    rig.send_and_wait(row_command(GetParam().erasing ? 0x61 : 0x84, 0));
    rig.expect_clean();
    rig.send(GetParam().command(rig));
    EXPECT_FALSE(rig.busy(0));
    expect_only(rig, Rule::SuspendState);
    rig.send_and_wait(row_command(GetParam().erasing ? 0xd2 : 0x13, 0)); // goes on all the same
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), GetParam().erasing ? 0u : 1u);
    EXPECT_EQ(rig.die_log.count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(SuspendState, WhileSuspended, testing::ValuesIn(kRefused),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(SuspendState, NothingToSuspendOrResume)
{
    Rig rig;
    for (const int byte : {0x84, 0x61, 0x13, 0xd2}) {
        rig.send(row_command(static_cast<u8>(byte), 0));
    }
    EXPECT_EQ(rig.die_log.count(), 4u);
    EXPECT_EQ(rig.die_log.first()[3].rule, Rule::SuspendState);
    rig.send(read_command(0)); // a read is busy, but nothing that can be suspended
    rig.send(row_command(0x84, 0));
    EXPECT_EQ(rig.die_log.count(), 5u);
    EXPECT_EQ(rig.die_log.first()[4].rule, Rule::SuspendState);
}

TEST(SuspendState, AProgramBehindACacheProgramCannotBeSuspended)
{
    Rig rig;
    rig.fill(kA, kB);
    rig.send_and_wait(program(rig.row(0, 0, 0, 0), 0, kPhysical, rig.cells, 0x15));
    rig.send(program(rig.row(0, 0, 0, 1), 0, kPhysical, rig.cells, 0x10));
    rig.send(row_command(0x84, 0));
    expect_only(rig, Rule::SuspendState);
}

} // namespace
} // namespace tlmssd::tb
