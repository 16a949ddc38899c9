// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what windows say, alone or beside the controller that stands by.
#include "models/sample/analysis.h"

#include <cmath>

#include "models/common/geometry.h"
#include "models/observe/histogram.h"

namespace tlmssd::sample {
namespace {

using observe::Cluster;
using observe::Estimate;
using Requests = std::vector<Ended>;

constexpr double kPsPerUs = 1e6;
constexpr double kPsPerSecond = 1e12;
constexpr double kTail = 0.99;
/// Of what no window shows: events rarer than windows, differences that build up over more than a window
/// (docs/explanation/sampling.md).
constexpr double kMeanAllowance = 0.005;
constexpr double kTailAllowance = 0.01;
constexpr double kTrendConfidence = 0.99; ///< a trend is taken for one by chance in one of a hundred passes

bool is_kind(const Ended& request, u32 kind) // of Whole::kinds
{
    return request.sectors != 0 && (request.kind == workload::Kind::Read) == (kind == 0);
}

/// Requests from `from` on, and the time in which they ended.
Cluster time_of(const Requests& requests, u64 from)
{
    return {static_cast<double>(requests.back().at_ps - requests[from - 1].at_ps),
            static_cast<double>(requests.size() - from)};
}

void scale(Estimate& e, double factor)
{
    e = {e.value * factor, e.low * factor, e.high * factor};
}

/// Wider by this share of the value at both ends.
Estimate widened(const Estimate& e, double share)
{
    return {e.value, e.low - share * e.value, e.high + share * e.value};
}

/// A rate from the time that it takes: 1 / e, times `factor`.
Estimate rate_of(const Estimate& e, double factor)
{
    return {factor / e.value, factor / e.high, e.low > 0 ? factor / e.low : 2 * factor / e.value};
}

class Reading {
public:
    Reading(const PassResult& pass, const Plan& plan, double confidence)
        : pass_(pass), warmup_(plan.warmup()), confidence_(confidence), controlled_(pass.whole.requests != 0)
    {
    }

