// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: arrival times of generated requests in open loop.
#include "models/workload/arrivals.h"

#include <cmath>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {

Arrivals::Arrivals(double rate, config::RateProcess process, u64 seed, Burst burst)
    : gap_(rate > 0 ? 1e12 / rate : 0), process_(process), burst_(burst),
      between_(burst.requests * gap_ - (burst.requests - 1) * static_cast<double>(burst.gap.value())), seed_(seed)
{
}

/// Before this request.
double Arrivals::mean_gap(u64 index) const
{
    if (process_ != config::RateProcess::Bursts) {
        return gap_;
    }
    const bool begins = draw_unit(draw64(seed_, purpose::kBurst, index)) * burst_.requests < 1;
    return begins ? between_ : static_cast<double>(burst_.gap.value());
}

Picoseconds Arrivals::timed()
{
    const u64 index = index_++;
    if (process_ != config::RateProcess::Linear) {
        time_ -= mean_gap(index) * std::log1p(-draw_unit(draw64(seed_, purpose::kArrival, index)));
    } else {
        time_ = gap_ * static_cast<double>(index);
    }
    if (time_ >= 0x1p63) {
        throw InputError("workload.rate_iops: request " + std::to_string(index) +
                         " would arrive after 2^63 ps (106 days)");
    }
    return Picoseconds(static_cast<u64>(std::llround(time_)));
}

} // namespace tlmssd::workload
