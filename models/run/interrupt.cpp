// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the handler of SIGINT and SIGTERM.
#include "models/run/interrupt.h"

#include <csignal>

namespace tlmssd::run {

namespace {

volatile std::sig_atomic_t g_interrupt = 0; // set by the signal handler, read between requests

void on_interrupt(int)
{
    request_interrupt();
    std::signal(SIGINT, SIG_DFL); // a second one ends the process at once
    std::signal(SIGTERM, SIG_DFL);
}

} // namespace

void catch_interrupts(SleepingCall sleeping)
{
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = sleeping == SleepingCall::GoesOn ? SA_RESTART : 0;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

void request_interrupt() { g_interrupt = 1; }
bool interrupt_requested() { return g_interrupt != 0; }

} // namespace tlmssd::run
