// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of packages, stages and the slowest requests.
#include "models/probes/stages/stage_statistics.h"

namespace tlmssd::probes {

using observe::Table;
using observe::Unit;

namespace {

template <PackageClass kind>
std::optional<double> class_percent(const PackageCounters& c)
{
    return observe::ratio(100.0 * static_cast<double>(c.operations[static_cast<std::size_t>(kind)]),
                          static_cast<double>(c.all_operations()));
}

template <PackageTime kind>
std::optional<double> time_percent(const PackageCounters& c)
{
    Picoseconds all;
    for (const Picoseconds t : c.times) {
        all += t;
    }
    return observe::ratio(100.0 * static_cast<double>(c.times[static_cast<std::size_t>(kind)].value()),
                          static_cast<double>(all.value()));
}

const Table<PackageCounters>& parallelism_statistics()
{
    static const Table<PackageCounters> table(
        {{"none", Unit::Percent, "operations of one page. All of `flash.parallelism` is `null` without `observe.packages`",
          &class_percent<PackageClass::None>},
         {"die_interleaving", Unit::Percent, "operations of several dies",
          &class_percent<PackageClass::DieInterleaving>},
         {"plane_sharing", Unit::Percent, "operations of several planes", &class_percent<PackageClass::PlaneSharing>},
         {"die_and_plane", Unit::Percent, "operations of several dies and planes",
          &class_percent<PackageClass::DieAndPlane>}});
    return table;
}

const Table<PackageCounters>& breakdown_statistics()
{
    static const Table<PackageCounters> table(
        {{"bus", Unit::Percent,
          "time of a package, mean over all packages, in which a segment for it is on the channel. The five parts of "
          "`flash.breakdown` are 100 together; of several that hold at once the first counts. `null` without "
          "`observe.packages`",
          &time_percent<PackageTime::Bus>},
         {"cell", Unit::Percent, "time in which an array of it works", &time_percent<PackageTime::Cell>},
         {"wait_channel", Unit::Percent,
          "time in which an operation of it waits for the channel (RTL controllers: only once its first segment has "
          "run)",
          &time_percent<PackageTime::WaitChannel>},
         {"wait_die", Unit::Percent,
          "time in which the head of the queue (`vaq`) is for it and is held by a conflict",
          &time_percent<PackageTime::WaitDie>},
         {"idle", Unit::Percent, "time in which none of the others holds", &time_percent<PackageTime::Idle>}});
    return table;
}

} // namespace

const Table<std::optional<PackageCounters>>& package_statistics()
{
    using C = std::optional<PackageCounters>;
    static const Table<C> table(
        {{"conflict_wait_us.package", Unit::Microseconds,
          "scheduler `vaq`: sum over operations of the time for which one, at the head of the queue, is held by a "
          "conflict; 0 with other schedulers, which have no such queue. `null` without `observe.packages`",
          [](const C& c) { return c ? std::optional<Picoseconds>(c->conflict_wait) : std::nullopt; }},
         {"package_operations", Unit::Count,
          "operations of packages: what a package is given at once. One operation, or those of one opcode on "
          "several dies of the package that `vaq.join_window` commits together; garbage collection's too. `null` "
          "without `observe.packages`",
          [](const C& c) { return c ? std::optional<u64>(c->all_operations()) : std::nullopt; }},
         {"parallelism", "operations of packages by class", parallelism_statistics, [](const C& c) { return c; }},
         {"breakdown", "time of a package by what it does", breakdown_statistics, [](const C& c) { return c; }}});
    return table;
}

const Table<std::optional<Picoseconds>>& occupied_statistics()
{
    using O = std::optional<Picoseconds>;
    static const Table<O> table(
        {{"occupied_s", Unit::Seconds,
          "time for which an operation of the channel had begun and not ended: waits, arrays and data on their way to "
          "DRAM included. `null` without `observe.packages`",
          [](const O& o) { return o; }}});
    return table;
}

const Table<StageReading>& stage_statistics()
{
    using S = StageReading;
    static const Table<S> table(
        {{"", "", observe::stage_statistics, [](const S& s) -> const observe::StageSums& { return s.all; }},
         {"reads", "the same means over reads", observe::stage_statistics,
          [](const S& s) -> const observe::StageSums& { return s.reads; }},
         {"writes", "the same means over writes", observe::stage_statistics,
          [](const S& s) -> const observe::StageSums& { return s.writes; }}});
    return table;
}

const Table<SlowReading>& slowest_statistics()
{
    using S = SlowReading;
    static const Table<S> table(
        {{"job", Unit::None, "number of the request's job", [](const S& s) { return u64{s.request.job}; }},
         observe::Statistic<S>{"kind", Unit::None, "kind of the request",
                               [](const S& s) { return std::string(kind_of(s.request.command.opcode)); }}
             .one_of({"read", "write"}),
         {"lba", Unit::Sectors, "its first sector", [](const S& s) { return u64{s.request.command.lba}; }},
         {"bytes", Unit::Bytes, "its size",
          [](const S& s) { return u64{s.request.command.sectors} * kSectorBytes; }},
         {"tag", Unit::None, "its tag", [](const S& s) { return u64{s.request.command.tag}; }},
         {"arrival_us", Unit::Microseconds, "its arrival, from the start of the workload",
          [](const S& s) { return s.request.arrival - s.origin; }},
         {"issued_us", Unit::Microseconds, "its issue, from the start of the workload",
          [](const S& s) { return s.request.issued - s.origin; }},
         {"latency_us", Unit::Microseconds, "issue to completion", [](const S& s) { return s.request.latency(); }},
         {"response_us", Unit::Microseconds, "arrival to completion",
          [](const S& s) { return s.request.ended - s.request.arrival; }},
         {"hit", Unit::None, "the buffer had all of its pages", [](const S& s) { return s.request.hit; }},
         {"flash_ops", Unit::Count,
          "page reads and programs that were done for it while it waited for them; of a multi-plane operation each "
          "page counts; a page of several mapping units counts for the command of its first. 0 for a page that "
          "another request was reading already",
          [](const S& s) { return u64{s.request.flash_ops}; }},
         {"stages_us", "its stages; they add up to `latency_us`", observe::stage_time_statistics,
          [](const S& s) -> const observe::StageTimes& { return s.request.times; }},
         {"cause", Unit::None, "one sentence: the largest stage, its share, and what stood in the way",
          [](const S& s) { return cause_of(s.request, s.device); }}});
    return table;
}

const char* kind_of(u8 opcode)
{
    switch (opcode) {
    case HAL_HOST_READ:
        return "read";
    case HAL_HOST_WRITE:
        return "write";
    case HAL_HOST_FLUSH:
        return "flush";
    case HAL_HOST_TRIM:
        return "trim";
    default:
        return "unknown";
    }
}

} // namespace tlmssd::probes