    /// Picoseconds of a request.
    Estimate time() const
    {
        std::vector<Cluster> wanted;
        std::vector<Cluster> control;
        for (const Window& window : pass_.windows) {
            wanted.push_back(time_of(window.measured, warmup_));
            if (controlled_) {
                control.push_back(time_of(window.control, warmup_));
            }
        }
        const Whole& whole = pass_.whole;
        return mean(wanted, control, static_cast<double>(whole.time_ps) / static_cast<double>(whole.requests));
    }
    /// Reads and writes, and their bytes, of a request.
    Cluster moved() const
    {
        if (controlled_) {
            const double requests = static_cast<double>(pass_.whole.requests);
            return {static_cast<double>(pass_.whole.transfers) / requests, static_cast<double>(pass_.whole.bytes) / requests};
        }
        double requests = 0;
        Cluster moved;
        for (const Window& window : pass_.windows) {
            requests += static_cast<double>(window.measured.size());
            for (const Ended& request : window.measured) {
                moved.sum += request.sectors != 0;
                moved.count += static_cast<double>(request.sectors) * kSectorBytes;
            }
        }
        return {moved.sum / requests, moved.count / requests};
    }
    /// Of some of Whole::kinds together; nothing where the windows have none.
    std::optional<Latency> latency(const std::vector<u32>& kinds) const
    {
        std::vector<std::vector<u64>> wanted;
        std::vector<std::vector<u64>> control;
        for (const Window& window : pass_.windows) {
            wanted.push_back(latencies(window.measured, warmup_, kinds));
            if (controlled_) {
                control.push_back(latencies(window.control, warmup_, kinds));
            }
        }
        const std::vector<Cluster> sums = clusters(wanted);
        const std::vector<Cluster> of_control = clusters(control);
        if (count(sums) == 0 || (controlled_ && count(of_control) == 0)) {
            return std::nullopt;
        }
        Whole::Kind whole;
        whole.buckets.resize(controlled_ ? observe::Histogram::kBuckets : 0);
        for (const u32 kind : kinds) {
            const Whole::Kind& one = pass_.whole.kinds.at(kind);
            whole.requests += one.requests;
            whole.latency_ps += one.latency_ps;
            for (std::size_t b = 0; b < whole.buckets.size(); ++b) {
                whole.buckets[b] += one.buckets[b];
            }
        }
        Latency latency{mean(sums, of_control, whole.latency_ps / static_cast<double>(whole.requests)),
                        controlled_ ? widened(observe::controlled_quantile(whole.buckets, wanted, control, kTail, confidence_),
                                              kTailAllowance)
                                    : observe::quantile_estimate(wanted, kTail, confidence_)};
        scale(latency.mean_us, 1 / kPsPerUs);
        scale(latency.p99_us, 1 / kPsPerUs);
        return latency;
    }
    /// Whether the two halves of the measured requests agree: in latency, and in time where that is the device's.
    bool settled(bool open_loop, double tolerance) const
    {
        std::vector<double> times;
        std::vector<double> latencies;
        for (const Window& window : pass_.windows) {
            const u64 middle = (warmup_ + window.measured.size()) / 2;
            const Requests first(window.measured.begin(), window.measured.begin() + static_cast<std::ptrdiff_t>(middle));
            const double early = time_of(first, warmup_).sum;
            const double late = time_of(window.measured, middle).sum;
            times.push_back((late - early) / (late + early));
            double sums[2] = {0, 0};
            for (u64 i = warmup_; i < window.measured.size(); ++i) {
                sums[i >= middle] += static_cast<double>(window.measured[i].latency_ps);
            }
            latencies.push_back((sums[1] - sums[0]) / (sums[1] + sums[0]));
        }
        return !has_trend(latencies, tolerance) && (open_loop || !has_trend(times, tolerance));
    }

private:
    static std::vector<u64> latencies(const Requests& requests, u64 from, const std::vector<u32>& kinds)
    {
        std::vector<u64> found;
        for (u64 i = from; i < requests.size(); ++i) {
            for (const u32 kind : kinds) {
                if (is_kind(requests[i], kind)) {
                    found.push_back(requests[i].latency_ps);
                }
            }
        }
        return found;
    }
    static std::vector<Cluster> clusters(const std::vector<std::vector<u64>>& values)
    {
        std::vector<Cluster> sums;
        for (const std::vector<u64>& cluster : values) {
            sums.emplace_back();
            for (const u64 value : cluster) {
                sums.back().sum += static_cast<double>(value);
            }
            sums.back().count = static_cast<double>(cluster.size());
        }
        return sums;
    }
    static double count(const std::vector<Cluster>& clusters)
    {
        double count = 0;
        for (const Cluster& cluster : clusters) {
            count += cluster.count;
        }
        return count;
    }
    static bool has_trend(const std::vector<double>& halves, double tolerance)
    {
        double sum = 0;
        for (const double half : halves) {
            sum += half;
        }
        return std::abs(sum) / static_cast<double>(halves.size()) > tolerance &&
               observe::differs_from_zero(halves, kTrendConfidence);
    }
    Estimate mean(const std::vector<Cluster>& wanted, const std::vector<Cluster>& control, double known) const
    {
        if (controlled_) {
            return widened(observe::controlled_mean(known, wanted, control, confidence_), kMeanAllowance);
        }
        std::vector<double> sums;
        std::vector<double> counts;
        for (const Cluster& cluster : wanted) {
            sums.push_back(cluster.sum);
            counts.push_back(cluster.count);
        }
        return observe::ratio_estimate(sums, counts, confidence_);
    }

    const PassResult& pass_;
    u64 warmup_;
    double confidence_;
    bool controlled_;
};

} // namespace

Analysis analyse(const PassResult& pass, const Plan& plan, bool open_loop, double confidence, double tolerance)
{
    const Reading reading(pass, plan, confidence);
    Analysis a;
    a.settled = reading.settled(open_loop, tolerance);
    const Estimate time = reading.time();
    const Cluster moved = reading.moved();
    a.iops = rate_of(time, moved.sum * kPsPerSecond);
    a.mb_s = rate_of(time, moved.count * kPsPerSecond / 1e6);
    a.all = reading.latency({0, 1}).value_or(Latency());
    a.reads = reading.latency({0});
    a.writes = reading.latency({1});
    return a;
}

} // namespace tlmssd::sample
