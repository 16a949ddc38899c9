// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what windows say, alone or beside the controller that stands by.
#include "models/sample/analysis.h"

#include <cmath>
#include <numeric>

#include "models/common/geometry.h"
#include "models/observe/histogram.h"
#include "models/sample/outline.h"
#include "models/sample/part_counter.h"

namespace tlmssd::sample {
namespace {

using observe::Cluster;
using observe::Estimate;
using Requests = std::vector<Ended>;

constexpr double kPsPerUs = 1e6;
constexpr double kPsPerSecond = 1e12;
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

void add(const Whole::Kind& more, Whole::Kind& sum)
{
    sum.requests += more.requests;
    sum.latency_ps += more.latency_ps;
    for (std::size_t b = 0; b < sum.buckets.size(); ++b) {
        sum.buckets[b] += more.buckets[b];
    }
}

void add(const Whole& more, Whole& sum)
{
    sum.requests += more.requests;
    sum.transfers += more.transfers;
    sum.bytes += more.bytes;
    sum.time_ps += more.time_ps;
    for (std::size_t kind = 0; kind < sum.kinds.size(); ++kind) {
        add(more.kinds.at(kind), sum.kinds.at(kind));
    }
}

Whole sum_of(const std::vector<Whole>& parts)
{
    Whole sum = empty_whole();
    for (const Whole& part : parts) {
        add(part, sum);
    }
    return sum;
}

class Reading {
public:
    Reading(const PassResult& pass, const Plan& plan, double confidence, const OtherRuns& others)
        : pass_(pass), others_(others), of_pass_(sum_of(others.twins.pass)), of_other_(sum_of(others.twins.other)),
          whole_(pass.whole), warmup_(plan.warmup()), confidence_(confidence), controlled_(pass.whole.requests != 0)
    {
        for (const PassResult& other : others.wholes) {
            add(other.whole, whole_);
        }
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
        return mean(wanted, control, time_of_request(), runs_differ());
    }
    /// Half-width for the difference of runs in time, as a share of it.
    double runs_differ() const
    {
        return controlled_ ? of_runs([&](const Whole& part, const Whole& run) {
            return static_cast<double>(part.time_ps) / (static_cast<double>(run.requests) * time_of_request());
        })
                           : 0;
    }
    /// The same of the mean latency of some of Whole::kinds together.
    double means_differ(const std::vector<u32>& kinds) const
    {
        const double mean_ps = controlled_ ? mean_of(whole_of(kinds)) : 1;
        return of_runs([&](const Whole& part, const Whole& run) {
            double sum = 0;
            for (const u32 kind : kinds) {
                sum += part.kinds.at(kind).latency_ps;
            }
            return sum / (requests_of(run, kinds) * mean_ps);
        });
    }
    /// Reads and writes, and their bytes, of a request.
    Cluster moved() const
    {
        if (controlled_) {
            const double requests = static_cast<double>(whole_.requests);
            return {static_cast<double>(whole_.transfers) / requests, static_cast<double>(whole_.bytes) / requests};
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
        const Whole::Kind whole = whole_of(kinds);
        const auto shares_differ = [&](u32 bucket) {
            return of_runs([&](const Whole& part, const Whole& run) {
                u64 below = 0;
                for (const u32 kind : kinds) {
                    const std::vector<u64>& buckets = part.kinds.at(kind).buckets;
                    below = std::accumulate(buckets.begin(), buckets.begin() + bucket + 1, below);
                }
                return static_cast<double>(below) / requests_of(run, kinds);
            });
        };
        Latency latency{mean(sums, of_control, mean_of(whole), means_differ(kinds)),
                        widened(controlled_ ? observe::controlled_quantile(whole.buckets, wanted, control, kTail, confidence_,
                                                                           shares_differ)
                                            : observe::quantile_estimate(wanted, kTail, confidence_),
                                kTailAllowance)};
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
    Whole::Kind whole_of(const std::vector<u32>& kinds) const
    {
        Whole::Kind whole;
        whole.buckets.resize(controlled_ ? observe::Histogram::kBuckets : 0);
        for (const u32 kind : kinds) {
            add(whole_.kinds.at(kind), whole);
        }
        return whole;
    }
    static double mean_of(const Whole::Kind& kind) { return kind.latency_ps / static_cast<double>(kind.requests); }
    static double requests_of(const Whole& all, const std::vector<u32>& kinds)
    {
        double requests = 0;
        for (const u32 kind : kinds) {
            requests += static_cast<double>(all.kinds.at(kind).requests);
        }
        return requests;
    }
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
    double time_of_request() const { return static_cast<double>(whole_.time_ps) / static_cast<double>(whole_.requests); }
    /// A half-width. share(part, all): what the part adds to a quantity of all parts of a run; the whole is such a part, too.
    template <class Share>
    double of_runs(const Share& share) const
    {
        std::vector<double> values;
        if (!others_.wholes.empty()) {
            values.push_back(share(pass_.whole, pass_.whole));
            for (const PassResult& other : others_.wholes) {
                values.push_back(share(other.whole, other.whole));
            }
            return observe::half_width_of_next(values, confidence_);
        }
        const Twins& twins = others_.twins;
        if (twins.pass.empty()) {
            return 0;
        }
        for (std::size_t i = 0; i < twins.pass.size(); ++i) {
            values.push_back(share(twins.pass[i], of_pass_) - share(twins.other[i], of_other_));
        }
        return observe::half_width_of_runs(values, confidence_) * std::sqrt(twins.share);
    }
    /// `differ`: of runs, as a share of `known`.
    Estimate mean(const std::vector<Cluster>& wanted, const std::vector<Cluster>& control, double known, double differ) const
    {
        if (controlled_) {
            const Estimate e = observe::controlled_mean(known, wanted, control, confidence_);
            return widened(observe::joined(e, differ * e.value), kMeanAllowance);
        }
        std::vector<double> sums;
        std::vector<double> counts;
        for (const Cluster& cluster : wanted) {
            sums.push_back(cluster.sum);
            counts.push_back(cluster.count);
        }
        return widened(observe::ratio_estimate(sums, counts, confidence_), kMeanAllowance);
    }

    const PassResult& pass_;
    const OtherRuns& others_;
    Whole of_pass_;  ///< of the twins together
    Whole of_other_; ///< as `of_pass_`
    Whole whole_;    ///< of all runs together
    u64 warmup_;
    double confidence_;
    bool controlled_;
};

} // namespace

Analysis analyse(const PassResult& pass, const Plan& plan, bool open_loop, double confidence, double tolerance,
                 const OtherRuns& others)
{
    const Reading reading(pass, plan, confidence, others);
    Analysis a;
    a.runs_differ = reading.runs_differ();
    a.means_differ = reading.means_differ({0, 1});
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

bool are_alike(const Twins& twins)
{
    return are_alike(outline_of(sum_of(twins.pass)), outline_of(sum_of(twins.other)));
}

} // namespace tlmssd::sample
