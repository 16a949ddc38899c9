// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: errors and flow control of the SATA link in results.json.
#pragma once

#include "models/observe/statistics.h"
#include "models/sata/link.h"

namespace tlmssd::sata {

/// `host.sata`.
struct LinkReading {
    const LinkStats& link;
    u64 commands_repeated; ///< by the host
    u64 commands_given_up; ///< by the host
    bool ncq;              ///< at the end
};
const observe::Table<LinkReading>& link_statistics();

} // namespace tlmssd::sata
