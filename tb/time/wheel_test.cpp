// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: timers on both back-ends: order, moving, cancelling, destruction, end of a run.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

class Wheel : public testing::TestWithParam<Backend> {
protected:
    Wheel() : wheel("wheel", GetParam()) {}

    /// A timer that writes its name and the time in ns into `log`.
    std::unique_ptr<Agent> logger(const std::string& name, Priority priority = Priority::Bus)
    {
        return std::make_unique<Agent>(wheel, [this, name] { note(name); }, priority);
    }
    void note(const std::string& name)
    {
        log.push_back(name + std::to_string(wheel.now().value() / 1000));
    }
    EventWheel wheel;
    std::vector<std::string> log;
};

TEST_P(Wheel, OrdersByTimeThenPriorityThenOrderOfArming)
{
    auto host = logger("host", Priority::Host);
    auto array = logger("array", Priority::Array);
    auto array2 = logger("again", Priority::Array);
    auto clock = logger("clock", Priority::Clock);
    auto output = logger("output", Priority::Output);
    clock->timer.arm(nanoseconds(10));
    host->timer.arm(nanoseconds(10));
    array2->timer.arm(nanoseconds(10));
    array->timer.arm(nanoseconds(10));
    output->timer.arm(nanoseconds(5));
    run_for(wheel, nanoseconds(20));
    EXPECT_THAT(log, ElementsAre("output5", "again10", "array10", "host10", "clock10"));
    EXPECT_EQ(wheel.events(), 5u);
}

TEST_P(Wheel, MovesATimerEarlierAndLater)
{
    auto a = logger("a");
    auto b = logger("b");
    a->timer.arm(nanoseconds(30));
    b->timer.arm(nanoseconds(10));
    a->timer.arm(nanoseconds(5));
    b->timer.arm(nanoseconds(20));
    EXPECT_EQ(a->timer.at(), nanoseconds(5));
    run_for(wheel, nanoseconds(50));
    EXPECT_THAT(log, ElementsAre("a5", "b20"));
    EXPECT_FALSE(a->timer.armed());
    a->timer.arm(nanoseconds(60)); // between two runs
    b->timer.arm(nanoseconds(70));
    b->timer.arm(nanoseconds(55));
    run_for(wheel, nanoseconds(50));
    EXPECT_THAT(log, ElementsAre("a5", "b20", "b55", "a60"));
}

TEST_P(Wheel, ArmingAgainForTheSameTimeGoesToTheEnd)
{
    auto a = logger("a");
    auto b = logger("b");
    a->timer.arm(nanoseconds(10));
    b->timer.arm(nanoseconds(10));
    a->timer.arm(nanoseconds(10));
    run_for(wheel, nanoseconds(10));
    EXPECT_THAT(log, ElementsAre("b10", "a10"));
}

TEST_P(Wheel, CancelsAndArmsAgain)
{
    auto a = logger("a");
    auto b = logger("b");
    a->timer.arm(nanoseconds(10));
    b->timer.arm(nanoseconds(10));
    a->timer.cancel();
    EXPECT_FALSE(a->timer.armed());
    b->timer.cancel();
    b->timer.arm(nanoseconds(15));
    Agent canceller(wheel, [&] { b->timer.cancel(); });
    canceller.timer.arm(nanoseconds(14));
    run_for(wheel, nanoseconds(100));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(wheel.events(), 1u);
}

TEST_P(Wheel, RunsATimerArmedForNowInTheSameInstant)
{
    auto low = logger("low", Priority::Clock);
    auto high = logger("high", Priority::Array);
    u32 rounds = 0;
    Agent again(wheel, [&] {
        note("again");
        if (rounds == 0) {
            high->timer.arm(wheel.now()); // before `low`, which is of lower priority
        }
        if (++rounds < 3) {
            again.timer.arm(wheel.now());
        }
    });
    again.timer.arm(nanoseconds(10));
    low->timer.arm(nanoseconds(10));
    run_for(wheel, nanoseconds(20));
    EXPECT_THAT(log, ElementsAre("again10", "high10", "again10", "again10", "low10"));
}

