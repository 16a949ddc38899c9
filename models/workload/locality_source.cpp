// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests with locality.
#include "models/workload/locality_source.h"

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {
namespace {

const config::Workload& checked(const config::Workload& w, u64 device_sectors)
{
    if (const std::optional<config::Problem> problem = find_problem(w, device_sectors)) {
        throw InputError(std::string("workload.") + problem->key + ": " + problem->message);
    }
    return w;
}

/// Reads of `all` requests.
u64 reads_of(const config::Workload& w)
{
    if (w.rw != config::Rw::RandRw) {
        return w.rw == config::Rw::RandRead ? 1 : 0;
    }
    return w.reads + w.writes > 0 ? w.reads : w.rwmixread;
}

u64 all_of(const config::Workload& w)
{
    return w.rw != config::Rw::RandRw ? 1 : w.reads + w.writes > 0 ? w.reads + w.writes : 100;
}

} // namespace

LocalitySource::LocalitySource(const config::Workload& w, u64 device_sectors, u64 seed)
    : seed_(w.randseed == 0 ? seed : draw64(seed, purpose::kRandseed, w.randseed)),
      limit_(checked(w, device_sectors).requests), region_(config::region_of(w, device_sectors)),
      places_(w.locality, reads_of(w), all_of(w), region_.sectors, seed_),
      arrivals_(w.mode == config::LoopMode::Open ? w.rate_iops : 0, w.rate_process, seed_,
                {w.burst_requests, w.burst_gap})
{
}

bool LocalitySource::next(Request& request)
{
    if (limit_ != 0 && counts_.requests == limit_) {
        return false;
    }
    ++counts_.requests;
    const LocalityPlaces::Request place = places_.next();
    request = Request{arrivals_.next(), region_.start + place.start, place.sectors,
                      place.read ? Kind::Read : Kind::Write, false};
    return true;
}

} // namespace tlmssd::workload
