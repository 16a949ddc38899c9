// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of observe's own statistics.
#include "models/observe/own_statistics.h"

namespace tlmssd::observe {

namespace {

std::optional<double> in_microseconds(const Histogram& latencies, double ps)
{
    return ratio(ps, latencies.count() == 0 ? 0.0 : 1e6);
}

/// `ten_thousandths`: of the quantile.
template <int ten_thousandths>
std::optional<double> quantile(const Histogram& latencies)
{
    return in_microseconds(latencies,
                           static_cast<double>(latencies.quantile(ten_thousandths / 10000.0).value()));
}

const char* text_of(Stage stage)
{
    switch (stage) {
    case Stage::Link:
        return "between host and device";
    case Stage::Hil:
        return "in the firmware's host interface, waiting for its core included";
    case Stage::Buffer:
        return "in the firmware's buffer, waiting for its core or for a page buffer included";
    case Stage::Ftl:
        return "in the firmware's flash translation layer, waiting for its core or for a free block included";
    case Stage::Sched:
        return "in the firmware's scheduler, waiting for its core and in its queue included";
    case Stage::WaitDie:
        return "from the doorbell until the operation has its die";
    case Stage::WaitBus:
        return "the operation waits for its channel";
    case Stage::Cell:
        return "the array works, as far as the controller can see";
    case Stage::Transfer:
        return "a segment of the operation is on the bus";
    case Stage::Dram:
        return "DMA, ECC of a read, copies";
    }
    return "";
}

template <std::size_t stage>
std::optional<double> mean_us(const StageSums& sums)
{
    return ratio(static_cast<double>(sums.sum(stage)), 1e6 * static_cast<double>(sums.count()));
}

template <std::size_t stage>
Picoseconds time_of(const StageTimes& times)
{
    return Picoseconds(times[stage]);
}

/// `amount` over the interval's length; null where that is 0.
std::optional<double> per_second(const SeriesPoint& point, double amount)
{
    const double s = point.length.seconds();
    return s > 0 ? std::optional<double>(amount / s) : std::nullopt;
}

template <std::size_t... stage>
Table<StageSums> stage_table(std::index_sequence<stage...>)
{
    return Table<StageSums>("stages", Show::InOne,
                            {{to_string(static_cast<Stage>(stage)) + std::string("_us.mean"), Unit::Microseconds,
                              std::string("mean time of a request in stage `") +
                                  to_string(static_cast<Stage>(stage)) + "`: " + text_of(static_cast<Stage>(stage)),
                              &mean_us<stage>}...});
}

template <std::size_t... stage>
Table<StageTimes> stage_time_table(std::index_sequence<stage...>)
{
    return Table<StageTimes>("stage_times", Show::InOne,
                             {{to_string(static_cast<Stage>(stage)), Unit::Microseconds,
                               text_of(static_cast<Stage>(stage)), &time_of<stage>}...});
}

} // namespace

const Table<Histogram>& latency_statistics()
{
    static const Table<Histogram> table(
        "latency_us", Show::InOne,
        {{"mean", Unit::Microseconds, "exact mean",
          [](const Histogram& h) { return in_microseconds(h, h.mean_ps()); }},
         {"p50", Unit::Microseconds, "quantile 0.5, the median", &quantile<5000>},
         {"p95", Unit::Microseconds, "quantile 0.95", &quantile<9500>},
         {"p99", Unit::Microseconds, "quantile 0.99", &quantile<9900>},
         {"p999", Unit::Microseconds, "quantile 0.999", &quantile<9990>},
         {"p9999", Unit::Microseconds, "quantile 0.9999", &quantile<9999>},
         {"max", Unit::Microseconds, "exact maximum", [](const Histogram& h) {
              return in_microseconds(h, static_cast<double>(h.max().value()));
          }}});
    return table;
}

const Table<Traffic>& traffic_statistics()
{
    static const Table<Traffic> table(
        "requests", Show::Rows,
        {{"count", Unit::Count, "completed requests; `all` is reads and writes",
          [](const Traffic& t) { return t.latency.count(); }},
         {"bytes", Unit::Bytes, "bytes that they moved", &Traffic::bytes},
         {"iops", Unit::PerSecond, "`count / sim.time_s`, of a job, too: those of all jobs add up",
          [](const Traffic& t) { return ratio(static_cast<double>(t.latency.count()), t.seconds); }},
         {"mb_s", Unit::MegabytesPerSecond, "`bytes / 10^6 / sim.time_s`",
          [](const Traffic& t) { return ratio(static_cast<double>(t.bytes) / 1e6, t.seconds); }},
         {"latency_us", "from the time at which the request got its tag to its completion", latency_statistics,
          [](const Traffic& t) -> const Histogram& { return t.latency; }},
         {"response_us",
          "from the request's arrival to its completion: latency and the wait for a tag", latency_statistics,
          [](const Traffic& t) -> const Histogram& { return t.response; }}});
    return table;
}

const Table<StageSums>& stage_statistics()
{
    static const Table<StageSums> table = stage_table(std::make_index_sequence<kStages>());
    return table;
}

const Table<StageTimes>& stage_time_statistics()
{
    static const Table<StageTimes> table = stage_time_table(std::make_index_sequence<kStages>());
    return table;
}

const Table<SeriesPoint>& series_statistics()
{
    using P = SeriesPoint;
    static const Table<P> table(
        {{"t_s", Unit::Seconds,
          "start of the interval, from the start of the measured part. The last interval ends with the run",
          &P::start},
         {"iops", Unit::PerSecond, "reads and writes over the interval's length",
          [](const P& p) { return per_second(p, static_cast<double>(p.reads + p.writes)); }},
         {"mb_s", Unit::MegabytesPerSecond, "their bytes over the interval's length",
          [](const P& p) { return per_second(p, static_cast<double>(p.bytes) / 1e6); }},
         {"reads", Unit::Count, "reads that ended in it, well; over all intervals `host.reads.count`", &P::reads},
         {"writes", Unit::Count, "writes that ended in it, well; over all intervals `host.writes.count`",
          &P::writes},
         {"latency_us.mean", Unit::Microseconds, "mean latency of the requests; `null` where there are none",
          [](const P& p) { return p.mean; }},
         {"latency_us.p99", Unit::Microseconds, "quantile 0.99, off by at most 1/64",
          [](const P& p) { return p.p99; }},
         {"latency_us.max", Unit::Microseconds, "longest latency", [](const P& p) { return p.max; }},
         {"queue_depth", Unit::Ratio, "mean number of commands in the device, FLUSH and TRIM too",
          &P::queue_depth},
         {"waf", Unit::Ratio,
          "pages programmed / pages written for the host in the interval, with mapping units as `ftl.waf`; "
          "`null` where the host wrote none",
          [](const P& p) { return p.waf; }},
         {"channels_busy", Unit::Fraction,
          "mean fraction of the interval for which a channel carried a segment; exact at the borders",
          [](const P& p) { return std::optional<double>(p.channels_busy); }},
         {"dies_busy", Unit::Fraction,
          "mean fraction for which a die served an operation (as in `flash.die_idle_s`); exact at the borders",
          [](const P& p) { return std::optional<double>(p.dies_busy); }},
         {"cores_busy", Unit::Fraction, "mean fraction for which a core was in a step; exact at the borders",
          [](const P& p) { return std::optional<double>(p.cores_busy); }}});
    return table;
}

const Table<BoundReading>& bound_statistics()
{
    using B = BoundReading;
    static const Table<B> table(
        {{"makespan_s", Unit::Seconds,
          "shortest time in which the same work could have been done ([bound.md](../explanation/bound.md))",
          [](const B& b) { return b.bound.makespan; }},
         Statistic<B>{"limiter", Unit::None, "what sets that time",
                      [](const B& b) { return std::string(to_string(b.bound.limiter)); }}
             .one_of({"link", "channel", "die", "cpu", "depth", "arrival"}),
         {"fraction_of_bound", Unit::Fraction, "`bound.makespan_s / sim.time_s`: 1 is perfect, never above",
          [](const B& b) {
              return ratio(static_cast<double>(b.bound.makespan.value()), static_cast<double>(b.measured.value()));
          }}});
    return table;
}

} // namespace tlmssd::observe
