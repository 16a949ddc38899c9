// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of the flash controller's statistics.
#include "models/flash/statistics.h"

namespace tlmssd::flash {

namespace {

using observe::Only;
using observe::Table;
using observe::Unit;
using Counts = SegmentPort::ChannelStatistics;
using Die = SegmentPort::DieStatistics;

Counts& operator+=(Counts& a, const Counts& b)
{
    a.page_reads += b.page_reads;
    a.page_programs += b.page_programs;
    a.copybacks += b.copybacks;
    a.block_erases += b.block_erases;
    a.resets += b.resets;
    a.features += b.features;
    a.status_reads += b.status_reads;
    a.polls += b.polls;
    a.suspends += b.suspends;
    a.resumes += b.resumes;
    a.cache_reads += b.cache_reads;
    a.cache_programs += b.cache_programs;
    return a;
}

Counts operator-(const Counts& a, const Counts& b)
{
    return {a.page_reads - b.page_reads, a.page_programs - b.page_programs, a.copybacks - b.copybacks,
            a.block_erases - b.block_erases, a.resets - b.resets, a.features - b.features,
            a.status_reads - b.status_reads, a.polls - b.polls, a.suspends - b.suspends, a.resumes - b.resumes,
            a.cache_reads - b.cache_reads, a.cache_programs - b.cache_programs};
}

Die operator-(const Die& a, const Die& b)
{
    return {a.bus - b.bus, a.array - b.array, a.busy - b.busy, a.contention - b.contention,
            a.channel_wait - b.channel_wait};
}

Picoseconds sum_of(const DieReading& r, Picoseconds Die::*time)
{
    Picoseconds sum;
    for (const Die& die : r.dies) {
        sum += die.*time;
    }
    return sum;
}

Picoseconds idle_time(const DieReading& r)
{
    Picoseconds idle;
    for (const Die& die : r.dies) {
        idle += die.busy < r.elapsed ? r.elapsed - die.busy : Picoseconds();
    }
    return idle;
}

const Table<RtlCounters::Channel>& register_channel_statistics()
{
    using C = RtlCounters::Channel;
    static const Table<C> table(
        {{"reads", Unit::Count, "reads that got their LUN; one with several planes counts once", &C::reads},
         {"programs", Unit::Count, "programs that got their LUN", &C::programs},
         {"erases", Unit::Count, "erases that got their LUN", &C::erases},
         {"resets", Unit::Count, "RESETs that got their LUN", &C::resets},
         {"dependent", Unit::Count, "operations that came to a station after one on which they depend",
          &C::dependent},
         {"fenced", Unit::Count, "other operations that came with their fence closed", &C::fenced},
         {"bus_busy_cycles", Unit::Cycles, "cycles with a segment on the bus", &C::bus_busy},
         {"bus_starved_cycles", Unit::Cycles,
          "cycles without a segment on the bus although operations or segments wait", &C::bus_starved},
         {"blocked_cycles", Unit::Cycles,
          "cycles in which the oldest operation without a station had none to go to, or was a RESET that waited",
          &C::blocked},
         {"lun_busy_cycles", Unit::Cycles, "cycles in which a LUN or more worked", &C::lun_busy}});
    return table;
}

const Table<RtlCounters>& register_statistics()
{
    using R = RtlCounters;
    static const Table<R> table(
        {{"cycles", Unit::Cycles, "clock cycles, gated ones too", &R::cycles},
         {"ended", Unit::Count, "operations completed", &R::ended},
         {"held", Unit::Count, "operations whose end waited for an older one of their stream", &R::held},
         {"outstanding_max", Unit::Count, "most operations in the controller at once", &R::outstanding_max},
         {"channels", "each channel", register_channel_statistics, [](const R& r) { return r.channels; }}});
    return table;
}

} // namespace

Counts SegmentStatistics::total() const
{
    Counts sum;
    for (const Channel& channel : channels) {
        sum += channel.counts;
    }
    return sum;
}

SegmentStatistics SegmentStatistics::since(const SegmentStatistics& before) const
{
    SegmentStatistics s = *this;
    for (std::size_t i = 0; i < before.channels.size(); ++i) {
        s.channels[i].busy = channels[i].busy - before.channels[i].busy;
        s.channels[i].counts = channels[i].counts - before.channels[i].counts;
    }
    for (std::size_t i = 0; i < before.dies.size(); ++i) {
        s.dies[i] = dies[i] - before.dies[i];
    }
    return s;
}

SegmentStatistics statistics_of(const SegmentPort& port, Picoseconds now)
{
    SegmentStatistics s;
    for (u32 channel = 0; channel < port.channels(); ++channel) {
        s.channels.push_back({port.channel_busy(channel, now), port.channel_statistics(channel)});
    }
    for (u32 die = 0; die < port.dies(); ++die) {
        s.dies.push_back(port.die_statistics(die, now));
    }
    return s;
}

const Table<ControllerReading>& controller_statistics()
{
    using R = ControllerReading;
    static constexpr Only<R> kRegisters{"with `controller.rtl: o3`",
                                        [](const R& r) { return r.registers != nullptr; }};
    static constexpr Only<R> kCaches{"with `controller.cache_ops`", [](const R& r) { return r.caches; }};
    static const Table<R> table(
        {observe::Statistic<R>{"effective_mode", Unit::None, "the mode that the controller works in ([o3.md](../explanation/o3.md))", &R::mode}.one_of(
             {"serial", "inorder", "ooo"}),
         {"reordered", Unit::Count,
          "operations that the controller issued while an older one still waited; 0 in order. RTL: operations "
          "whose first segment began before that of an older one",
          [](const R& r) { return r.order.reordered; }},
         {"held", Unit::Count, "completions held back until an older operation of the same stream had ended",
          [](const R& r) { return r.order.held; }},
         {"held_us.mean", Unit::Microseconds, "mean time for which they were held",
          [](const R& r) {
              return observe::ratio(r.order.held_time.microseconds(), static_cast<double>(r.order.held));
          }},
         {"counters", "the controller's own counters of the measured part ([o3-registers.md](o3-registers.md))",
          register_statistics, [](const R& r) -> const RtlCounters& { return *r.registers; }, &kRegisters},
         {"polls", Unit::Count, "status reads that found their LUN still busy (`onfi.ready`)",
          [](const R& r) { return r.segments.polls; }},
         {"suspends", Unit::Count, "suspend commands for programs and erases (`controller.suspend`)",
          [](const R& r) { return r.segments.suspends; }},
         {"resumes", Unit::Count,
          "resume commands; fewer than suspends where operations ended before the suspend took hold",
          [](const R& r) { return r.segments.resumes; }},
         {"cache_reads", Unit::Count, "reads that began while the page before them was still in their die (31h)",
          [](const R& r) { return r.segments.cache_reads; }, &kCaches},
         {"cache_programs", Unit::Count, "programs behind which the next page went to their die at once (15h)",
          [](const R& r) { return r.segments.cache_programs; }, &kCaches}});
    return table;
}

const Table<Counts>& operation_statistics()
{
    static const Table<Counts> table(
        {{"read", Unit::Count,
          "pages read; each plane of a multi-plane operation counts, and so does each reading again of a page "
          "(`ecc.retries`)",
          &Counts::page_reads},
         {"program", Unit::Count, "pages programmed; each plane of a multi-plane operation counts",
          &Counts::page_programs},
         {"erase", Unit::Count, "blocks erased; each plane of a multi-plane operation counts",
          &Counts::block_erases},
         {"reset", Unit::Count, "RESET commands", &Counts::resets}});
    return table;
}

const Table<SegmentStatistics::Channel>& channel_statistics()
{
    using C = SegmentStatistics::Channel;
    static const Table<C> table(
        {{"busy_s", Unit::Seconds, "time for which the channel's bus carried a segment", &C::busy},
         {"reads", Unit::Count, "pages read on it, counted as in `flash.ops`", [](const C& c) { return c.counts.page_reads; }},
         {"programs", Unit::Count, "pages programmed on it",
          [](const C& c) { return c.counts.page_programs; }},
         {"erases", Unit::Count, "blocks erased on it",
          [](const C& c) { return c.counts.block_erases; }}});
    return table;
}

const Table<DieReading>& die_statistics()
{
    using D = DieReading;
    static const Table<D> table(
        {{"die_idle_s", Unit::Seconds,
          "sum over all dies of the time in which a die serves no operation; it is busy from its first command "
          "cycle to the end of data-out, program or erase",
          &idle_time},
         {"contention_us", Unit::Microseconds,
          "sum over all transactions of the time for which one that is next for its die waits while its "
          "package's I/O lines serve another die of that package",
          [](const D& d) { return sum_of(d, &Die::contention); }},
         {"conflict_wait_us.channel", Unit::Microseconds,
          "sum over all transactions of the time for which one that is next for its die waits while the channel "
          "serves another package",
          [](const D& d) { return sum_of(d, &Die::channel_wait); }}});
    return table;
}

const Table<DataPath::EccStatistics>& ecc_statistics()
{
    using E = DataPath::EccStatistics;
    static const Table<E> table(
        {{"codewords", Unit::Count, "codewords decoded; 0 where `nand.errors.enabled` is false", &E::codewords},
         {"corrected_bits", Unit::Bits, "bits corrected, in codewords that could be", &E::corrected_bits},
         {"failed_codewords", Unit::Count,
          "codewords with more errors than ECC corrects, at any read-retry level", &E::failed_codewords},
         {"retries", Unit::Count, "pages read again at a further read-retry level", &E::retries},
         {"uncorrectable_pages", Unit::Count, "pages that were lost at the last level",
          &E::uncorrectable_pages}});
    return table;
}

} // namespace tlmssd::flash
