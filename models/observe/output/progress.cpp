// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the progress line.
#include "models/observe/output/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unistd.h>

#include "models/observe/output/format.h"

namespace tlmssd::observe {

namespace {

constexpr u64 kPeriodNs = 200000000; // five updates a second

u64 steady_ns()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// "12:05" or "3:07:00"
std::string duration(double seconds)
{
    constexpr double kLongest = 359999; // 99:59:59
    const u64 s = static_cast<u64>(std::llround(std::min(seconds, kLongest)));
    char buffer[32];
    if (s >= 3600) {
        std::snprintf(buffer, sizeof buffer, "%u:%02u:%02u", static_cast<u32>(s / 3600),
                      static_cast<u32>(s / 60 % 60), static_cast<u32>(s % 60));
    } else {
        std::snprintf(buffer, sizeof buffer, "%u:%02u", static_cast<u32>(s / 60),
                      static_cast<u32>(s % 60));
    }
    return buffer;
}

} // namespace

Progress::Progress() : Progress(stderr, isatty(STDERR_FILENO) == 1, steady_ns) {}

Progress::Progress(std::FILE* out, bool terminal, Clock clock)
    : out_(out), clock_(clock), terminal_(terminal)
{
    if (terminal_) {
        start_ns_ = clock_();
        next_ns_ = start_ns_ + kPeriodNs;
    }
}

std::string Progress::text(u64 done, u64 expected, double fraction, double elapsed_s)
{
    double part = fraction;
    if (expected > 0) {
        part = static_cast<double>(done) / static_cast<double>(expected);
    }
    part = std::min(part, 1.0);

    std::string line;
    if (part >= 0) {
        line += fixed(100 * part, 1) + " %  ";
    }
    line += grouped(done) + " requests";
    if (elapsed_s > 0) {
        const double rate = static_cast<double>(done) / elapsed_s;
        line += "  " + grouped(static_cast<u64>(std::llround(rate))) + "/s";
        if (part > 0) {
            line += "  ETA " + duration(elapsed_s * (1 - part) / part);
        }
    }
    return line;
}

void Progress::show(u64 done, u64 expected, double fraction)
{
    const u64 now = clock_();
    if (now < next_ns_) {
        return;
    }
    next_ns_ = now + kPeriodNs;
    const double elapsed = static_cast<double>(now - start_ns_) * 1e-9;
    std::fprintf(out_, "\r%s\x1b[K", text(done, expected, fraction, elapsed).c_str());
    std::fflush(out_);
    shown_ = true;
}

void Progress::finish()
{
    if (shown_) {
        std::fputs("\r\x1b[K", out_);
        std::fflush(out_);
        shown_ = false;
    }
}

} // namespace tlmssd::observe
