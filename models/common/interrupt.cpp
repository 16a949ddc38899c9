// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the handlers of SIGINT, SIGTERM and SIGHUP.
#include "models/common/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <cstring>

#include "models/common/error.h"

namespace tlmssd {

namespace detail {
volatile std::sig_atomic_t interrupt_flag = 0;
volatile std::sig_atomic_t stop_flag = 0;
}

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::size_t kMostFiles = 32;
constexpr std::size_t kMostPath = 4096;

volatile std::sig_atomic_t g_signals = 0;
bool g_at_once = true;
char g_files[kMostFiles][kMostPath]; // read by handlers: no allocation
volatile std::sig_atomic_t g_file_count = 0;

void remove_files()
{
    for (int i = 0; i < g_file_count; ++i) {
        unlink(g_files[i]);
    }
}

void on_deadline(int)
{
    constexpr char kText[] = "tlmssd: interrupted: it did not stop within a second and is ended as it is\n";
    remove_files();
    static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
    _exit(kExitInterrupted);
}

void set_deadline()
{
    itimerval own{};
    own.it_value.tv_usec = static_cast<suseconds_t>(kStopSeconds * 1e6);
    itimerval wall{};
    wall.it_value.tv_sec = kStopWallSeconds;
    setitimer(ITIMER_PROF, &own, nullptr);
    setitimer(ITIMER_REAL, &wall, nullptr);
}

void on_signal(int signal)
{
    if (g_signals != 0) {
        remove_files();
        std::signal(signal, SIG_DFL);
        raise(signal); // comes when this handler returns
        return;
    }
    g_signals = 1;
    request_interrupt();
    if (g_at_once) {
        set_deadline();
    }
}

} // namespace

void catch_interrupts(SleepingCall sleeping, StopHow how)
{
    g_at_once = how == StopHow::AtOnce;
    std::signal(SIGPROF, on_deadline);
    std::signal(SIGALRM, on_deadline);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = sleeping == SleepingCall::GoesOn ? SA_RESTART : 0;
    for (const int signal : kSignals) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (signal != SIGHUP || before.sa_handler != SIG_IGN) {
            sigaction(signal, &action, nullptr);
        }
    }
}

void request_interrupt()
{
    detail::interrupt_flag = 1;
    detail::stop_flag = g_at_once;
}

void remove_when_killed(const std::string& path)
{
    const int count = g_file_count;
    if (path.size() >= kMostPath) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        if (path == g_files[i]) {
            return;
        }
    }
    if (count < static_cast<int>(kMostFiles)) {
        std::memcpy(g_files[count], path.c_str(), path.size() + 1);
        g_file_count = count + 1;
    }
}

} // namespace tlmssd
