// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: arrival times of generated requests in open loop.
#include "models/workload/arrivals.h"

#include <cmath>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {

Arrivals::Arrivals(double rate, config::RateProcess process, u64 seed)
    : gap_(rate > 0 ? 1e12 / rate : 0), poisson_(process == config::RateProcess::Poisson),
      seed_(seed)
{
}

Picoseconds Arrivals::timed()
{
    const u64 index = index_++;
    if (poisson_) {
        time_ -= gap_ * std::log1p(-draw_unit(draw64(seed_, purpose::kArrival, index)));
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
