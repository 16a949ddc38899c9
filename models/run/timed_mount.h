// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a mount in simulated time: the order to the firmware, and when it has ended.
#pragma once

#include <functional>

#include "models/cpu/cpu.h"
#include "models/ssd/include/tlmssd/ssd.h"
#include "models/time/event_wheel.h"

namespace tlmssd::run {

/// Mounts once. The firmware says that it has finished by fw_stats.mounts; the device is ready when the
/// step ends in which it does so.
class TimedMount final : public cpu::StepObserverIf {
public:
    /// Before the simulation starts; observes the steps of `ssd`. `done` is called when it is ready.
    TimedMount(time::EventWheel& wheel, Ssd& ssd, std::function<void()> done)
        : wheel_(wheel), ssd_(ssd), done_(std::move(done)),
          timer_(wheel, time::Priority::Host, time::Timer::call<&TimedMount::on_time, TimedMount>, this)
    {
        ssd_.observe_steps(*this);
    }

    /// The supply comes now.
    void start()
    {
        began_ = wheel_.now();
        timer_.arm(began_);
    }
    bool ended() const { return state_ == State::Ended; }
    Picoseconds took() const { return ended_at_ - began_; }
    u64 reads() const { return reads_; } ///< pages
    /// Blocks known from their journal page; of them read again because of a doubt; 1: all were, then.
    u64 journals() const { return journals_; }
    u64 doubts() const { return doubts_; }
    u64 scans() const { return scans_; }

    void on_step(u32, Picoseconds, Picoseconds end, const fw& firmware) override
    {
        if (state_ == State::Mounting && firmware.stats.mounts != 0) {
            state_ = State::Ended;
            ended_at_ = end;
            reads_ = firmware.stats.mount_reads;
            journals_ = firmware.stats.mount_journals;
            doubts_ = firmware.stats.mount_doubts;
            scans_ = firmware.stats.mount_scans;
            timer_.arm(end);
        }
    }
    void on_probe(u32, u32, Picoseconds, Picoseconds) override {}
    u32 probes() const override { return 0; }

private:
    enum class State : u8 { Off, Mounting, Ended };
    void on_time()
    {
        if (state_ == State::Off) {
            state_ = State::Mounting;
            ssd_.begin_mount();
        } else {
            done_();
        }
    }

    time::EventWheel& wheel_;
    Ssd& ssd_;
    std::function<void()> done_;
    time::Timer timer_;
    State state_ = State::Off;
    Picoseconds began_, ended_at_;
    u64 reads_ = 0, journals_ = 0, doubts_ = 0, scans_ = 0;
};

} // namespace tlmssd::run
