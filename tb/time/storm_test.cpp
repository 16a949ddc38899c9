// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one random history of 1000 timers on every back-end, quantum and step: equal traces.
#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "tb/support/child.h"
#include "tb/time/agent.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kTimers = 1000;
constexpr u64 kEvents = 200000;

struct Variant {
    const char* name;
    Backend backend;
    Picoseconds quantum;
    Picoseconds step; ///< of sc_start
    bool clock;       ///< a foreign process every 20 ns (+ 1 ps: never together with a timer)
    bool to_the_end = false;
};

struct Outcome {
    u64 trace = 0; ///< hash over (time, timer) of all callbacks, in order
    u64 events = 0;
    u64 last_ps = 0;
    friend bool operator==(const Outcome& a, const Outcome& b)
    {
        return a.trace == b.trace && a.events == b.events && a.last_ps == b.last_ps;
    }
};

/// Times are multiples of 10 ns, so that many fall together.
class Storm {
public:
    explicit Storm(const Variant& v) : event_queue_("event_queue", v.backend, v.quantum), timers_(kTimers)
    {
        for (u32 i = 0; i < kTimers; ++i) {
            make(i);
            timers_[i]->timer.arm(Picoseconds(draw(1000) * 10000));
        }
    }
    EventQueue& event_queue() { return event_queue_; }
    Outcome outcome() const { return {trace_, event_queue_.events(), event_queue_.last().value()}; }

private:
    u64 draw(u64 below) { return draw_below(draw64(11, 3, draws_++), below); }
    void make(u32 i)
    {
        timers_[i] = std::make_unique<Agent>(event_queue_, [this, i] { fire(i); },
                                             static_cast<Priority>(draw(8)));
    }
    Picoseconds some_time() { return event_queue_.now() + Picoseconds(draw(8) * draw(200) * 10000); }
    void fire(u32 i)
    {
        trace_ = mix64(trace_ ^ event_queue_.now().value()) + i;
        if (event_queue_.events() >= kEvents) {
            event_queue_.stop();
            return;
        }
        timers_[i]->timer.arm(some_time()); // one in eight: now
        const u32 other = static_cast<u32>(draw(kTimers));
        switch (draw(16)) {
        case 0:
        case 1:
        case 2:
            timers_[other]->timer.arm(some_time());
            break;
        case 3:
            timers_[other]->timer.cancel();
            timers_[i]->timer.arm(some_time());
            break;
        case 4:
            if (other != i && draw(8) == 0) { // destroyed while armed, and made again
                timers_[other].reset();
                make(other);
                timers_[other]->timer.arm(some_time());
            }
            break;
        default:
            break;
        }
        if (!timers_[other]->timer.armed()) {
            timers_[other]->timer.arm(some_time());
        }
    }

    EventQueue event_queue_;
    std::vector<std::unique_ptr<Agent>> timers_;
    u64 draws_ = 0;
    u64 trace_ = 0;
};

struct Clock : sc_core::sc_module {
    explicit Clock(sc_core::sc_module_name name) : sc_module(name)
    {
        SC_HAS_PROCESS(Clock);
        SC_METHOD(tick);
    }
    void tick() { next_trigger(sc_core::sc_time(ticks_++ == 0 ? 20001 : 20000, sc_core::SC_PS)); }
    u64 ticks_ = 0;
};

Outcome simulate(const Variant& v)
{
    const auto outcome = in_child([&] {
        Storm storm(v);
        if (v.to_the_end) {
            storm.event_queue().run_to_the_end();
        }
        std::unique_ptr<Clock> clock;
        if (v.clock) {
            clock = std::make_unique<Clock>("clock");
        }
        while (sc_core::sc_get_status() != sc_core::SC_STOPPED) {
            run_for(storm.event_queue(), v.step);
        }
        return storm.outcome();
    });
    EXPECT_TRUE(outcome.has_value()) << v.name;
    return outcome.value_or(Outcome{});
}

TEST(TimerStorm, IsTheSameOnEveryBackend)
{
    const Picoseconds all = milliseconds(1000);
    const Variant variants[] = {
        {"event_queue", Backend::Queue, milliseconds(1), all, false},
        {"event queue, quantum 100 ns", Backend::Queue, nanoseconds(100), all, false},
        {"event queue, no run-ahead", Backend::Queue, Picoseconds(0), all, false},
        {"event queue, stepped", Backend::Queue, milliseconds(1), microseconds(100), false},
        {"event queue, to the end", Backend::Queue, nanoseconds(100), all, false, true},
        {"event queue, to the end, stepped", Backend::Queue, nanoseconds(100), microseconds(100), false, true},
        {"event queue, to the end, foreign clock", Backend::Queue, nanoseconds(5), all, true, true},
        {"event queue, foreign clock", Backend::Queue, milliseconds(1), all, true},
        {"kernel", Backend::Kernel, milliseconds(1), all, false},
        {"kernel, stepped", Backend::Kernel, milliseconds(1), microseconds(100), false},
        {"kernel, foreign clock", Backend::Kernel, milliseconds(1), all, true},
    };
    const Outcome first = simulate(variants[0]);
    EXPECT_EQ(first.events, kEvents);
    for (const Variant& v : variants) {
        const Outcome o = simulate(v);
        EXPECT_TRUE(o == first) << v.name << ": " << o.events << " events, last at " << o.last_ps
                                << " ps instead of " << first.last_ps;
    }
}

} // namespace
} // namespace tlmssd::tb
