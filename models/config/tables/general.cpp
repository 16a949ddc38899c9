// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the whole device and of the run (config.h, scheduler.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(DataKind, "tags", "full")
NAMES(TimerBackend, "queue", "kernel")
TO_STRING(TimerBackend)

using namespace rows;

std::vector<Key> general_keys()
{
    return {
        integer("seed", AT(seed), 1, 0, ~u64{0}, "of all random draws"),
        choice("scheduler", AT(scheduler), Scheduler::INORDER, "request scheduler of the firmware"),
        choice("data", AT(data), DataKind::Tags,
               "tags stand for the data, or real bytes travel too; both are checked on host reads"),
        flag("checker", AT(checker), true, "independent check of the ONFI protocol").cosmetic(),
    };
}

std::vector<Key> time_keys()
{
    return {
        choice("time.backend", AT(timer_backend), TimerBackend::Queue,
               "event queue, or one kernel event a timer; the results are equal")
            .cosmetic(),
    };
}

} // namespace tlmssd::config
