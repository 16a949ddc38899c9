// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a timer with a function, and how tests let simulated time pass.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/time/event_queue.h"

namespace tlmssd::tb {

using time::Backend;
using time::EventQueue;
using time::Priority;
using time::Timer;

/// One timer and what it does.
struct Agent {
    Agent(EventQueue& w, std::function<void()> f, Priority priority = Priority::Bus)
        : action(std::move(f)), timer(w, priority, Agent::call, this)
    {
    }
    static void call(void* self)
    {
        static_cast<Agent*>(self)->action();
    }
    std::function<void()> action;
    Timer timer;
};

/// Simulate `t` from now on, the last instant included.
inline void run_for(EventQueue& event_queue, Picoseconds t)
{
    event_queue.set_limit(event_queue.now() + t);
    sc_core::sc_start(sc_core::sc_time::from_value(t.value()));
    while (sc_core::sc_pending_activity_at_current_time() && sc_core::sc_is_running()) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

} // namespace tlmssd::tb