TEST_P(Wheel, TellsTheTimeInsideAndOutsideCallbacks)
{
    Agent a(wheel, [&] { EXPECT_EQ(wheel.now(), nanoseconds(10)); });
    a.timer.arm(nanoseconds(10));
    EXPECT_EQ(wheel.now(), Picoseconds(0));
    run_for(wheel, nanoseconds(25));
    EXPECT_EQ(wheel.events(), 1u);
    EXPECT_EQ(wheel.now(), nanoseconds(25));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(25, sc_core::SC_NS));
}

TEST_P(Wheel, ForgetsATimerDestroyedWhileArmed)
{
    auto a = logger("a");
    auto b = logger("b");
    auto c = logger("c");
    a->timer.arm(nanoseconds(10));
    b->timer.arm(nanoseconds(20));
    c->timer.arm(nanoseconds(30));
    a.reset(); // before the run
    run_for(wheel, nanoseconds(15));
    b.reset(); // between two runs
    auto d = logger("d"); // takes over a place of theirs
    auto e = logger("e");
    e->timer.arm(nanoseconds(25));
    run_for(wheel, nanoseconds(35));
    EXPECT_THAT(log, ElementsAre("e25", "c30"));
    EXPECT_FALSE(d->timer.armed());
}

TEST_P(Wheel, MayDestroyTimersInsideACallback)
{
    auto victim = logger("victim");
    auto other = logger("other");
    std::unique_ptr<Agent> self;
    std::unique_ptr<Agent> late;
    self = std::make_unique<Agent>(wheel, [&] {
        note("self");
        victim.reset(); // armed for the same instant
        late = logger("late");
        late->timer.arm(nanoseconds(12));
        std::unique_ptr<Agent> gone = std::move(self); // and itself, armed again
        gone->timer.arm(nanoseconds(11));
    }, Priority::Array);
    self->timer.arm(nanoseconds(10));
    victim->timer.arm(nanoseconds(10));
    other->timer.arm(nanoseconds(10));
    run_for(wheel, nanoseconds(20));
    EXPECT_THAT(log, ElementsAre("self10", "other10", "late12"));
}

TEST_P(Wheel, StopsAtTheLimitAndGoesOnThere)
{
    Agent chain(wheel, [&] {
        note("c");
        chain.timer.arm(wheel.now() + microseconds(30));
    });
    chain.timer.arm(microseconds(10));
    std::vector<u64> counts;
    for (u32 step = 1; step <= 5; ++step) {
        run_for(wheel, microseconds(100));
        counts.push_back(wheel.events());
        EXPECT_EQ(wheel.now(), step * microseconds(100));
        EXPECT_LE(wheel.last(), wheel.now());
        EXPECT_GT(chain.timer.at(), wheel.now());
    }
    // 10, 40, 70, 100 | 130, 160, 190 | 220, 250, 280 | 310, 340, 370, 400 | 430, 460, 490
    EXPECT_THAT(counts, ElementsAre(4, 7, 10, 14, 17));
}

TEST_P(Wheel, StopEndsTheRunAfterTheCallback)
{
    auto later = logger("later");
    Agent stopper(wheel, [&] {
        wheel.stop();
        note("stop");
    });
    stopper.timer.arm(nanoseconds(10));
    later->timer.arm(nanoseconds(10));
    run_for(wheel, nanoseconds(100));
    EXPECT_THAT(log, ElementsAre("stop10"));
    EXPECT_EQ(wheel.last(), nanoseconds(10));
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
    EXPECT_EQ(wheel.failure(), nullptr);
}

TEST_P(Wheel, KeepsTheExceptionOfACallbackAndStops)
{
    auto later = logger("later");
    Agent thrower(wheel, [&] {
        later->timer.arm(nanoseconds(11));
        throw ModelError("broken");
    });
    thrower.timer.arm(nanoseconds(10));
    run_for(wheel, nanoseconds(100));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(wheel.last(), nanoseconds(10));
    ASSERT_NE(wheel.failure(), nullptr);
    EXPECT_THROW(std::rethrow_exception(wheel.failure()), ModelError);
}

INSTANTIATE_TEST_SUITE_P(Both, Wheel, testing::Values(Backend::Wheel, Backend::Kernel),
                         [](const auto& test) {
                             return test.param == Backend::Wheel ? "wheel" : "kernel";
                         });

} // namespace
} // namespace tlmssd::tb
