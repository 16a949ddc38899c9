// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SIGINT, SIGTERM and SIGHUP as a request to end early.
#pragma once

#include <csignal>
#include <exception>
#include <string>

namespace tlmssd {

/// The user has asked the process to end, and the place that threw this has nothing worth keeping.
class Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "interrupted"; }
};

/// The effect of a signal on a system call in which the process sleeps.
enum class SleepingCall { GoesOn, Fails };
/// AtOnce: event queues stop between two callbacks, and where the process has not ended by itself within
/// kStopSeconds of its own time (or kStopWallSeconds) after the signal, it is ended as it is.
/// InOrder: somebody looks at interrupt_requested() and ends the run.
enum class StopHow { AtOnce, InOrder };
inline constexpr double kStopSeconds = 0.9;
inline constexpr int kStopWallSeconds = 5;

/// From now on the first signal requests an interruption, the second one ends the process at once. SIGHUP stays
/// ignored where it is (nohup).
void catch_interrupts(SleepingCall sleeping = SleepingCall::GoesOn, StopHow how = StopHow::AtOnce);

/// Ask what runs to stop and to keep what it has. Async-signal-safe.
void request_interrupt();

namespace detail {
extern volatile std::sig_atomic_t interrupt_flag;
extern volatile std::sig_atomic_t stop_flag;
}
/// For event queues: StopHow::AtOnce, and requested.
inline bool stop_requested() { return detail::stop_flag != 0; }
inline bool interrupt_requested() { return detail::interrupt_flag != 0; }

/// To be called in loops outside simulated time that may take longer than a moment. Throws Interrupted.
inline void stop_point()
{
    if (interrupt_requested()) {
        throw Interrupted();
    }
}

/// A file that is being written: it is removed where a signal ends the process at once. One that has been
/// renamed since does not matter.
void remove_when_killed(const std::string& path);

} // namespace tlmssd
