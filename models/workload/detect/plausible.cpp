// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which readings of the same lines no real trace would have.
#include "models/workload/detect/plausible.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <unordered_map>

namespace tlmssd::workload {
namespace {

constexpr std::size_t kLeastRows = 16;
constexpr double kLeastGap = 1e-7;        ///< s: 10 million requests per second
constexpr double kMostGap = 10;           ///< s
constexpr u64 kLargeRequest = 2048;       ///< sectors: 1 MiB
constexpr u64 kLeastFollowing = 16;       ///< requests
constexpr u64 kTimesFewer = 8;

double seconds(const Trial& t, u64 ticks)
{
    return static_cast<double>(ticks) * static_cast<double>(t.format->tick_ps()) * 1e-12;
}

/// Between two arrivals, in s.
double mean_gap(const Trial& t)
{
    const auto [first, last] = std::minmax_element(t.rows.begin(), t.rows.end(),
                                                   [](const Row& a, const Row& b) { return a.time < b.time; });
    return seconds(t, last->time - first->time) / static_cast<double>(t.rows.size() - 1);
}

/// Of the requests with data, in sectors; 0: there are none, or all have one size.
u64 smallest_of_several(const Trial& t)
{
    std::set<u64> sizes;
    for (const Row& row : t.rows) {
        if (row.sectors != 0) {
            sizes.insert(row.sectors);
        }
    }
    return sizes.size() < 2 ? 0 : *sizes.begin();
}

/// Requests that begin where the one before on their device ended. One of a single sector does not count as the one
/// before: sizes that were rounded up to pages follow on each other by chance there, read as sectors.
u64 following(const Trial& t)
{
    std::unordered_map<u64, u64> ends;
    u64 count = 0;
    for (const Row& row : t.rows) {
        if (row.sectors == 0) {
            continue;
        }
        const auto found = ends.find(row.device);
        count += found != ends.end() && found->second == row.lba;
        ends[row.device] = row.sectors > 1 ? row.lba + row.sectors : ~u64{0};
    }
    return count;
}

std::string time_text(double s)
{
    static const std::pair<double, const char*> kUnits[] = {{3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    char text[32];
    for (const auto& [size, name] : kUnits) {
        if (s >= size) {
            std::snprintf(text, sizeof text, "%.3g %s", s / size, name);
            return text;
        }
    }
    std::snprintf(text, sizeof text, "%.3g ns", s * 1e9);
    return text;
}

/// Takes those out for which `bad` holds, unless that is all or none; "NAMES would have " and `words` of the first.
template <class Bad, class Words>
void leave_out(Trials& left, std::vector<std::string>& reasons, Bad bad, Words words)
{
    Trials out;
    std::copy_if(left.begin(), left.end(), std::back_inserter(out), [&](const Trial* t) { return bad(*t); });
    if (out.empty() || out.size() == left.size()) {
        return;
    }
    left.erase(std::remove_if(left.begin(), left.end(), [&](const Trial* t) { return bad(*t); }), left.end());
    reasons.push_back(names_of(out) + " would have " + words(*out.front()));
}

} // namespace

std::vector<std::string> leave_plausible(Trials& left)
{
    std::vector<std::string> reasons;
    if (std::any_of(left.begin(), left.end(), [](const Trial* t) { return t->rows.size() < kLeastRows; })) {
        return reasons;
    }
    leave_out(
        left, reasons,
        [](const Trial& t) {
            const double gap = mean_gap(t);
            return gap > 0 && (gap < kLeastGap || gap > kMostGap);
        },
        [](const Trial& t) { return time_text(mean_gap(t)) + " between arrivals on average"; });
    leave_out(
        left, reasons, [](const Trial& t) { return smallest_of_several(t) >= kLargeRequest; },
        [](const Trial& t) { return "no request below " + std::to_string(smallest_of_several(t) / 2) + " KiB"; });
    u64 most = 0;
    for (const Trial* t : left) {
        most = std::max(most, following(*t));
    }
    leave_out(
        left, reasons,
        [most](const Trial& t) { return most >= kLeastFollowing && following(t) * kTimesFewer <= most; },
        [most](const Trial& t) {
            return std::to_string(following(t)) + " requests that follow on the one before, not " + std::to_string(most);
        });
    return reasons;
}

bool same_rows(const Trial& a, const Trial& b)
{
    const u64 a_tick = a.format->tick_ps();
    const u64 b_tick = b.format->tick_ps();
    return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [&](const Row& x, const Row& y) {
        return static_cast<unsigned __int128>(x.time) * a_tick == static_cast<unsigned __int128>(y.time) * b_tick &&
               x.device == y.device && x.lba == y.lba && x.sectors == y.sectors && x.kind == y.kind && x.fua == y.fua &&
               x.preflush == y.preflush && x.line == y.line;
    });
}

std::string names_of(const Trials& trials)
{
    std::string names;
    for (const Trial* t : trials) {
        names += (names.empty() ? "" : ", ") + t->name();
    }
    return names;
}

} // namespace tlmssd::workload
