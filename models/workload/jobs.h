// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the jobs of a run: several traces or generators side by side, each with rules of its own.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "models/config/workload.h"
#include "models/interfaces/request.h"

namespace tlmssd::workload {

/// How the host issues a job's requests.
struct JobRules {
    std::string name;
    config::LoopMode mode = config::LoopMode::Closed;
    u32 iodepth = 32;          ///< closed loop: at most this number of commands of the job is open
    u8 priority = 0;           ///< 0 lowest .. 3 highest
    Picoseconds start;         ///< from the start of the run; the job's time 0
    Picoseconds thinktime;     ///< closed loop: pause after thinktime_blocks commands have ended
    u32 thinktime_blocks = 1;  ///< 1 or more
    Picoseconds rate_interval; ///< closed loop: request n (from 0) arrives n intervals after the
                               ///< start or later; as in fio, a job that was held up catches up.
                               ///< 0: none
    Picoseconds runtime;       ///< nothing arrives at start + runtime or later; 0: no limit
};

struct Job {
    JobRules rules;
    std::string workload; ///< what it does: file of a trace, name of a preset or fio's word
    std::unique_ptr<RequestSource> source;
};

/// The jobs of Config::workloads(), in order; numjobs clones of each. `seed` is the run's. Throws InputError
/// as make_source() does.
std::vector<Job> make_jobs(const std::vector<config::Workload>& workloads, u64 seed, u64 device_sectors,
                           std::ostream* warnings);

/// Of all jobs together.
SourceCounts total_counts(const std::vector<Job>& jobs);
/// Requests; 0: unknown.
u64 total_expected(const std::vector<Job>& jobs);
/// Fraction of the job that has come least far; negative: unknown.
double total_progress(const std::vector<Job>& jobs);

} // namespace tlmssd::workload
