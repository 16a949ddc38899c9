// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: helpers of the generator's tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/config/keys/workload_words.h"
#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {

inline config::Workload generated(config::Rw rw, u64 requests)
{
    config::Workload workload;
    workload.rw = rw;
    workload.requests = requests;
    return workload;
}

inline std::vector<Request> run(const config::Workload& workload, u64 device_sectors, u64 seed = 1)
{
    const auto source = make_source(workload, device_sectors, seed, nullptr);
    return drain(*source);
}

inline u64 count(const std::vector<Request>& requests, Kind kind)
{
    u64 n = 0;
    for (const Request& request : requests) {
        n += request.kind == kind ? 1 : 0;
    }
    return n;
}

inline config::AddressRule distribution(const std::string& text)
{
    config::AddressRule rule;
    EXPECT_EQ(config::parse_distribution(text, rule), "") << text;
    return rule;
}

inline config::SizeSplit split(const std::string& text)
{
    config::SizeSplit sizes;
    EXPECT_EQ(config::parse_bssplit(text, sizes), "") << text;
    return sizes;
}

inline config::Extent extent(const std::string& text)
{
    config::Extent place;
    EXPECT_EQ(config::parse_extent(text, place), "") << text;
    return place;
}

/// Five standard deviations of a binomial count.
inline double five_sigma(double n, double p) { return 5 * std::sqrt(n * p * (1 - p)); }

} // namespace tlmssd::workload::test
