// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the event queue among foreign SystemC processes: it never runs past what they will do.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

/// Calls a function every 20 ns, from 20 ns on.
struct Ticker : sc_core::sc_module {
    Ticker(sc_core::sc_module_name name, std::function<void()> f)
        : sc_module(name), action(std::move(f))
    {
        SC_HAS_PROCESS(Ticker);
        SC_METHOD(tick);
        sensitive << event;
        dont_initialize();
        event.notify(sc_core::sc_time(20, sc_core::SC_NS));
    }
    void tick()
    {
        ++ticks;
        action();
        event.notify(sc_core::sc_time(20, sc_core::SC_NS));
    }
    std::function<void()> action;
    sc_core::sc_event event;
    u64 ticks = 0;
};

struct Way {
    const char* name;
    Backend backend;
    Picoseconds quantum;
    bool to_the_end;
};

class AmongProcesses : public testing::TestWithParam<Way> {
protected:
    AmongProcesses() : event_queue("event_queue", GetParam().backend, GetParam().quantum)
    {
        if (GetParam().to_the_end) {
            event_queue.run_to_the_end();
        }
    }
    EventQueue event_queue;
};

TEST_P(AmongProcesses, IsNeverAheadOfTheKernelAtATick)
{
    Ticker ticker("ticker", [&] {
        const Picoseconds kernel(sc_core::sc_time_stamp().value());
        EXPECT_LE(event_queue.last(), kernel);
        EXPECT_EQ(event_queue.now(), kernel);
    });
    std::vector<std::unique_ptr<Agent>> agents;
    u64 draws = 0;
    for (u32 i = 0; i < 20; ++i) {
        agents.push_back(std::make_unique<Agent>(event_queue, [&, i] {
            // All ticks before this instant have happened, and none after it. Times are odd, so
            // that none falls together with a tick.
            EXPECT_EQ(ticker.ticks, event_queue.now().value() / 20000);
            const u64 next = draw_below(draw64(1, 1, draws++), 100000) * 2;
            agents[i]->timer.arm(event_queue.now() + Picoseconds(next));
        }));
        agents[i]->timer.arm(Picoseconds(2 * i + 1));
    }
    run_for(event_queue, microseconds(50));
    EXPECT_EQ(ticker.ticks, 2500u);
    EXPECT_GT(event_queue.events(), 8000u); // 20 timers, 100 ns on average
}

TEST_P(AmongProcesses, TakesWhatAProcessArms)
{
    std::vector<u64> fired; // ns
    Agent a(event_queue, [&] { fired.push_back(event_queue.now().value() / 1000); });
    Agent far(event_queue, [&] { fired.push_back(event_queue.now().value() / 1000); });
    Ticker ticker("ticker", [&] {
        if (ticker.ticks <= 3) {
            a.timer.arm(event_queue.now() + nanoseconds(7));
        }
    });
    far.timer.arm(nanoseconds(50)); // known all the time: no reason to run past a tick
    run_for(event_queue, nanoseconds(200));
    EXPECT_THAT(fired, ElementsAre(27, 47, 50, 67));
}

/// Two things of one instant: whoever runs first, the process may still arm something earlier than
/// the event queue's next event.
struct OnceAt : sc_core::sc_module {
    OnceAt(sc_core::sc_module_name name, u64 ns, std::function<void()> f)
        : sc_module(name), action(std::move(f))
    {
        SC_HAS_PROCESS(OnceAt);
        SC_METHOD(run);
        sensitive << event;
        dont_initialize();
        if (ns != 0) { // else when somebody notifies the event
            event.notify(sc_core::sc_time(static_cast<double>(ns), sc_core::SC_NS));
        }
    }
    void run() { action(); }
    std::function<void()> action;
    sc_core::sc_event event;
};

TEST_P(AmongProcesses, DoesNotRunAheadOfAProcessOfTheSameInstant)
{
    std::vector<u64> fired;
    const auto note = [&] { fired.push_back(event_queue.now().value() / 1000); };
    Agent at_10(event_queue, note);
    Agent at_15(event_queue, note);
    Agent at_20(event_queue, note);
    Agent at_22(event_queue, note);
    OnceAt second("second", 0, [&] { at_22.timer.arm(nanoseconds(22)); });
    OnceAt first("first", 0, [&] {
        at_15.timer.arm(nanoseconds(15));
        second.event.notify(sc_core::sc_time(8, sc_core::SC_NS));
    });
    // `first` runs at 10 ns, a delta cycle after the event queue; nothing else is planned by then.
    OnceAt trigger("trigger", 10, [&] { first.event.notify(sc_core::SC_ZERO_TIME); });
    at_10.timer.arm(nanoseconds(10));
    at_20.timer.arm(nanoseconds(20));
    Agent at_30(event_queue, note);
    at_30.timer.arm(nanoseconds(30));
    run_for(event_queue, nanoseconds(100));
    EXPECT_THAT(fired, ElementsAre(10, 15, 20, 22, 30));
}

