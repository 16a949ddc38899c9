// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of the DRAM's statistics.
#include "models/dram/statistics.h"

#include <algorithm>

namespace tlmssd::dram {

namespace {

using observe::Only;
using observe::Table;
using observe::Unit;

const Table<MasterStatistics>& master_statistics()
{
    using M = MasterStatistics;
    static const Table<M> table(
        "dram_master", observe::Show::Rows,
        {{"transfers", Unit::Count, "DRAM transfers of the host port, the flash DMA and the copy engine",
          &M::transfers},
         {"bytes", Unit::Bytes, "bytes of the transfers", &M::bytes},
         {"busy_s", Unit::Seconds, "time for which they had the DRAM", &M::busy},
         {"wait_us.mean", Unit::Microseconds,
          "mean time of a transfer from its request to its end, less that in which it had the DRAM",
          [](const M& m) {
              return m.wait.microseconds() / static_cast<double>(std::max<u64>(m.transfers, 1));
          }},
         {"wait_us.max", Unit::Microseconds, "the longest such wait since power-on, warm-up included",
          [](const M& m) { return m.wait_max.microseconds(); }}});
    return table;
}

const Table<Banks::Statistics>& bank_statistics()
{
    using B = Banks::Statistics;
    static const Table<B> table(
        {{"row_hits", Unit::Count, "rows that a transfer found open ([dram.md](../explanation/dram.md))", &B::hits},
         {"rows_opened", Unit::Count, "rows that it had to open", &B::closed},
         {"row_conflicts", Unit::Count, "rows that it had to open after closing another", &B::conflicts},
         {"refreshes", Unit::Count, "refreshes of all banks", &B::refreshes},
         {"turnarounds", Unit::Count, "changes between reads and writes", &B::turnarounds},
         {"data_s", Unit::Seconds, "time for which the data bus carried data", &B::data}});
    return table;
}

const MasterStatistics& of(const Statistics& s, DramMaster master)
{
    return s.masters[static_cast<std::size_t>(master)];
}

} // namespace

Statistics Statistics::since(const Statistics& before) const
{
    Statistics s;
    s.busy = busy - before.busy;
    for (std::size_t m = 0; m < masters.size(); ++m) {
        s.masters[m] = masters[m].since(before.masters[m]);
    }
    if (banks) {
        s.banks = banks->since(before.banks.value_or(Banks::Statistics()));
    }
    return s;
}

Statistics statistics_of(const Dram& dram, Picoseconds now)
{
    Statistics s;
    s.busy = dram.busy(now);
    for (u32 m = 0; m < kDramMasters; ++m) {
        s.masters[m] = dram.statistics(static_cast<DramMaster>(m), now);
    }
    if (const Banks* const banks = dram.banks()) {
        s.banks = banks->statistics();
    }
    return s;
}

const Table<Statistics>& statistics()
{
    using S = Statistics;
    static constexpr Only<S> kBanks{"with `dram.model: banks`", [](const S& s) { return s.banks.has_value(); }};
    static const Table<S> table(
        {{"busy_s", Unit::Seconds, "time for which the DRAM moved data or opened rows", &S::busy},
         {"masters.link", "the host port", master_statistics,
          [](const S& s) -> const MasterStatistics& { return of(s, DramMaster::Link); }},
         {"masters.flash", "the flash DMA", master_statistics,
          [](const S& s) -> const MasterStatistics& { return of(s, DramMaster::Flash); }},
         {"masters.cpu", "the copy engine", master_statistics,
          [](const S& s) -> const MasterStatistics& { return of(s, DramMaster::Cpu); }},
         {"banks", "rows and refreshes", bank_statistics,
          [](const S& s) -> const Banks::Statistics& { return *s.banks; }, &kBanks}});
    return table;
}

} // namespace tlmssd::dram
