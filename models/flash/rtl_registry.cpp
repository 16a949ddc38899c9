// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of RTL controllers; a new one is one line here and one tlmssd_rtl() in rtl/.
#include "models/flash/rtl_registry.h"

#include "models/common/error.h"
#ifdef TLMSSD_HAVE_RTL
#include "models/flash/rtl_verilated_models.h"
#endif

namespace tlmssd::flash {
namespace {

struct Entry {
    const char* name;
    std::unique_ptr<RtlModelIf> (*make)(bool waves);
};

const std::vector<Entry>& table()
{
    static const std::vector<Entry> entries = {
#ifdef TLMSSD_HAVE_RTL
        {"round_robin", make_rtl_round_robin},
        {"o3", make_rtl_o3},
#endif
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
                     nearest_of(name, rtl_names()) + "?");
}

} // namespace tlmssd::flash
