// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of the ISS's statistics.
#include "models/cpu/iss/iss_statistics.h"

namespace tlmssd::cpu {

using observe::Table;
using observe::Unit;

namespace {

using Function = std::pair<std::string, u64>;

const Table<Function>& function_statistics()
{
    static const Table<Function> table(
        {{"name", Unit::None, "name of a function of the firmware", &Function::first},
         {"cycles", Unit::Cycles,
          "its cycles, without those of functions that it calls; the function with most cycles comes first",
          &Function::second}});
    return table;
}

} // namespace

const Table<IssReading>& iss_statistics()
{
    using I = IssReading;
    static const Table<I> table(
        {{"instructions", Unit::Count,
          "instructions executed; this and all of `cpu.iss` covers the whole run, warm-up included "
          "([cpu.md](../explanation/cpu.md))",
          [](const I& i) { return i.iss.instructions(); }},
         observe::Statistic<I>{"core_cycles", Unit::Cycles, "cycles of each core",
                               [](const I& i) { return i.core_cycles; }}
             .never_empty(),
         {"functions", "each function of the firmware", function_statistics,
          [](const I& i) { return i.iss.cycles_by_function(); }}});
    return table;
}

} // namespace tlmssd::cpu
