// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a mount in simulated time: the order to the firmware, and when it has ended.
#pragma once

#include <functional>

#include "models/cpu/cpu.h"
#include "models/ssd/firmware_statistics.h"
#include "models/ssd/include/tlmssd/ssd.h"
#include "models/time/event_queue.h"

namespace tlmssd::run {

/// Mounts once. The firmware says that it has finished by fw_stats.mounts; the device is ready when the
/// step ends in which it does so.
class TimedMount final : public cpu::StepObserverIf {
public:
    /// Before the simulation starts; observes the steps of `ssd`. `done` is called when it is ready.
    TimedMount(time::EventQueue& event_queue, Ssd& ssd, std::function<void()> done)
        : event_queue_(event_queue), ssd_(ssd), done_(std::move(done)),
          timer_(event_queue, time::Priority::Host, time::Timer::call<&TimedMount::on_time, TimedMount>, this)
    {
        ssd_.observe_steps(*this);
    }

    /// The supply comes now.
    void start()
    {
        began_ = event_queue_.now();
        timer_.arm(began_);
    }
    bool ended() const { return state_ == State::Ended; }
    ssd::MountReading reading() const
    {
        ssd::MountReading reading = counted_;
        reading.took = ended_at_ - began_;
        return reading;
    }

    void on_step(u32, Picoseconds, Picoseconds end, const fw& firmware) override
    {
        if (state_ == State::Mounting && firmware.stats.mounts != 0) {
            state_ = State::Ended;
            ended_at_ = end;
            const fw_stats& s = firmware.stats;
            counted_ = {Picoseconds(), s.mount_reads, s.mount_journals, s.mount_doubts, s.mount_scans};
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

    time::EventQueue& event_queue_;
    Ssd& ssd_;
    std::function<void()> done_;
    time::Timer timer_;
    State state_ = State::Off;
    Picoseconds began_, ended_at_;
    ssd::MountReading counted_; ///< without `took`
};

} // namespace tlmssd::run
