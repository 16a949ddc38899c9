// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the stages of a request (docs/explanation/stages.md) and a clock that gives each instant to one of them.
#pragma once

#include <array>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

enum class Stage : u8 {
    Link,     ///< between host and device
    Hil,      ///< module of the firmware, waiting for its core included
    Buffer,   ///< the same, and waiting for a page buffer
    Ftl,      ///< the same, and waiting for a free block
    Sched,    ///< the same, and waiting in the scheduler's queue
    WaitDie,  ///< from the doorbell until the operation has its die
    WaitBus,  ///< the operation waits for its channel
    Cell,     ///< the array works, as far as the controller can see
    Transfer, ///< a segment of the operation is on the bus
    Dram      ///< DMA, ECC of a read, copies
};
inline constexpr std::size_t kStages = 10;

/// "link", "hil", "buffer", "ftl", "sched", "wait_die", "wait_bus", "cell", "transfer", "dram"
const char* to_string(Stage stage);

/// Picoseconds by stage.
using StageTimes = std::array<u64, kStages>;

/// Sums up to the last change, and the stage that runs since then. The sums are modulo 2^64, so
/// that the difference of two clocks can be kept in one of them.
struct StageClock {
    StageTimes times{};
    Picoseconds since;
    Stage stage = Stage::Link;

    /// The stage that runs ends at `t`, `next` begins. `t` is not before the last change.
    void go(Picoseconds t, Stage next)
    {
        times[static_cast<std::size_t>(stage)] += t.value() - since.value();
        since = t;
        stage = next;
    }
    /// Between join() and leave() the time counts as `other`'s stages, which has been going since
    /// `t` or before. This clock stands.
    void join(const StageClock& other, Picoseconds t)
    {
        go(t, stage);
        const StageTimes sums = other.times; // a copy: the loop can go in pairs
        for (std::size_t s = 0; s < kStages; ++s) {
            times[s] -= sums[s];
        }
        times[static_cast<std::size_t>(other.stage)] -= t.value() - other.since.value();
    }
    void leave(const StageClock& other, Picoseconds t, Stage next)
    {
        const StageTimes sums = other.times;
        for (std::size_t s = 0; s < kStages; ++s) {
            times[s] += sums[s];
        }
        times[static_cast<std::size_t>(other.stage)] += t.value() - other.since.value();
        since = t;
        stage = next;
    }
};

/// Sum of all stages.
inline Picoseconds total(const StageTimes& times)
{
    u64 sum = 0;
    for (const u64 t : times) {
        sum += t;
    }
    return Picoseconds(sum);
}

/// Exact sums over requests.
class StageSums {
public:
    void add(const StageTimes& times)
    {
        u64 all = 0;
        for (std::size_t s = 0; s < kStages; ++s) {
            recent_[s] += times[s];
            all |= times[s];
        }
        ++count_;
        if (count_ % kRecent == 0 || (all >> kShort) != 0) {
            spill();
        }
    }
    void merge(const StageSums& other)
    {
        for (std::size_t s = 0; s < kStages; ++s) {
            ps_[s] += other.sum(s);
        }
        count_ += other.count_;
    }
    u64 count() const { return count_; }
    unsigned __int128 sum(std::size_t stage) const { return ps_[stage] + recent_[stage]; }

private:
    static constexpr u64 kRecent = 1024; ///< requests between carries
    static constexpr u32 kShort = 52;    ///< bits of a short time: kRecent of them do not overflow

    void spill()
    {
        for (std::size_t s = 0; s < kStages; ++s) {
            ps_[s] += recent_[s];
        }
        recent_ = {};
    }

    std::array<unsigned __int128, kStages> ps_{};
    StageTimes recent_{};
    u64 count_ = 0;
};

} // namespace tlmssd::observe
