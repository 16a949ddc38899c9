// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: steady write amplification, and what to say where it is not reached.
#include "models/aging/steady.h"

#include <algorithm>
#include <cstdio>

#include "models/config/keys/value.h"

namespace tlmssd::aging {

namespace {

std::string decimals(double x, int digits)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, x);
    return text;
}

} // namespace

bool Steady::add(u64 programs)
{
    sums_.push_back(sums_.back() + programs);
    const Agreement found = best();
    return found.size > 0 && found.change <= change_;
}

double Steady::waf(u64 size, u64 back) const
{
    const u64 end = windows() - back * size;
    return static_cast<double>(sums_[end] - sums_[end - size]) /
           static_cast<double>(size * written_);
}

Steady::Agreement Steady::best() const
{
    Agreement found;
    for (u64 size = 1; size * groups_ <= windows(); size *= 2) {
        double sum = 0, least = waf(size, 0), most = least;
        for (u64 back = 0; back < groups_; ++back) {
            const double w = waf(size, back);
            sum += w;
            least = std::min(least, w);
            most = std::max(most, w);
        }
        const double change = sum == 0 ? 0 : (most - least) * groups_ / sum;
        if (found.size == 0 || change < found.change) {
            const u64 all = size * groups_;
            found = {size, change, sums_.back() - sums_[windows() - all], all * written_};
        }
    }
    return found;
}

std::string Steady::missed(const config::Precondition& p, u64 logical_pages, u64 overwritten) const
{
    const double pages = static_cast<double>(logical_pages);
    std::string text = "precondition.steady_limit: " + config::format_real(p.steady_limit) +
                       " times the logical pages are not enough: after " +
                       decimals(static_cast<double>(overwritten) / pages, 2) +
                       " times (windows of " + std::to_string(written_) + " pages) ";
    const Agreement found = best();
    if (found.size == 0) {
        return text + "there were " + std::to_string(windows()) + " of " + std::to_string(groups_) +
               " windows (precondition.steady_windows) since the device was full once: raise the limit";
    }
    text += "the write amplification of the last groups of " + std::to_string(found.size) + " was";
    for (u64 back = groups_; back-- > 0;) {
        text += " " + decimals(waf(found.size, back), 3);
    }
    return text + ", a change of " + decimals(found.change, 4) +
           " where precondition.steady_change is " + config::format_real(p.steady_change) +
           ": raise the limit, or steady_change above what was reached";
}

} // namespace tlmssd::aging
