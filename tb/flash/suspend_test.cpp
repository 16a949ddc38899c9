// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: suspend and resume in the TLM controller, by hand: equations of docs/explanation/o3-suspend.md.
#include <gmock/gmock.h>

#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using config::ReadySense;
using config::Suspend;
using testing::ElementsAre;
using testing::Not;
using testing::Contains;

/// (start in ns, phase, tag)
using Step = std::tuple<u64, Phase, u32>;

/// Each segment takes 1 us, an erase 30, a program 10, a read 1; suspending an erase 3, a program 2.
class Suspending : public testing::Test {
protected:
    explicit Suspending(const std::function<void(config::Config&)>& tweak = [](config::Config&) {},
                        u32 luns = 2)
        : c(flash_geometry(1, luns), ControllerMode::Ooo, 64,
            [tweak](config::Config& config) {
                config.controller.suspend = Suspend::Erase;
                config.controller.age_limit = microseconds(1000);
                config.controller.suspend_progress = microseconds(5);
                config.onfi.poll_interval = microseconds(5);
                tweak(config);
            })
    {
        c.port.segment_time = microseconds(1);
    }
    /// Of LUN 0, at `us`; a stream of its own.
    u32 at(double us, u8 opcode, u32 block, u8 flags = 0, u32 lun = 0)
    {
        const u64 ns = static_cast<u64>(us * 1000);
        if (ns != now_ns_) {
            run_for(c.event_queue, nanoseconds(ns - now_ns_));
        }
        now_ns_ = ns;
        flash_op op = c.op(opcode, 0, lun);
        op.row[0] = c.geometry.row(lun, 0, block, 0);
        op.flags = static_cast<u8>(flags | (opcode == FLASH_OP_READ ? 0 : FLASH_FLAG_SUSPENDABLE));
        op.stream = op.tag;
        c.controller.submit(op);
        return op.tag;
    }
    void finish() { c.run(1000); }
    std::vector<Step> steps() const
    {
        std::vector<Step> all;
        for (const UnitTimePort::Seen& s : c.port.seen) {
            all.emplace_back(s.at.value() / 1000, s.request.phase, s.request.tag);
        }
        return all;
    }
    std::vector<Phase> phases() const
    {
        std::vector<Phase> all;
        for (const UnitTimePort::Seen& s : c.port.seen) {
            all.push_back(s.request.phase);
        }
        return all;
    }
    u64 end_ns(u32 tag) const { return c.end(tag).at.value() / 1000; }
    u32 status_of(u32 tag) const { return c.end(tag).completion.status; }
    UnitTimeController c;

private:
    u64 now_ns_ = 0;
};

// Erase 0-1, would end at 31. Suspend 10-11, ready at 11 + 3; status 14-15; read 15-16, 17, 17-18;
// resume 18-19, what was left at 11: 20, to 39; status 39-40.
TEST_F(Suspending, AReadGoesBetweenTheHalvesOfAnErase)
{
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 0}, Step{10000, Phase::Suspend, 0},
                                     Step{14000, Phase::Status, 0}, Step{15000, Phase::Command, 1},
                                     Step{17000, Phase::DataOut, 1}, Step{18000, Phase::Resume, 0},
                                     Step{39000, Phase::Status, 0}));
    EXPECT_EQ(end_ns(1), 18000u);
    EXPECT_EQ(end_ns(0), 40000u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_OK);
}

// 29-30: the erase ends at 31, before 30 + 3: its status is its end.
TEST_F(Suspending, TooLateASuspendLeavesTheEraseToEnd)
{
    at(0, FLASH_OP_ERASE, 1);
    at(29, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(0), 32000u);
    EXPECT_EQ(end_ns(1), 35000u);
    EXPECT_THAT(phases(), Not(Contains(Phase::Resume)));
}

