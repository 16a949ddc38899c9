// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of the SATA link's statistics.
#include "models/sata/statistics.h"

namespace tlmssd::sata {

using observe::Table;
using observe::Unit;

const Table<LinkReading>& link_statistics()
{
    using L = LinkReading;
    static const Table<L> table(
        {{"frames_repeated", Unit::Count,
          "frames that were answered with R_ERR, of the whole run, warm-up included",
          [](const L& l) { return l.link.from_host.repeated + l.link.from_device.repeated; }},
         {"resets", Unit::Count, "COMRESETs, of the whole run", [](const L& l) { return l.link.resets; }},
         {"commands_repeated", Unit::Count, "commands that were sent again, of the whole run",
          &L::commands_repeated},
         {"commands_given_up", Unit::Count,
          "commands that ended with an I/O error after `sata.command_retries`, of the whole run",
          &L::commands_given_up},
         {"line_rate_mbit", Unit::None, "line rate at the end, Mbit/s: the host lowers it where COMRESETs repeat",
          [](const L& l) { return u64{100} * l.link.gbps_tenths; }},
         {"ncq", Unit::None, "NCQ at the end: the host turns it off where a lower line rate does not help", &L::ncq},
         {"held_us", Unit::Microseconds, "time of HOLD, of the whole run",
          [](const L& l) { return l.link.held.microseconds(); }}});
    return table;
}

} // namespace tlmssd::sata
