// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: does a geometry fit into a built RTL controller?
#include "models/flash/rtl_straps.h"

#include <string>

#include "models/common/error.h"
#include "models/flash/o3_core.h"

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

constexpr u32 kStampBits = O3Core::kStampBits;

/// At least `time`.
u32 stamps_of(Picoseconds time)
{
    return static_cast<u32>((time.value() + (u64{1} << kStampBits) - 1) >> kStampBits);
}

} // namespace

u32 rtl_ticks(Picoseconds time)
{
    constexpr u32 kTickBits = 16; // o3_pkg::TICK_LSB
    const u64 ticks = (time.value() + (u64{1} << kTickBits) - 1) >> kTickBits;
    if (ticks >= (u64{1} << 23) - 1) {
        throw InputError("controller.kind: rtl: its timers reach 0.54 s, the configuration has " +
                         std::to_string(time.value() / 1000000) + " us (array times, onfi.poll_us)");
    }
    return ticks == 0 ? 0 : static_cast<u32>(ticks + 1);
}

RtlStraps rtl_straps(const config::Controller& config, const Geometry& geometry,
                     const RtlShape& shape)
{
    RtlStraps straps;
    straps.channels = geometry.channels;
    straps.ces = geometry.ces_per_channel();
    straps.luns = geometry.luns_per_ce();
    straps.lun_shift = bits_for(straps.luns);
    straps.mode = config.mode;
    if (straps.mode == config::ControllerMode::Ooo) {
        straps.stations = config.stations;
        straps.age_limit = static_cast<u32>(config.age_limit.value() >> kStampBits);
        straps.suspend = config.suspend;
        straps.suspends = config.suspends;
        straps.suspend_priority = config.suspend_priority;
        straps.suspend_progress = rtl_ticks(config.suspend_progress);
        require(straps.stations, shape.stations, "stations a LUN", "TLMSSD_RTL_STATIONS", false);
    }
    straps.timeout = stamps_of(config.timeout);
    straps.page_bits = geometry.page_bits();
    straps.row_lun = geometry.lun_shift();
    require(straps.channels, shape.channels, "channels", "TLMSSD_RTL_CHANNELS",
            false);
    require(straps.ces << straps.lun_shift, shape.luns, "LUNs a channel", "TLMSSD_RTL_LUNS",
            true);
    require(config.tags, shape.tags, "tags", "TLMSSD_RTL_TAGS", true);
    return straps;
}

} // namespace tlmssd::flash