// The erase ends at 31, inside the suspend (30.5-31.5), which has no effect then.
TEST_F(Suspending, TheEraseMayEndInsideTheSuspend)
{
    at(0, FLASH_OP_ERASE, 1);
    at(30.5, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(steps()[2], Step(31500, Phase::Status, 0));
    EXPECT_EQ(end_ns(0), 32500u);
    EXPECT_EQ(end_ns(1), 35500u);
}

// The bus is taken by a program of LUN 1 (30.2-31.2) when the erase ends: no suspend at all.
TEST_F(Suspending, AStatusReadTakesThePlaceOfASuspendThatStillWaits)
{
    at(0, FLASH_OP_ERASE, 1);
    at(30.2, FLASH_OP_PROGRAM, 0, 0, 1);
    at(30.3, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(phases(), Not(Contains(Phase::Suspend)));
    EXPECT_THAT(steps()[2], Step(31200, Phase::Status, 0));
    EXPECT_EQ(end_ns(0), 32200u);
}

// In block 1, that of the erase: it waits for its end, and the read of block 2 does not: 11-12, 15,
// 15-16, 16-17, 18, 18-19; resume 19-20, 19 left: 39; status 39-40; 40-41, 42, 42-43.
TEST_F(Suspending, AReadThatDependsOnTheEraseWaitsForIt)
{
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 1);
    at(11, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(2), 19000u);
    EXPECT_EQ(end_ns(0), 40000u);
    EXPECT_EQ(end_ns(1), 43000u);
}

// First: 5-6, 9, 9-10, 10-11, 12, 12-13; resume 13-14, 25 left: 39. The next comes at 15 and waits for
// 14 + 5: 19-20, 23, 23-24, 24-25, 26, 26-27; resume 27-28, 19 left: 47. The third waits for the end.
class Bounded : public Suspending {
protected:
    Bounded() : Suspending([](config::Config& to) { to.controller.suspends = 2; }) {}
};
TEST_F(Bounded, ByProgressAndByNumber)
{
    at(0, FLASH_OP_ERASE, 1);
    at(5, FLASH_OP_READ, 2);
    at(15, FLASH_OP_READ, 2);
    at(30, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(1), 13000u);
    EXPECT_EQ(end_ns(2), 27000u);
    EXPECT_EQ(end_ns(0), 48000u);
    EXPECT_EQ(end_ns(3), 51000u);
}

// 5-6, 9, 9-10; reads one after the other, 3 each, from 10 on. At 22 the erase is 22 old: it goes on
// before the last one: 22-23, 25 left: 48; status 48-49; read 49-50, 51, 51-52.
class Aged : public Suspending {
protected:
    Aged() : Suspending([](config::Config& to) { to.controller.age_limit = microseconds(20); }) {}
};
TEST_F(Aged, AnOldEraseGoesOnBeforeYoungerReads)
{
    at(0, FLASH_OP_ERASE, 1);
    at(5, FLASH_OP_READ, 2);
    for (u32 i = 0; i < 4; ++i) {
        at(11, FLASH_OP_READ, 2);
    }
    finish();
    EXPECT_EQ(end_ns(4), 22000u);
    EXPECT_EQ(end_ns(0), 49000u);
    EXPECT_EQ(end_ns(5), 52000u);
}
TEST_F(Aged, AnOldEraseIsNotSuspended)
{
    at(0, FLASH_OP_ERASE, 1);
    at(25, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(0), 32000u);
    EXPECT_EQ(end_ns(1), 35000u);
}

class Urgent : public Suspending {
protected:
    Urgent() : Suspending([](config::Config& to) { to.controller.suspend_priority = 2; }) {}
};
// The read of priority 1 waits for the end: 40, 40-41, 42, 42-43. The other: as in the first test.
TEST_F(Urgent, ReadsBelowThePriorityWait)
{
    at(0, FLASH_OP_ERASE, 1);
    at(5, FLASH_OP_READ, 2, 1);
    at(10, FLASH_OP_READ, 2, 2);
    finish();
    EXPECT_EQ(end_ns(2), 18000u);
    EXPECT_EQ(end_ns(0), 40000u);
    EXPECT_EQ(end_ns(1), 43000u);
}

TEST_F(Suspending, ProgramsAreLeftAloneWhereOnlyErasesAreSuspended)
{
    at(0, FLASH_OP_PROGRAM, 1);
    at(3, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(phases(), Not(Contains(Phase::Suspend)));
    EXPECT_EQ(end_ns(0), 12000u);
}

class Programs : public Suspending {
protected:
    explicit Programs(ReadySense ready = ReadySense::Lun)
        : Suspending([ready](config::Config& to) {
              to.controller.suspend = Suspend::ProgramAndErase;
              to.onfi.ready = ready;
          })
    {
    }
};
// Data in 0-1, to 11. Suspend 3-4, 6; status 6-7; read 7-8, 9, 9-10; resume 10-11, 7 left: 18; 18-19.
TEST_F(Programs, AreSuspendedToo)
{
    at(0, FLASH_OP_PROGRAM, 1);
    at(3, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(1), 10000u);
    EXPECT_EQ(end_ns(0), 19000u);
}

// Neither the flag nor the key alone suspends.
TEST_F(Suspending, AnOperationWithoutTheFlagIsNotSuspended)
{
    flash_op op = c.op(FLASH_OP_ERASE, 0);
    op.row[0] = c.geometry.row(0, 0, 1, 0);
    c.controller.submit(op);
    at(10, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(0), 32000u);
    EXPECT_EQ(end_ns(1), 35000u);
}
class Off : public Suspending {
protected:
    Off() : Suspending([](config::Config& to) { to.controller.suspend = Suspend::None; }) {}
};
TEST_F(Off, TheFlagAloneDoesNothing)
{
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(0), 32000u);
    EXPECT_EQ(end_ns(1), 35000u);
}

// FAIL is that of the last status byte; the one after the suspend (E5h) ends nothing.
TEST_F(Suspending, AFailureIsToldAtTheEnd)
{
    c.port.status = [](const SegmentRequest&) -> u8 { return 0xe1; };
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(0), 40000u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_FAIL);
    EXPECT_EQ(status_of(1), FLASH_STATUS_OK);
}

