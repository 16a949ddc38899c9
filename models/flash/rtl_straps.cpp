// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: does a geometry fit into a built RTL controller?
#include "models/flash/rtl_straps.h"

#include <string>

#include "models/common/error.h"

namespace tlmssd::flash {
namespace {

void require(u32 need, u32 built, const char* what, const char* variable,
             bool power_of_two)
{
    if (need > built) {
        throw InputError("controller.kind: rtl: the RTL controller was built for " +
                         std::to_string(built) + " " + what + ", the configuration has " +
                         std::to_string(need) + ": configure with -D" + variable + "=" +
                         std::to_string(power_of_two ? u32{1} << bits_for(need) : need));
    }
}

} // namespace

RtlStraps rtl_straps(const config::Controller& config, const Geometry& geometry,
                     const RtlShape& shape)
{
    RtlStraps straps;
    straps.channels = geometry.channels;
    straps.ces = geometry.ces_per_channel();
    straps.luns = geometry.luns_per_ce();
    straps.lun_shift = bits_for(straps.luns);
    straps.serial = config.mode == config::ControllerMode::Serial;
    require(straps.channels, shape.channels, "channels", "TLMSSD_RTL_CHANNELS",
            false);
    require(straps.ces << straps.lun_shift, shape.luns, "LUNs a channel", "TLMSSD_RTL_LUNS",
            true);
    require(config.tags, shape.tags, "tags", "TLMSSD_RTL_TAGS", true);
    return straps;
}

} // namespace tlmssd::flash
