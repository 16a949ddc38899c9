// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: order and times of two replays, side by side.
#include "models/replay/replay_compare.h"

#include <algorithm>
#include <sstream>

#include "models/common/error.h"
#include "models/replay/op_check.h"
#include "models/replay/replay.h"
#include "models/replay/replay_log.h"

namespace tlmssd::replay {

namespace {

constexpr u32 kBefore = 2; ///< operations shown before and behind a difference
constexpr u32 kBehind = 3;

using Orders = std::vector<std::vector<u32>>;

void require_same_stream(const ReplayRecord& a, const ReplayRecord& b, const Geometry& g)
{
    if (a.ops.size() != b.ops.size()) {
        throw InputError("--against: the other replay has " + std::to_string(b.ops.size()) +
                         " operations, this one " + std::to_string(a.ops.size()));
    }
    for (std::size_t n = 0; n < a.ops.size(); ++n) {
        const std::string here = text_of_op(a.stream[n].op, g);
        const std::string there = text_of_op(b.stream[n].op, g);
        if (here != there) {
            throw InputError("--against: another stream: operation " + std::to_string(n) + " is " +
                             there + " there and " + here + " here");
        }
    }
}

Picoseconds apart(Picoseconds a, Picoseconds b) { return a < b ? b - a : a - b; }

bool first_of(const std::optional<ReplayDifference::First>& so_far, Picoseconds at)
{
    return !so_far || at < so_far->at;
}

void compare_orders(const ReplayRecord& a, const ReplayRecord& b, const Orders& order_a,
                    const Orders& order_b, ReplayDifference& d)
{
    for (u32 die = 0; die < order_a.size(); ++die) {
        const std::vector<u32>& in_a = order_a[die];
        const std::vector<u32>& in_b = order_b[die];
        d.starts += in_a.size();
        const u32 most = static_cast<u32>(std::max(in_a.size(), in_b.size()));
        for (u32 i = 0; i < most; ++i) {
            if (i < in_a.size() && i < in_b.size() && in_a[i] == in_b[i]) {
                continue;
            }
            ++d.displaced;
            const Picoseconds at = min(i < in_a.size() ? a.ops[in_a[i]].started : kTimeNever,
                                       i < in_b.size() ? b.ops[in_b[i]].started : kTimeNever);
            if (first_of(d.order, at)) {
                d.order = ReplayDifference::First{die, i, at};
            }
        }
    }
}

void compare_times(const ReplayRecord& a, const ReplayRecord& b, const Orders& order_a,
                   Picoseconds tolerance, ReplayDifference& d)
{
    for (u32 die = 0; die < order_a.size(); ++die) {
        for (u32 i = 0; i < order_a[die].size(); ++i) {
            const ReplayedOp& in_a = a.ops[order_a[die][i]];
            const ReplayedOp& in_b = b.ops[order_a[die][i]];
            if (apart(in_a.started, in_b.started) <= tolerance &&
                apart(in_a.completed, in_b.completed) <= tolerance) {
                continue;
            }
            ++d.moved;
            const Picoseconds at = apart(in_a.started, in_b.started) > tolerance
                                       ? min(in_a.started, in_b.started)
                                       : min(in_a.completed, in_b.completed);
            if (first_of(d.times, at)) {
                d.times = ReplayDifference::First{die, i, at};
            }
        }
    }
}

std::string us(Picoseconds time)
{
    if (time == kTimeNever) {
        return "never";
    }
    char text[48];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(time.value()) / 1e6);
    return text;
}

/// One operation and its segments.
void show(std::ostringstream& out, const ReplayRecord& record, u32 n, const Geometry& g, bool mark)
{
    const ReplayedOp& r = record.ops[n];
    out << (mark ? "   > " : "     ") << "operation " << n << " (line " << probes::line_of_op(n) << ") "
        << text_of_op(record.stream[n].op, g) << '\n'
        << "         arrived " << us(r.arrival) << ", started " << us(r.started) << ", ended "
        << us(r.ended) << ", completed " << us(r.completed) << '\n';
    const auto begin = std::lower_bound(
        record.segments.begin(), record.segments.end(), n,
        [](const ReplayedSegment& s, u32 number) { return s.op < number; });
    out << "        ";
    for (auto s = begin; s != record.segments.end() && s->op == n; ++s) {
        out << ' ' << name_of(s->phase) << ' ' << us(s->start) << '-' << us(s->end);
    }
    out << '\n';
}

void show_around(std::ostringstream& out, const ReplayRecord& record, const std::string& name,
                 const std::vector<u32>& order, u32 position, const Geometry& g)
{
    out << "   " << name << ", us:\n";
    const u32 first = position < kBefore ? 0 : position - kBefore;
    const u32 last = std::min<u32>(position + kBehind + 1, static_cast<u32>(order.size()));
    for (u32 i = first; i < last; ++i) {
        show(out, record, order[i], g, i == position);
    }
}

} // namespace

double ReplayDifference::total_difference() const
{
    return total_b == Picoseconds() ? 0 : total_a.seconds() / total_b.seconds() - 1;
}

double ReplayDifference::mean_difference() const { return mean_b == 0 ? 0 : mean_a / mean_b - 1; }

ReplayDifference compare(const ReplayRecord& a, const ReplayRecord& b, const Geometry& geometry,
                         Picoseconds tolerance)
{
    require_same_stream(a, b, geometry);
    const Orders order_a = order_per_die(a, geometry.total_dies());
    const Orders order_b = order_per_die(b, geometry.total_dies());
    ReplayDifference d;
    compare_orders(a, b, order_a, order_b, d);
    compare_times(a, b, order_a, tolerance, d);
    d.total_a = total_time(a);
    d.total_b = total_time(b);
    d.mean_a = mean_latency_ps(a);
    d.mean_b = mean_latency_ps(b);
    return d;
}

std::string text_of(const ReplayDifference& d, const ReplayRecord& a, const ReplayRecord& b,
                    const std::string& name_a, const std::string& name_b, const Geometry& g)
{
    std::ostringstream out;
    char line[200];
    std::snprintf(line, sizeof line,
                  "  total time   %.3f us against %.3f us (%+.3f %%)\n"
                  "  mean latency %.3f us against %.3f us (%+.3f %%)\n",
                  d.total_a.microseconds(), d.total_b.microseconds(), 100 * d.total_difference(),
                  d.mean_a * 1e-6, d.mean_b * 1e-6, 100 * d.mean_difference());
    out << name_a << " against " << name_b << '\n' << line;
    out << "  order        " << d.displaced << " of " << d.starts
        << " operations stand elsewhere in their die's order\n";
    const auto show_first = [&](const ReplayDifference::First& first) {
        const Orders order_a = order_per_die(a, g.total_dies());
        const Orders order_b = order_per_die(b, g.total_dies());
        const u32 in_channel = first.die % g.dies_per_channel();
        out << "die " << first.die << " (ch" << first.die / g.dies_per_channel() << "/ce"
            << in_channel / g.luns_per_ce() << "/lun" << in_channel % g.luns_per_ce()
            << "), position " << first.position << ", at " << us(first.at) << " us\n";
        show_around(out, a, name_a, order_a[first.die], first.position, g);
        show_around(out, b, name_b, order_b[first.die], first.position, g);
    };
    if (d.order) {
        out << "  first difference in order: ";
        show_first(*d.order);
    }
    if (d.times) {
        out << "  " << d.moved << " operations start or complete at other times; the first: ";
        show_first(*d.times);
    } else {
        out << "  no operation starts or completes at another time\n";
    }
    return out.str();
}

} // namespace tlmssd::replay