// RESET waits in the intake until the erase has ended (40): FFh 40-41, the LUNs' 5 and 6 to 47.
TEST_F(Suspending, AResetComesAfterWhatIsSuspended)
{
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 2);
    const u32 reset = at(15.5, FLASH_OP_RESET, 0);
    finish();
    EXPECT_EQ(end_ns(0), 40000u);
    EXPECT_EQ(end_ns(reset), 47000u);
}

class Timed : public Suspending {
protected:
    explicit Timed(ReadySense ready = ReadySense::Lun)
        : Suspending([ready](config::Config& to) {
              to.controller.timeout = microseconds(100);
              to.onfi.ready = ready;
          })
    {
    }
};
// The die falls silent under the read's command (15-16): given up at 116, and the erase with it.
TEST_F(Timed, WhatIsSuspendedEndsWithItsLun)
{
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 2);
    at(15.5, FLASH_OP_READ, 2, 0, 1); // LUN 1
    c.port.dead[0] = true;
    finish();
    EXPECT_EQ(end_ns(1), 116000u);
    EXPECT_EQ(status_of(1), FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(end_ns(0), 116000u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(status_of(2), FLASH_STATUS_OK);
}
// The die is silent: without the suspend it would be given up at 1 + 100. That waits for LUN 1's
// command (49.5-50.5) and begins a new time: 51.5 + 100.
TEST_F(Timed, ASuspendBeginsANewTime)
{
    c.port.array = [](u32, u64 units) { return units == 30 ? u64{100000} : units; };
    at(0, FLASH_OP_ERASE, 1);
    at(49.5, FLASH_OP_READ, 2, 0, 1);
    c.port.dead[0] = true;
    at(50, FLASH_OP_READ, 2);
    finish();
    EXPECT_EQ(end_ns(0), 151500u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(status_of(2), FLASH_STATUS_TIMEOUT);
}

class Polled : public Suspending {
protected:
    Polled() : Suspending([](config::Config& to) { to.onfi.ready = ReadySense::Status; }) {}
};
// Erase 0-1, its poll is due at 31.2. Suspend 10-11, poll at 11 + 3: 14-15; read 15-16, poll
// 17.2-18.2, burst 18.2-19.2; resume 19.2-20.2, poll after 0.2 + (31.2 - 11): 40.6-41.6.
TEST_F(Polled, SuspendedByPolls)
{
    at(0, FLASH_OP_ERASE, 1);
    at(10, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 0}, Step{10000, Phase::Suspend, 0},
                                     Step{14000, Phase::Status, 0}, Step{15000, Phase::Command, 1},
                                     Step{17200, Phase::Status, 1}, Step{18200, Phase::DataOut, 1},
                                     Step{19200, Phase::Resume, 0}, Step{40600, Phase::Status, 0}));
    EXPECT_EQ(end_ns(0), 41600u);
}
// The die needs 40, to 41. Poll 31.2-32.2, the read comes inside: suspend 32.2-33.2, poll 36.2-37.2;
// read 37.2-38.2, poll 39.4-40.4, burst to 41.4; resume 41.4-42.4; the poll due at 37.2 leaves 4:
// 46.6-47.6 finds it busy (to 42.4 + 7.8); 52.6-53.6.
TEST_F(Polled, APollUnderWayComesBeforeTheSuspend)
{
    c.port.array = [](u32, u64 units) { return units == 30 ? u64{40} : units; };
    at(0, FLASH_OP_ERASE, 1);
    at(31.5, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(steps(),
                ElementsAre(Step{0, Phase::Command, 0}, Step{31200, Phase::Status, 0},
                            Step{32200, Phase::Suspend, 0}, Step{36200, Phase::Status, 0},
                            Step{37200, Phase::Command, 1}, Step{39400, Phase::Status, 1},
                            Step{40400, Phase::DataOut, 1}, Step{41400, Phase::Resume, 0},
                            Step{46600, Phase::Status, 0}, Step{52600, Phase::Status, 0}));
    EXPECT_EQ(end_ns(0), 53600u);
}
// The erase is over at 31, its poll due at 31.2: a suspend at 31.1 has no effect, the poll after it
// (32.1 + 3) tells.
TEST_F(Polled, ASuspendOfWhatHasEndedHasNoEffect)
{
    at(0, FLASH_OP_ERASE, 1);
    at(31.1, FLASH_OP_READ, 2);
    finish();
    EXPECT_THAT(steps()[1], Step(31100, Phase::Suspend, 0));
    EXPECT_EQ(end_ns(0), 36100u);
    EXPECT_THAT(phases(), Not(Contains(Phase::Resume)));
}

} // namespace
} // namespace tlmssd::tb
