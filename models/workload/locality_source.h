// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests with locality (docs/explanation/locality.md).
#pragma once

#include "models/config/rules/workload_check.h"
#include "models/config/workload.h"
#include "models/interfaces/request.h"
#include "models/workload/arrivals.h"
#include "models/workload/locality/locality_places.h"

namespace tlmssd::workload {

/// Reads and writes of LocalityPlaces, at the times of Arrivals (closed loop: all arrivals are 0).
class LocalitySource final : public RequestSource {
public:
    /// `device_sectors` > 0. Throws InputError naming the key that is wrong.
    LocalitySource(const config::Workload& workload, u64 device_sectors, u64 seed);

    bool next(Request& request) override;
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return limit_; }
    double progress() const override
    {
        return limit_ == 0 ? -1 : static_cast<double>(counts_.requests) / static_cast<double>(limit_);
    }

private:
    u64 seed_;
    u64 limit_; ///< requests; 0: none
    config::Region region_;
    LocalityPlaces places_;
    Arrivals arrivals_;
    SourceCounts counts_;
};

} // namespace tlmssd::workload
