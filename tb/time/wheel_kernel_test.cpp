// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the wheel among foreign SystemC processes: it never runs past what they will do.
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

class AmongProcesses : public testing::TestWithParam<Backend> {
protected:
    AmongProcesses() : wheel("wheel", GetParam()) {}
    EventWheel wheel;
};

TEST_P(AmongProcesses, IsNeverAheadOfTheKernelAtATick)
{
    Ticker ticker("ticker", [&] {
        const Picoseconds kernel(sc_core::sc_time_stamp().value());
        EXPECT_LE(wheel.last(), kernel);
        EXPECT_EQ(wheel.now(), kernel);
    });
    std::vector<std::unique_ptr<Agent>> agents;
    u64 draws = 0;
    for (u32 i = 0; i < 20; ++i) {
        agents.push_back(std::make_unique<Agent>(wheel, [&, i] {
            // All ticks before this instant have happened, and none after it. Times are odd, so
            // that none falls together with a tick.
            EXPECT_EQ(ticker.ticks, wheel.now().value() / 20000);
            const u64 next = draw_below(draw64(1, 1, draws++), 100000) * 2;
            agents[i]->timer.arm(wheel.now() + Picoseconds(next));
        }));
        agents[i]->timer.arm(Picoseconds(2 * i + 1));
    }
    run_for(wheel, microseconds(50));
    EXPECT_EQ(ticker.ticks, 2500u);
    EXPECT_GT(wheel.events(), 8000u); // 20 timers, 100 ns on average
}

TEST_P(AmongProcesses, TakesWhatAProcessArms)
{
    std::vector<u64> fired; // ns
    Agent a(wheel, [&] { fired.push_back(wheel.now().value() / 1000); });
    Agent far(wheel, [&] { fired.push_back(wheel.now().value() / 1000); });
    Ticker ticker("ticker", [&] {
        if (ticker.ticks <= 3) {
            a.timer.arm(wheel.now() + nanoseconds(7));
        }
    });
    far.timer.arm(nanoseconds(50)); // known all the time: no reason to run past a tick
    run_for(wheel, nanoseconds(200));
    EXPECT_THAT(fired, ElementsAre(27, 47, 50, 67));
}

/// Two things of one instant: whoever runs first, the process may still arm something earlier than
/// the wheel's next event.
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
    const auto note = [&] { fired.push_back(wheel.now().value() / 1000); };
    Agent at_10(wheel, note);
    Agent at_15(wheel, note);
    Agent at_20(wheel, note);
    Agent at_22(wheel, note);
    OnceAt second("second", 0, [&] { at_22.timer.arm(nanoseconds(22)); });
    OnceAt first("first", 0, [&] {
        at_15.timer.arm(nanoseconds(15));
        second.event.notify(sc_core::sc_time(8, sc_core::SC_NS));
    });
    // `first` runs at 10 ns, a delta cycle after the wheel; nothing else is planned by then.
    OnceAt trigger("trigger", 10, [&] { first.event.notify(sc_core::SC_ZERO_TIME); });
    at_10.timer.arm(nanoseconds(10));
    at_20.timer.arm(nanoseconds(20));
    Agent at_30(wheel, note);
    at_30.timer.arm(nanoseconds(30));
    run_for(wheel, nanoseconds(100));
    EXPECT_THAT(fired, ElementsAre(10, 15, 20, 22, 30));
}

TEST_P(AmongProcesses, WaitsForAProcessThatACallbackHasNotified)
{
    std::vector<u64> fired;
    const auto note = [&] { fired.push_back(wheel.now().value() / 1000); };
    Agent at_45(wheel, note);
    Agent at_60(wheel, note);
    OnceAt answer("answer", 0, [&] {
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(40, sc_core::SC_NS));
        EXPECT_EQ(wheel.last(), nanoseconds(40)) << "no further";
        note();
        at_45.timer.arm(nanoseconds(45));
    });
    Agent at_40(wheel, [&] {
        note();
        wheel.notify(answer.event);
    });
    at_40.timer.arm(nanoseconds(40));
    at_60.timer.arm(nanoseconds(60));
    run_for(wheel, nanoseconds(100));
    EXPECT_THAT(fired, ElementsAre(40, 40, 45, 60));
}

INSTANTIATE_TEST_SUITE_P(Both, AmongProcesses, testing::Values(Backend::Wheel, Backend::Kernel),
                         [](const auto& test) {
                             return test.param == Backend::Wheel ? "wheel" : "kernel";
                         });

TEST(RunAhead, WakesTheKernelOnceAQuantum)
{
    EventWheel wheel("wheel", Backend::Wheel, microseconds(10));
    Agent chain(wheel, [&] { chain.timer.arm(wheel.now() + nanoseconds(100)); });
    chain.timer.arm(nanoseconds(100));
    run_for(wheel, microseconds(1000));
    EXPECT_EQ(wheel.events(), 10000u);
    // 1000 us in quanta of at least 10 us, and one more for the end of the run.
    EXPECT_LE(wheel.kernel_wakes(), 102u);
}

TEST(RunAhead, GoesAtTheKernelsPaceWithAForeignClock)
{
    EventWheel wheel("wheel", Backend::Wheel);
    Ticker ticker("ticker", [] {});
    Agent chain(wheel, [&] { chain.timer.arm(wheel.now() + nanoseconds(5)); });
    chain.timer.arm(nanoseconds(3));
    run_for(wheel, microseconds(1));
    EXPECT_EQ(wheel.events(), 200u); // 3, 8, ..., 998
    EXPECT_GE(wheel.kernel_wakes(), 50u) << "at least one between two ticks";
}

TEST(Timers, Are65536AtMost)
{
    EventWheel wheel("wheel");
    std::vector<std::unique_ptr<Agent>> agents;
    for (u32 i = 0; i < 65536; ++i) {
        agents.push_back(std::make_unique<Agent>(wheel, [] {}));
    }
    EXPECT_THROW(Agent(wheel, [] {}), ModelError);
    agents.pop_back();
    EXPECT_NO_THROW(Agent(wheel, [] {}));
}

} // namespace
} // namespace tlmssd::tb
