// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of the cores' statistics.
#include "models/cpu/statistics.h"

#include <algorithm>

namespace tlmssd::cpu {

using observe::Table;
using observe::Unit;

namespace {

std::vector<std::optional<double>> busy_fractions(const CpuReading& r)
{
    std::vector<std::optional<double>> fractions;
    for (const Picoseconds busy : r.busy) {
        fractions.emplace_back(r.seconds > 0 ? std::min(1.0, busy.seconds() / r.seconds) : 0.0);
    }
    return fractions;
}

} // namespace

const Table<CpuReading>& statistics()
{
    using C = CpuReading;
    static const Table<C> table(
        {{"model", Unit::None, "how the firmware runs: `native` or `iss`", &C::model},
         {"mhz", Unit::Megahertz, "clock of each core", &C::mhz},
         observe::Statistic<C>{"busy_fraction", Unit::Fraction, "for each core: time in steps / `sim.time_s`",
                               &busy_fractions}
             .never_empty()});
    return table;
}

} // namespace tlmssd::cpu
