// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SIGINT and SIGTERM as a request to end a run early.
#pragma once

namespace tlmssd::run {

/// The effect of a signal on a system call in which the process sleeps.
enum class SleepingCall { GoesOn, Fails };

/// From now on the first SIGINT or SIGTERM requests an interruption. The second one ends the process.
void catch_interrupts(SleepingCall sleeping = SleepingCall::GoesOn);

/// Ask what runs to stop and to keep what it has. Async-signal-safe.
void request_interrupt();
bool interrupt_requested();

} // namespace tlmssd::run
