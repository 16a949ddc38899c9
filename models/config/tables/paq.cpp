// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the schedulers `paq1` and `paq2` (firmware/core/config.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

using namespace rows;

std::vector<Key> paq_keys()
{
    return {
        index("paq.cluster_limit", AT(firmware.paq_cluster_die), {"package", "die"},
               "what has at most one read of a clump")
            .when(kClumping),
        index("paq.wait", AT(firmware.paq_wait_block), {"skip", "block"},
               "at a package that cannot take a read: go on, or wait (clump by clump)")
            .when(kClumping),
        integer("paq.age_limit_us", AT(firmware.paq_age_limit_us), 0, 0, 1000000000,
                "reads of requests that are older go before all else of their die, garbage collection included")
            .zero("never")
            .when(kClumping),
    };
}

} // namespace tlmssd::config
