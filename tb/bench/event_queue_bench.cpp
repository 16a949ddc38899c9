// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one event of the event queue: pop, callback, push, with N timers pending at random times.
#include <benchmark/benchmark.h>

#include "tb/bench/world.h"

namespace tlmssd::bench {

TimerSet::Entry::Entry(TimerSet& s)
    : set(s), timer(s.event_queue_, time::Priority::Bus, time::Timer::call<&Entry::fire, Entry>, this)
{
}

void TimerSet::Entry::fire() { timer.arm(set.next()); }

TimerSet::TimerSet(const char* name, u32 timers) : event_queue_(name)
{
    for (u32 i = 0; i < timers; ++i) {
        entries_.push_back(std::make_unique<Entry>(*this));
    }
}

/// 100 ns from event to event on average.
Picoseconds TimerSet::next()
{
    const u64 delay = draw_below(draw64(1, 1, draws_++), 200000 * entries_.size());
    return event_queue_.now() + Picoseconds(1 + delay);
}

void TimerSet::start()
{
    for (const auto& entry : entries_) {
        entry->timer.arm(next());
    }
}

u64 TimerSet::run(Picoseconds t)
{
    const u64 before = event_queue_.events();
    event_queue_.set_limit(event_queue_.now() + t);
    sc_core::sc_start(sc_core::sc_time::from_value(t.value()));
    return event_queue_.events() - before;
}

void TimerSet::stop()
{
    for (const auto& entry : entries_) {
        entry->timer.cancel();
    }
}

namespace {

void queue_event(benchmark::State& state, TimerSet& set)
{
    set.start();
    u64 events = 0;
    for (auto _ : state) {
        events += set.run(milliseconds(1)); // about 10,000 events
    }
    set.stop();
    state.counters["s/event"] =
        benchmark::Counter(static_cast<double>(events),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void queue_16(benchmark::State& state) { queue_event(state, world().timers_16); }
void queue_128(benchmark::State& state) { queue_event(state, world().timers_128); }
void queue_1024(benchmark::State& state) { queue_event(state, world().timers_1024); }
BENCHMARK(queue_16);
BENCHMARK(queue_128);
BENCHMARK(queue_1024);

} // namespace
} // namespace tlmssd::bench
