// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests that end one behind the other, in parts of equal numbers.
#pragma once

#include <vector>

#include "models/common/geometry.h"
#include "models/observe/histogram.h"
#include "models/sample/windows.h"

namespace tlmssd::sample {

inline Whole empty_whole()
{
    Whole whole;
    for (Whole::Kind& kind : whole.kinds) {
        kind.buckets.resize(observe::Histogram::kBuckets);
    }
    return whole;
}

/// Adds all but the time.
inline void add(const Ended& request, Whole& to)
{
    ++to.requests;
    if (request.sectors != 0) {
        ++to.transfers;
        to.bytes += u64{request.sectors} * kSectorBytes;
        Whole::Kind& kind = to.kinds[request.kind == workload::Kind::Read ? 0 : 1];
        ++kind.requests;
        kind.latency_ps += static_cast<double>(request.latency_ps);
        ++kind.buckets[observe::Histogram::bucket_of(request.latency_ps)];
    }
}

/// Leaves out `warmup` requests and counts the `requests` behind them, in `parts`; at least one request each.
class PartCounter {
public:
    PartCounter() = default;
    PartCounter(u64 warmup, u64 requests, u64 parts) : warmup_(warmup), requests_(requests), parts_(parts, empty_whole()) {}

    /// The next one that has ended; not complete().
    void count(const Ended& request)
    {
        if (ended_ >= warmup_) {
            const u64 number = ended_ - warmup_;
            Whole& part = parts_[number * parts_.size() / requests_];
            if (part.requests == 0) {
                began_ps_ = last_ps_;
            }
            add(request, part);
            part.time_ps = request.at_ps - began_ps_;
        }
        last_ps_ = request.at_ps;
        ++ended_;
    }
    bool complete() const { return ended_ == warmup_ + requests_; }
    const std::vector<Whole>& parts() const { return parts_; }

private:
    u64 warmup_ = 0;
    u64 requests_ = 0;
    u64 ended_ = 0;
    u64 began_ps_ = 0; ///< the end of the request before the part
    u64 last_ps_ = 0;
    std::vector<Whole> parts_;
};

} // namespace tlmssd::sample
