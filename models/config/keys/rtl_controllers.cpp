// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL controllers of this build, as tlmssd_add_rtl_controller() has described them.
#include "models/config/keys/rtl_controllers.h"

namespace tlmssd::config {

bool RtlController::has(ControllerMode mode) const
{
    switch (mode) {
    case ControllerMode::Serial:
        return serial;
    case ControllerMode::InOrder:
        return inorder;
    case ControllerMode::Ooo:
        break;
    }
    return ooo;
}

std::string RtlController::modes() const
{
    std::string text;
    const auto add = [&](bool has_it, const char* mode) {
        if (has_it) {
            text += (text.empty() ? "" : ", ") + std::string(mode);
        }
    };
    add(serial, "serial");
    add(inorder, "inorder");
    add(ooo, "ooo");
    return text;
}

const std::vector<RtlController>& rtl_controllers()
{
    static const std::vector<RtlController> table = {
#define RTL_CONTROLLER(name, serial, inorder, ooo, registers, no_grants, clump, words) \
    {#name, serial, inorder, ooo, registers, no_grants, clump, words},
#include "rtl_controllers.def"
#undef RTL_CONTROLLER
    };
    return table;
}

const RtlController* find_rtl_controller(const std::string& name)
{
    for (const RtlController& entry : rtl_controllers()) {
        if (name == entry.name) {
            return &entry;
        }
    }
    return nullptr;
}

std::vector<std::string> rtl_controller_choices()
{
    std::vector<std::string> names;
    for (const RtlController& entry : rtl_controllers()) {
        names.emplace_back(entry.name);
    }
    return names.empty() ? std::vector<std::string>{"o3"} : names;
}

} // namespace tlmssd::config
