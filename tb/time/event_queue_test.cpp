// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: timers on both back-ends: order, moving, cancelling, destruction, end of a run.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

class Events : public testing::TestWithParam<Backend> {
protected:
    Events() : event_queue("event_queue", GetParam()) {}

    /// A timer that writes its name and the time in ns into `log`.
    std::unique_ptr<Agent> logger(const std::string& name, Priority priority = Priority::Bus)
    {
        return std::make_unique<Agent>(event_queue, [this, name] { note(name); }, priority);
    }
    void note(const std::string& name)
    {
        log.push_back(name + std::to_string(event_queue.now().value() / 1000));
    }
    EventQueue event_queue;
    std::vector<std::string> log;
};

TEST_P(Events, OrdersByTimeThenPriorityThenOrderOfArming)
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
    run_for(event_queue, nanoseconds(20));
    EXPECT_THAT(log, ElementsAre("output5", "again10", "array10", "host10", "clock10"));
    EXPECT_EQ(event_queue.events(), 5u);
}

TEST(EventsDeathTest, ATimerMayNotOutliveItsQueue)
{
    const auto outlive = [] {
        auto queue = std::make_unique<EventQueue>("short_lived");
        const Agent agent(*queue, [] {});
        queue.reset();
    };
    EXPECT_DEATH(outlive(), "a Timer outlives its EventQueue");
}

TEST_P(Events, MovesATimerEarlierAndLater)
{
    auto a = logger("a");
    auto b = logger("b");
    a->timer.arm(nanoseconds(30));
    b->timer.arm(nanoseconds(10));
    a->timer.arm(nanoseconds(5));
    b->timer.arm(nanoseconds(20));
    EXPECT_EQ(a->timer.at(), nanoseconds(5));
    run_for(event_queue, nanoseconds(50));
    EXPECT_THAT(log, ElementsAre("a5", "b20"));
    EXPECT_FALSE(a->timer.armed());
    a->timer.arm(nanoseconds(60)); // between two runs
    b->timer.arm(nanoseconds(70));
    b->timer.arm(nanoseconds(55));
    run_for(event_queue, nanoseconds(50));
    EXPECT_THAT(log, ElementsAre("a5", "b20", "b55", "a60"));
}

TEST_P(Events, ArmingAgainForTheSameTimeGoesToTheEnd)
{
    auto a = logger("a");
    auto b = logger("b");
    a->timer.arm(nanoseconds(10));
    b->timer.arm(nanoseconds(10));
    a->timer.arm(nanoseconds(10));
    run_for(event_queue, nanoseconds(10));
    EXPECT_THAT(log, ElementsAre("b10", "a10"));
}

TEST_P(Events, CancelsAndArmsAgain)
{
    auto a = logger("a");
    auto b = logger("b");
    a->timer.arm(nanoseconds(10));
    b->timer.arm(nanoseconds(10));
    a->timer.cancel();
    EXPECT_FALSE(a->timer.armed());
    b->timer.cancel();
    b->timer.arm(nanoseconds(15));
    Agent canceller(event_queue, [&] { b->timer.cancel(); });
    canceller.timer.arm(nanoseconds(14));
    run_for(event_queue, nanoseconds(100));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(event_queue.events(), 1u);
}

TEST_P(Events, RunsATimerArmedForNowInTheSameInstant)
{
    auto low = logger("low", Priority::Clock);
    auto high = logger("high", Priority::Array);
    u32 rounds = 0;
    Agent again(event_queue, [&] {
        note("again");
        if (rounds == 0) {
            high->timer.arm(event_queue.now()); // before `low`, which is of lower priority
        }
        if (++rounds < 3) {
            again.timer.arm(event_queue.now());
        }
    });
    again.timer.arm(nanoseconds(10));
    low->timer.arm(nanoseconds(10));
    run_for(event_queue, nanoseconds(20));
    EXPECT_THAT(log, ElementsAre("again10", "high10", "again10", "again10", "low10"));
}

