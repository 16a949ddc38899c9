// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the schedulers `paq1` and `paq2` (paq.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(PaqClusterLimit, "package", "die")
NAMES(PaqWait, "skip", "block")

using namespace rows;

std::vector<Key> paq_keys()
{
    return {
        choice("paq.cluster_limit", AT(paq.cluster_limit), PaqClusterLimit::Package,
               "what has at most one read of a clump")
            .when(kClumping),
        choice("paq.wait", AT(paq.wait), PaqWait::Skip,
               "at a package that cannot take a read: go on, or wait (clump by clump)")
            .when(kClumping),
        integer("paq.age_limit_us", AT(paq.age_limit_us), 0, 0, 1000000000,
                "reads of requests that are older go first, whatever they conflict with; 0: off")
            .when(kClumping),
    };
}

} // namespace tlmssd::config