TEST_P(AmongProcesses, WaitsForAProcessThatACallbackHasNotified)
{
    std::vector<u64> fired;
    const auto note = [&] { fired.push_back(event_queue.now().value() / 1000); };
    Agent at_45(event_queue, note);
    Agent at_60(event_queue, note);
    OnceAt answer("answer", 0, [&] {
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(40, sc_core::SC_NS));
        EXPECT_EQ(event_queue.last(), nanoseconds(40)) << "no further";
        note();
        at_45.timer.arm(nanoseconds(45));
    });
    Agent at_40(event_queue, [&] {
        note();
        event_queue.notify(answer.event);
    });
    at_40.timer.arm(nanoseconds(40));
    at_60.timer.arm(nanoseconds(60));
    run_for(event_queue, nanoseconds(100));
    EXPECT_THAT(fired, ElementsAre(40, 40, 45, 60));
}

// Quanta of 3 ns: timers and processes are in another one nearly always.
INSTANTIATE_TEST_SUITE_P(Ways, AmongProcesses,
                         testing::Values(Way{"event_queue", Backend::Queue, milliseconds(1), false},
                                         Way{"to_the_end", Backend::Queue, milliseconds(1), true},
                                         Way{"short_quanta_to_the_end", Backend::Queue, nanoseconds(3), true},
                                         Way{"kernel", Backend::Kernel, milliseconds(1), false}),
                         [](const auto& test) { return test.param.name; });

TEST(RunAhead, WakesTheKernelOnceAQuantum)
{
    EventQueue event_queue("event_queue", Backend::Queue, microseconds(10));
    Agent chain(event_queue, [&] { chain.timer.arm(event_queue.now() + nanoseconds(100)); });
    chain.timer.arm(nanoseconds(100));
    run_for(event_queue, microseconds(1000));
    EXPECT_EQ(event_queue.events(), 10000u);
    // 1000 us in quanta of at least 10 us, and one more for the end of the run.
    EXPECT_LE(event_queue.kernel_wakes(), 102u);
}

TEST(RunAhead, ToTheEndWakesTheKernelOnceWhereNoProcessActs)
{
    EventQueue event_queue("event_queue", Backend::Queue, microseconds(10));
    event_queue.run_to_the_end();
    Agent chain(event_queue, [&] { chain.timer.arm(event_queue.now() + microseconds(25)); }); // gaps beyond a quantum
    chain.timer.arm(nanoseconds(100));
    run_for(event_queue, microseconds(1000));
    EXPECT_EQ(event_queue.events(), 40u); // 0.1, 25.1, ..., 975.1
    EXPECT_EQ(event_queue.kernel_wakes(), 1u);
}

TEST(RunAhead, ToTheEndStopsWhereACallbackStopsIt)
{
    EventQueue event_queue("event_queue", Backend::Queue, microseconds(10));
    event_queue.run_to_the_end();
    Agent last(event_queue, [&] { event_queue.stop(); });
    Agent later(event_queue, [] { FAIL() << "the queue had been stopped"; });
    last.timer.arm(microseconds(35));
    later.timer.arm(microseconds(60));
    sc_core::sc_start();
    EXPECT_EQ(event_queue.last(), microseconds(35));
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}

TEST(RunAhead, GoesAtTheKernelsPaceWithAForeignClock)
{
    EventQueue event_queue("event_queue", Backend::Queue);
    Ticker ticker("ticker", [] {});
    Agent chain(event_queue, [&] { chain.timer.arm(event_queue.now() + nanoseconds(5)); });
    chain.timer.arm(nanoseconds(3));
    run_for(event_queue, microseconds(1));
    EXPECT_EQ(event_queue.events(), 200u); // 3, 8, ..., 998
    EXPECT_GE(event_queue.kernel_wakes(), 50u) << "at least one between two ticks";
}

TEST(Timers, Are65536AtMost)
{
    EventQueue event_queue("event_queue");
    std::vector<std::unique_ptr<Agent>> agents;
    for (u32 i = 0; i < 65536; ++i) {
        agents.push_back(std::make_unique<Agent>(event_queue, [] {}));
    }
    EXPECT_THROW(Agent(event_queue, [] {}), ModelError);
    agents.pop_back();
    EXPECT_NO_THROW(Agent(event_queue, [] {}));
}

} // namespace
} // namespace tlmssd::tb