TEST_P(Events, TellsTheTimeInsideAndOutsideCallbacks)
{
    Agent a(event_queue, [&] { EXPECT_EQ(event_queue.now(), nanoseconds(10)); });
    a.timer.arm(nanoseconds(10));
    EXPECT_EQ(event_queue.now(), Picoseconds(0));
    run_for(event_queue, nanoseconds(25));
    EXPECT_EQ(event_queue.events(), 1u);
    EXPECT_EQ(event_queue.now(), nanoseconds(25));
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(25, sc_core::SC_NS));
}

TEST_P(Events, ForgetsATimerDestroyedWhileArmed)
{
    auto a = logger("a");
    auto b = logger("b");
    auto c = logger("c");
    a->timer.arm(nanoseconds(10));
    b->timer.arm(nanoseconds(20));
    c->timer.arm(nanoseconds(30));
    a.reset(); // before the run
    run_for(event_queue, nanoseconds(15));
    b.reset(); // between two runs
    auto d = logger("d"); // takes over a place of theirs
    auto e = logger("e");
    e->timer.arm(nanoseconds(25));
    run_for(event_queue, nanoseconds(35));
    EXPECT_THAT(log, ElementsAre("e25", "c30"));
    EXPECT_FALSE(d->timer.armed());
}

TEST_P(Events, MayDestroyTimersInsideACallback)
{
    auto victim = logger("victim");
    auto other = logger("other");
    std::unique_ptr<Agent> self;
    std::unique_ptr<Agent> late;
    self = std::make_unique<Agent>(event_queue, [&] {
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
    run_for(event_queue, nanoseconds(20));
    EXPECT_THAT(log, ElementsAre("self10", "other10", "late12"));
}

TEST_P(Events, StopsAtTheLimitAndGoesOnThere)
{
    Agent chain(event_queue, [&] {
        note("c");
        chain.timer.arm(event_queue.now() + microseconds(30));
    });
    chain.timer.arm(microseconds(10));
    std::vector<u64> counts;
    for (u32 step = 1; step <= 5; ++step) {
        run_for(event_queue, microseconds(100));
        counts.push_back(event_queue.events());
        EXPECT_EQ(event_queue.now(), step * microseconds(100));
        EXPECT_LE(event_queue.last(), event_queue.now());
        EXPECT_GT(chain.timer.at(), event_queue.now());
    }
    // 10, 40, 70, 100 | 130, 160, 190 | 220, 250, 280 | 310, 340, 370, 400 | 430, 460, 490
    EXPECT_THAT(counts, ElementsAre(4, 7, 10, 14, 17));
}

TEST_P(Events, StopEndsTheRunAfterTheCallback)
{
    auto later = logger("later");
    Agent stopper(event_queue, [&] {
        event_queue.stop();
        note("stop");
    });
    stopper.timer.arm(nanoseconds(10));
    later->timer.arm(nanoseconds(10));
    run_for(event_queue, nanoseconds(100));
    EXPECT_THAT(log, ElementsAre("stop10"));
    EXPECT_EQ(event_queue.last(), nanoseconds(10));
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
    EXPECT_EQ(event_queue.failure(), nullptr);
}

TEST_P(Events, KeepsTheExceptionOfACallbackAndStops)
{
    auto later = logger("later");
    Agent thrower(event_queue, [&] {
        later->timer.arm(nanoseconds(11));
        throw ModelError("broken");
    });
    thrower.timer.arm(nanoseconds(10));
    run_for(event_queue, nanoseconds(100));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(event_queue.last(), nanoseconds(10));
    ASSERT_NE(event_queue.failure(), nullptr);
    EXPECT_THROW(std::rethrow_exception(event_queue.failure()), ModelError);
}

INSTANTIATE_TEST_SUITE_P(Both, Events, testing::Values(Backend::Queue, Backend::Kernel),
                         [](const auto& test) {
                             return test.param == Backend::Queue ? "event_queue" : "kernel";
                         });

} // namespace
} // namespace tlmssd::tb
