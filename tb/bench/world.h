// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the modules that benchmarks need, built before the kernel elaborates.
#pragma once

#include <memory>
#include <vector>

#include "models/common/hash.h"
#include "models/dram/dram.h"
#include "models/time/event_queue.h"

namespace tlmssd::bench {

/// Timers that arm themselves again and again; all quiet until start().
class TimerSet {
public:
    TimerSet(const char* name, u32 timers);
    void start();
    /// Let `t` pass; returns the callbacks run.
    u64 run(Picoseconds t);
    void stop();

private:
    struct Entry {
        Entry(TimerSet& s);
        void fire();
        TimerSet& set;
        time::Timer timer;
    };
    Picoseconds next();
    time::EventQueue event_queue_;
    std::vector<std::unique_ptr<Entry>> entries_;
    u64 draws_ = 0;
};

struct World {
    World();
    Geometry geometry;
    time::EventQueue event_queue; ///< of the DRAM; never armed
    dram::Dram dram;
    TimerSet timers_16, timers_128, timers_1024;
};

World& world();

} // namespace tlmssd::bench
