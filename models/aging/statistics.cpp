// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of preconditioning.
#include "models/aging/statistics.h"

namespace tlmssd::aging {

using observe::Only;
using observe::Table;
using observe::Unit;

const Table<PreconditionReading>& precondition_statistics()
{
    using P = PreconditionReading;
    static constexpr Only<P> kSnapshot{"with `--snapshot`", [](const P& p) { return !p.report.snapshot.empty(); }};
    static const Table<P> table(
        {observe::Statistic<P>{"snapshot", Unit::None,
                               "the `config_hash` with which the device was made. `pages_programmed` and "
                               "`blocks_erased` are then what the firmware did after the mount",
                               [](const P& p) { return p.report.snapshot; }, &kSnapshot}
             .matching("^[0-9a-f]{16}$"),
         {"filled", Unit::Count, "pages that the host wrote in the fill", [](const P& p) { return p.report.filled; }},
         {"overwritten", Unit::Count, "pages that the host wrote afterwards",
          [](const P& p) { return p.report.overwritten; }},
         {"pages_programmed", Unit::Count, "pages programmed in the flash, garbage collection's too",
          [](const P& p) { return p.report.programs; }},
         {"blocks_erased", Unit::Count, "blocks erased", [](const P& p) { return p.report.erases; }},
         {"windows", Unit::Count, "windows that `precondition.steady` has looked at",
          [](const P& p) { return p.report.windows; }},
         {"waf", Unit::Ratio,
          "pages programmed for each page overwritten: with `precondition.steady` over the windows that agreed, "
          "otherwise over all overwrites, and over pages of the fill that were still in the buffer when these began "
          "(with few overwrites it is too high then); `null` without any",
          [](const P& p) {
              return observe::ratio(static_cast<double>(p.report.waf_programs) * p.geometry.part_bytes(),
                                    static_cast<double>(p.report.waf_written) * p.geometry.page_bytes);
          }}});
    return table;
}

} // namespace tlmssd::aging
