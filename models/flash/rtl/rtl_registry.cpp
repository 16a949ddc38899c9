// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: makes RTL controllers by name, from the table of tlmssd_add_rtl_controller().
#include "models/flash/rtl/rtl_registry.h"

#include "models/common/error.h"

namespace tlmssd::flash {

// clump is `true` or `false`: is there a second model?
#define DECLARE_true(name) std::unique_ptr<RtlModelIf> make_rtl_##name##_clump(bool waves);
#define DECLARE_false(name)
#define RTL_CONTROLLER(name, serial, inorder, ooo, registers, no_grants, clump, words) \
    std::unique_ptr<RtlModelIf> make_rtl_##name(bool waves);                           \
    DECLARE_##clump(name)
#include "rtl_controllers.def"
#undef RTL_CONTROLLER
#undef DECLARE_true
#undef DECLARE_false

namespace {

struct Entry {
    const char* name;
    std::unique_ptr<RtlModelIf> (*make)(bool waves);
    std::unique_ptr<RtlModelIf> (*make_clump)(bool waves); ///< nullptr: no ISSUE_POLICY clump
};

const std::vector<Entry>& table()
{
    static const std::vector<Entry> entries = {
#define CLUMP_true(name) make_rtl_##name##_clump
#define CLUMP_false(name) nullptr
#define RTL_CONTROLLER(name, serial, inorder, ooo, registers, no_grants, clump, words) \
    {#name, make_rtl_##name, CLUMP_##clump(name)},
#include "rtl_controllers.def"
#undef RTL_CONTROLLER
#undef CLUMP_true
#undef CLUMP_false
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

std::unique_ptr<RtlModelIf> make_rtl_model(const std::string& name, bool waves, config::IssuePolicy policy)
{
    if (table().empty()) {
        throw InputError("controller.kind: rtl: this build has no RTL controllers; "
                         "configure it with -DTLMSSD_RTL=ON");
    }
    for (const Entry& entry : table()) {
        if (name == entry.name) {
            if (policy == config::IssuePolicy::FirstCome) {
                return entry.make(waves);
            }
            if (entry.make_clump == nullptr) {
                throw InputError("controller.issue_policy: " + name + " has first_come only; use o3");
            }
            return entry.make_clump(waves);
        }
    }
    throw InputError("controller.rtl: no RTL controller \"" + name + "\" in this build; did you mean " +
                     nearest_of(name, rtl_names()) + "? (docs/start/own-rtl-controller.md adds one)");
}

} // namespace tlmssd::flash
