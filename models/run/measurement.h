// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what is measured of a run besides the host's own statistics: warm-up, stages, the slowest
// requests, intervals, the log.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "models/host/initiator.h"
#include "models/observe/request_log.h"
#include "models/observe/series.h"
#include "models/observe/steady.h"
#include "models/probes/stages/slowest_requests.h"
#include "models/run/counters.h"
#include "models/run/statistics.h"

namespace tlmssd::run {

/// Hears of every request. At the end of the warm-up it starts all statistics again, the host's
/// included, so that results cover the measured part alone; a warm-up that does not end leaves out
/// nothing. Its timers read counters; they change nothing.
class Measurement {
public:
    /// `log`: file for one row per request; empty: none. InputError: it cannot be
    /// written.
    Measurement(const config::Config& config, time::EventQueue& event_queue, Ssd& ssd,
                const ssd::HostSide& host, host::Initiator& initiator, const std::string& log);

    /// Whether a run with these options needs Ssd::stages().
    static bool follows_stages(const config::Config& config, const std::string& log)
    {
        return config.observe.stages || !log.empty();
    }

    /// The workload starts now.
    void start();
    void on_issued(const host::RequestRecord& request);
    void on_request(const host::RequestRecord& request);
    /// The run is over at `now`. Writes the log.
    void finish(Picoseconds now);
    /// A sentence for the user where the warm-up has not ended as asked for; else empty.
    std::string warning() const;

    /// After finish().
    const DeviceCounters& counters() const { return counters_; }
    /// The work that the host had done on its open requests when the measured part began: sum of their ages.
    Picoseconds open_ages() const { return open_ages_; }
    bool after_warmup() const { return warm_; }
    u64 fua_writes() const { return fua_writes_; }

    u64 requests() const { return ended_; } ///< that have ended, those of the warm-up too

    // For results.json.
    WarmupReading warmup() const;
    std::optional<probes::StageReading> stages() const;
    SeriesReading series() const;
    std::vector<probes::SlowReading> slowest() const;

private:
    static constexpr u32 kMaxTags = HAL_HOST_TAGS;

    void on_sample();
    void check_progress(Picoseconds now) const;
    void on_warmup_over();
    void on_window();
    void measure_from_now();
    void log(const host::RequestRecord& request, const probes::EndedStages& stages);
    observe::SeriesCounters series_counters(Picoseconds now) const;

    const config::Config& config_;
    time::EventQueue& event_queue_;
    Ssd& ssd_;
    const ssd::HostSide& host_;
    host::Initiator& initiator_;
    time::Timer sample_timer_;
    time::Timer warmup_timer_;

    Picoseconds origin_;      ///< of the workload
    Picoseconds ended_at_;
    DeviceCounters before_;   ///< at the start of the measured part
    DeviceCounters counters_; ///< of it

    observe::Series series_;
    observe::StageSums reads_;
    observe::StageSums writes_;
    probes::WorstList worst_;
    std::unique_ptr<observe::RequestLog> log_;
    u64 fua_writes_ = 0;

    std::array<Picoseconds, kMaxTags> issued_{}; ///< of open requests
    std::array<bool, kMaxTags> open_{};
    u32 open_count_ = 0;

    bool warm_ = false;     ///< a warm-up has ended
    bool warming_ = false;  ///< one is running
    u64 ended_ = 0;         ///< requests since the start of the workload
    u64 warmup_requests_ = 0;
    Picoseconds warmup_time_;
    Picoseconds open_ages_;
    observe::SteadyState steady_;
    u64 window_bytes_ = 0; ///< of the window that runs
    u64 window_count_ = 0;
    unsigned __int128 window_ps_ = 0; ///< sum of latencies
};

} // namespace tlmssd::run
