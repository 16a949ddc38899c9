// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a progress line with rate and remaining time, on a terminal only.
#pragma once

#include <cstdio>
#include <string>

#include "models/common/types.h"

namespace tlmssd::observe {

/// Rewrites one line on a terminal at most five times per second; silent where `out` is none.
/// It reads the wall clock and never influences the model.
class Progress {
public:
    using Clock = u64 (*)(); ///< monotonic nanoseconds

    /// On stderr, if that is a terminal.
    Progress();
    /// For tests: any stream, as a terminal or not, any clock.
    Progress(std::FILE* out, bool terminal, Clock clock);
    ~Progress() { finish(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Tell how far the run is. Without a terminal this is one test of a flag; with one it reads
    /// the clock, so call it every 1024 requests or so. `expected` = 0: unknown, then `fraction`
    /// (0..1, negative: unknown too) says how much of the input is consumed.
    void update(u64 done, u64 expected, double fraction)
    {
        if (terminal_) {
            show(done, expected, fraction);
        }
    }
    /// Erase the line, so that the next output starts on a clean one.
    void finish();

    /// The text of the line, without control characters: "42.0 %  1,234 requests  617/s  ETA 0:02".
    static std::string text(u64 done, u64 expected, double fraction, double elapsed_s);

private:
    void show(u64 done, u64 expected, double fraction);

    std::FILE* out_;
    Clock clock_;
    u64 start_ns_ = 0;
    u64 next_ns_ = 0; ///< no update before
    bool terminal_;
    bool shown_ = false;
};

} // namespace tlmssd::observe
