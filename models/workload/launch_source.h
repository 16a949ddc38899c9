// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: launches of applications as the host sees them: CPU bursts, page cache, prefetcher (docs/guides/launches.md).
#pragma once

#include <vector>

#include "models/interfaces/request.h"
#include "models/workload/launch_plan.h"

namespace tlmssd::workload {

/// The times of one launch. Times are from the job's start.
struct LaunchRecord {
    u32 app = 0;
    u32 number = 0;         ///< of the application's launches, from 0
    bool detour = false;
    Picoseconds start;
    Picoseconds time;       ///< to the end of the last burst
    Picoseconds prefetch;   ///< of the prefetcher, from the start to the end of its last read; 0: it read nothing
    u32 reads = 0;          ///< that the application issued itself
    u32 waited = 0;         ///< for which it waited while the prefetcher read them
    u32 prefetched = 0;     ///< that the prefetcher issued
    u32 useless = 0;        ///< of them: the application did not want them
    Picoseconds outstanding; ///< integral of the commands that were open, up to the launch's end
};

/// Requests that depend on the ends of earlier ones. A launch is a chain: burst 0, read 0, burst 1, ..., the last
/// burst. A read of a page that is in the page cache takes no time. The prefetcher reads the recorded sequence:
/// what an earlier launch would have taught it; it knows which reads are metadata.
class LaunchSource final : public RequestSource, public ReactiveSource {
public:
    /// Throws InputError naming the key that is wrong.
    LaunchSource(const config::Workload& workload, u64 device_sectors, u64 seed);

    bool next(Request& request) override; ///< not for this source: throws
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return 0; }
    double progress() const override;
    ReactiveSource* reactive() override { return this; }

    Next poll(Picoseconds now, Request& request) override;
    void ended(u32 cookie, Picoseconds now) override;

    Picoseconds cpu() const { return rules_.cpu; } ///< of a launch
    const std::vector<LaunchRecord>& records() const { return records_; } ///< of launches that have ended

private:
    enum class Phase : u8 { Gap, Alone, Burst, Want }; ///< Alone: the prefetcher works before the application
    enum class Page : u8 { Out, InFlight, In };
    struct Place {
        Page page = Page::Out;
        bool prefetched = false;
        Picoseconds since; ///< In: when it came
    };
    struct Open {
        u32 cookie;
        u32 launch;
        u32 place; ///< of the launch's read
        bool prefetcher;
        Picoseconds since;
    };

    const LaunchPlan& plan() const { return plans_[launch_ % rules_.apps]; }
    u32 number() const { return launch_ / rules_.apps; }
    bool before() const
    {
        return rules_.prefetch == config::LaunchPrefetch::Baseline || rules_.prefetch == config::LaunchPrefetch::TwoPhase;
    }
    void begin();
    void finish();
    bool advance(Picoseconds now, Request& request);
    bool prefetch(Picoseconds now, Request& request);
    void emit(Request& request, const LaunchRead& read, u32 place, bool prefetcher, Picoseconds at);
    /// The page that the application's read `i` wants.
    u32 place_of(u32 i) const { return other_[i] ? rules_.reads + i : i; }

    config::Launch rules_;
    std::vector<LaunchPlan> plans_;
    std::vector<LaunchRecord> records_;
    SourceCounts counts_;
    u32 cookies_ = 0;
    std::vector<Open> open_;

    u32 launch_ = 0; ///< over all applications
    Phase phase_ = Phase::Gap;
    Picoseconds until_; ///< end of the gap or burst; when the read was wanted
    u32 at_ = 0;        ///< the application's next read
    std::vector<Place> places_; ///< those of the recorded reads, then of what is read elsewhere
    std::vector<bool> other_;
    u32 ahead_ = 0;     ///< the prefetcher's next read
    bool data_phase_ = false; ///< two_phase: metadata have all come
    LaunchRecord now_;
};

} // namespace tlmssd::workload
