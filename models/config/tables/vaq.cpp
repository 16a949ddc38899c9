// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the scheduler `vaq` (vaq.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(VaqConflict, "die", "package", "channel")

using namespace rows;

std::vector<Key> vaq_keys()
{
    return {
        index("vaq.block", AT(firmware.vaq_block_request), {"die", "request"},
               "what a conflict blocks until it ends")
            .when(kVaq),
        flag("vaq.join_adjacent", AT(firmware.vaq_join), true,
             "join adjacent pages that satisfy the plane rule")
            .when(kVaq),
        integer("vaq.join_window", AT(firmware.vaq_join_window), 1, 1, 1024,
                "transactions at the head of the queue that are committed together, up to the first "
                "conflict; pages among them that satisfy the plane rule join; 1: off")
            .when(kVaq),
        choice("vaq.conflict", AT(vaq.conflict), VaqConflict::Die,
               "what a transaction finds busy: its die, or all dies of its package or channel as one")
            .when(kVaq),
    };
}

} // namespace tlmssd::config
