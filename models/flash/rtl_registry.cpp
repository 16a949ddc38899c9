// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: makes RTL controllers by name, from the table of tlmssd_add_rtl_controller().
#include "models/flash/rtl_registry.h"

#include "models/common/error.h"

namespace tlmssd::flash {

#define RTL_CONTROLLER(name, ...) std::unique_ptr<RtlModelIf> make_rtl_##name(bool waves);
#include "rtl_controllers.def"
#undef RTL_CONTROLLER

namespace {

struct Entry {
    const char* name;
    std::unique_ptr<RtlModelIf> (*make)(bool waves);
};

const std::vector<Entry>& table()
{
    static const std::vector<Entry> entries = {
#define RTL_CONTROLLER(name, ...) {#name, make_rtl_##name},
#include "rtl_controllers.def"
#undef RTL_CONTROLLER
    };
    return entries;
}

} // namespace

std::vector<std::string> rtl_names()
{
    std::vector<std::string> names;
    for (const Entry& entry : table()) {
        names.emplace_back(entry.name);
    }
    return names;
}

std::unique_ptr<RtlModelIf> make_rtl_model(const std::string& name, bool waves)
{
    if (table().empty()) {
        throw InputError("controller.kind: rtl: this build has no RTL controllers; "
                         "configure it with -DTLMSSD_RTL=ON");
    }
    for (const Entry& entry : table()) {
        if (name == entry.name) {
            return entry.make(waves);
        }
    }
    throw InputError("controller.rtl: no RTL controller \"" + name + "\" in this build; did you mean " +
                     nearest_of(name, rtl_names()) + "? (docs/own-rtl-controller.md adds one)");
}

} // namespace tlmssd::flash
