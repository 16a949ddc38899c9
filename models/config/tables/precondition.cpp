// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of preconditioning (precondition.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"
#include "models/config/keys/workload_words.h"

namespace tlmssd::config {

NAMES(Pattern, "sequential", "random")

using namespace rows;

std::vector<Key> precondition_keys()
{
    return {
        real("precondition.fill", AT(precondition.fill), 0, 0, 1,
             "fraction of the logical pages written once before the run"),
        flag("precondition.arithmetic", AT(precondition.arithmetic), true,
             "most of a sequential fill by arithmetic instead of by writes, where the device is the same")
            .cosmetic(),
        flag("precondition.stand_in", AT(precondition.stand_in), true,
             "with cpu.model: iss by firmware for this machine instead of instructions, where the device is the same")
            .cosmetic(),
        real("precondition.overwrite", AT(precondition.overwrite), 0, 0, 1000,
             "then page overwrites, as a fraction of the logical pages"),
        choice("precondition.pattern", AT(precondition.pattern), Pattern::Sequential,
               "order of the fill"),
        real_above("precondition.range", AT(precondition.range), 1, 0, 1,
                   "leading fraction of the logical pages that overwrites fall into"),
        words("precondition.overwrite_pattern", AT(precondition.overwrite_pattern), "random",
              parse_overwrite_pattern,
              [](const OverwritePattern& p) { return p.sequential ? "sequential" : p.rule.text; },
              "order of the overwrites: sequential, or as workload.random_distribution: random, "
              "zipf:THETA, ..."),
        flag("precondition.steady", AT(precondition.steady), false,
             "then overwrite on until write amplification is steady (docs/guides/used-device.md)"),
        real_above("precondition.steady_window", AT(precondition.steady_window), 0.1, 0, 100,
                   "overwrites of a window, as a fraction of the logical pages")
            .when(kSteady),
        integer("precondition.steady_windows", AT(precondition.steady_windows), 5, 2, 1000,
                "number of last windows, or of groups of 2, 4, ... windows, must agree")
            .when(kSteady),
        real_above("precondition.steady_change", AT(precondition.steady_change), 0.02, 0, 1,
                   "largest range of their write amplification, as a fraction of its mean")
            .when(kSteady),
        real_above("precondition.steady_limit", AT(precondition.steady_limit), 20, 0, 1000,
                   "most overwrites in all, as a fraction of the logical pages; not steady then: an error")
            .when(kSteady),
    };
}

} // namespace tlmssd::config
