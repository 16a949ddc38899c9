// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: names and modes of the schedulers, as the firmware's list has them.
#include "models/config/scheduler.h"

#include "models/config/text/names.h"

namespace tlmssd::config {

template <>
const std::vector<std::string>& names_of<Scheduler>()
{
    static const std::vector<std::string> names{
#define SCHED(id, name, ...) #name,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return names;
}

const char* to_string(Scheduler scheduler)
{
    return names_of<Scheduler>()[static_cast<std::size_t>(scheduler)].c_str();
}

ControllerMode mode_of(Scheduler scheduler)
{
    constexpr ControllerMode SERIAL = ControllerMode::Serial;
    constexpr ControllerMode INORDER = ControllerMode::InOrder;
    constexpr ControllerMode OOO = ControllerMode::Ooo;
    constexpr ControllerMode modes[] = {
#define SCHED(id, name, mode, ...) mode,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return modes[static_cast<std::size_t>(scheduler)];
}

bool can(Scheduler scheduler, u32 traits)
{
    constexpr u32 rows[] = {
#define SCHED(id, name, mode, traits, ...) traits,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return (rows[static_cast<std::size_t>(scheduler)] & traits) != 0;
}

} // namespace tlmssd::config
