// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: names of the stages.
#include "models/observe/stages.h"

namespace tlmssd::observe {

const char* to_string(Stage stage)
{
    switch (stage) {
    case Stage::Link:
        return "link";
    case Stage::Hil:
        return "hil";
    case Stage::Buffer:
        return "buffer";
    case Stage::Ftl:
        return "ftl";
    case Stage::Sched:
        return "sched";
    case Stage::WaitDie:
        return "wait_die";
    case Stage::WaitBus:
        return "wait_bus";
    case Stage::Cell:
        return "cell";
    case Stage::Transfer:
        return "transfer";
    case Stage::Dram:
        return "dram";
    }
    return "";
}

} // namespace tlmssd::observe
