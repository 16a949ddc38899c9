// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: makes the jobs that a configuration asks for.
#include "models/workload/jobs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "models/workload/factory.h"
#include "models/workload/offset_source.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kJobPurpose = 0x6a6f62; ///< "job": its seed

JobRules rules_of(const config::Workload& w)
{
    JobRules rules;
    rules.mode = w.mode;
    rules.iodepth = w.iodepth;
    rules.priority = static_cast<u8>(w.priority);
    rules.start = w.start;
    rules.thinktime = w.thinktime;
    rules.thinktime_blocks = w.thinktime_blocks;
    rules.runtime = w.runtime;
    if (w.rate_iops > 0 && w.mode == config::LoopMode::Closed) {
        rules.rate_interval = Picoseconds(static_cast<u64>(std::llround(1e12 / w.rate_iops)));
    }
    return rules;
}

/// What the job does, for results: the file of a trace, the name of a preset, else fio's word.
std::string workload_of(const config::Workload& w)
{
    if (!w.trace.empty()) {
        return w.trace.substr(w.trace.rfind('/') + 1);
    }
    return !w.preset.empty() ? w.preset : w.launch.launches != 0 ? "launches"
           : config::is_of_locality(w) ? "locality"
                                       : config::to_string(w.rw);
}

} // namespace

std::vector<Job> make_jobs(const std::vector<config::Workload>& workloads, u64 seed, u64 device_sectors,
                           std::ostream* warnings)
{
    std::vector<Job> jobs;
    std::set<std::string> names;
    for (const config::Workload& w : workloads) {
        for (u32 clone = 0; clone < w.numjobs; ++clone) {
            // The first job draws what the only one would.
            const u64 own_seed = jobs.empty() ? seed : draw64(seed, kJobPurpose, jobs.size());
            Job job;
            job.rules = rules_of(w);
            job.workload = workload_of(w);
            job.rules.name = w.name;
            for (u32 n = 2; !names.insert(job.rules.name).second; ++n) {
                job.rules.name = w.name + "#" + std::to_string(n);
            }
            job.source = make_source(w, device_sectors, own_seed, warnings);
            if (w.lba_offset != 0 && job.source->reactive() == nullptr) {
                job.source = std::make_unique<OffsetSource>(
                    std::move(job.source), w.lba_offset / kSectorBytes, w.beyond, device_sectors);
            }
            jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

SourceCounts total_counts(const std::vector<Job>& jobs)
{
    SourceCounts total;
    for (const Job& job : jobs) {
        total += job.source->counts();
    }
    return total;
}

u64 total_expected(const std::vector<Job>& jobs)
{
    u64 total = 0;
    for (const Job& job : jobs) {
        const u64 expected = job.source->expected();
        if (expected == 0) {
            return 0;
        }
        total += expected;
    }
    return total;
}

double total_progress(const std::vector<Job>& jobs)
{
    double least = 1;
    for (const Job& job : jobs) {
        least = std::min(least, job.source->progress());
    }
    return least;
}

} // namespace tlmssd::workload
