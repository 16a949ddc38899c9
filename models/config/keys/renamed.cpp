// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of keys that have changed their name.
#include "models/config/keys/renamed.h"

namespace tlmssd::config {

const std::vector<Renamed>& renamed_keys()
{
    static const std::vector<Renamed> table{
        {"controller.suspends", "controller.suspend_limit"},
        {"nvme.commands", "nvme.command_limit"},
        {"observe.chips", "observe.packages"},
        {"prefetch.pages", "prefetch.sequence_pages"},
    };
    return table;
}

std::string renamed_hint(const std::string& path)
{
    for (const Renamed& key : renamed_keys()) {
        if (key.from == path) {
            return "was renamed to '" + key.to + "'";
        }
    }
    return "";
}

} // namespace tlmssd::config
