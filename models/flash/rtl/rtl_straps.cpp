// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: does a geometry fit into a built RTL controller?
#include "models/flash/rtl/rtl_straps.h"

#include <string>

#include "models/common/error.h"
#include "models/flash/o3/o3_core.h"

namespace tlmssd::flash {
namespace {

/// One size of the built shape: its CMake variable (rtl/shape.cmake) and the key that asks for it.
struct Size {
    const char* what;
    const char* variable;
    const char* key;
    u32 most; ///< that can be built
    bool power_of_two;
};
constexpr Size kChannels{"channels", "TLMSSD_RTL_CHANNELS", "geometry.channels", 16, false};
constexpr Size kLuns{"LUNs a channel", "TLMSSD_RTL_LUNS", "geometry.ways, geometry.dies", 64, true};
constexpr Size kTags{"tags", "TLMSSD_RTL_TAGS", "controller.tags", 256, true};
constexpr Size kStations{"stations a LUN", "TLMSSD_RTL_STATIONS", "controller.stations", 16, false};

void require(u32 need, u32 built, const Size& size)
{
    if (need <= built) {
        return;
    }
    const std::string what = std::string(" ") + size.what;
    if (need > size.most) {
        throw InputError("controller.kind: rtl: the configuration has " + std::to_string(need) + what +
                         " (" + size.key + "), more than the RTL can be built for (" + size.variable +
                         " up to " + std::to_string(size.most) + "); the nearest is " +
                         std::to_string(size.most));
    }
    throw InputError("controller.kind: rtl: the RTL controller was built for " + std::to_string(built) +
                     what + ", the configuration has " + std::to_string(need) + " (" + size.key +
                     "): configure with -D" + size.variable + "=" +
                     std::to_string(size.power_of_two ? u32{1} << bits_for(need) : need));
}

/// A RESET takes all LUNs of its CE#.
void require_luns_of_a_ce(const Geometry& geometry, u32 most)
{
    if (most == 0 || geometry.luns_per_ce() <= most) {
        return;
    }
    u32 chip_enables = geometry.chip_enables;
    while (geometry.dies % chip_enables != 0 || geometry.dies / chip_enables > most) {
        ++chip_enables;
    }
    throw InputError("controller.rtl: this controller takes at most " + std::to_string(most) +
                     " LUNs on one CE#, geometry.dies " + std::to_string(geometry.dies) +
                     " / geometry.chip_enables " + std::to_string(geometry.chip_enables) + " is " +
                     std::to_string(geometry.luns_per_ce()) + "; the nearest is geometry.chip_enables " +
                     std::to_string(chip_enables));
}

constexpr u32 kStampBits = O3Core::kStampBits; ///< o3_pkg::STAMP_LSB
constexpr u64 kAges = u64{1} << 23; ///< ages are differences modulo 2^24 stamps

/// At least `time`.
u64 stamps_of(Picoseconds time)
{
    return (time.value() + (u64{1} << kStampBits) - 1) >> kStampBits;
}

/// Any limit above 0 is one stamp at least: with none everything goes by age.
u32 age_limit_of(Picoseconds limit)
{
    const u64 stamps = stamps_of(limit);
    if (stamps >= kAges) {
        throw InputError("controller.age_limit_us: the RTL compares ages below 8.8 s; " +
                         std::to_string(limit.value() / 1000000) + " is too long, the nearest is " +
                         std::to_string(((kAges - 1) << kStampBits) / 1000000));
    }
    return static_cast<u32>(stamps);
}

} // namespace

u32 ready_mask(Picoseconds falls_within, Picoseconds period)
{
    constexpr u32 kMost = 63; // o3_pkg::MASK_W bits
    const u32 ticks = rtl_ticks("nand.ready_falls", falls_within, 3 * period);
    if (ticks > kMost) {
        throw ModelError("rtl: R/B# would have to be masked for " + std::to_string(ticks) + " ticks, of at most " +
                         std::to_string(kMost));
    }
    return ticks;
}

u32 rtl_ticks(const char* name, Picoseconds key, Picoseconds more)
{
    constexpr u32 kTickBits = 16;                 // o3_pkg::TICK_LSB
    constexpr u64 kMost = (u64{1} << 23) - 2;     // half of TICK_W, and one more tick is added
    const u64 ticks = ((key + more).value() + (u64{1} << kTickBits) - 1) >> kTickBits;
    if (ticks > kMost) {
        const u64 nearest = ((kMost << kTickBits) - more.value()) / 1000000;
        throw InputError(std::string(name) + ": " + std::to_string((key.value() + 999999) / 1000000) +
                         " is more than the timers of the RTL reach (controller.kind: rtl); nearest: " +
                         std::to_string(nearest));
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
        straps.age_limit = age_limit_of(config.age_limit);
        straps.suspend = config.suspend;
        straps.suspends = config.suspends;
        straps.suspend_priority = config.suspend_priority;
        straps.suspend_progress = rtl_ticks("controller.suspend_progress_us", config.suspend_progress);
        if (shape.stations != 0) {
            require(straps.stations, shape.stations, kStations);
        }
    }
    straps.timeout = static_cast<u32>(stamps_of(config.timeout)); // 1e9 us at most
    straps.read_retries = config.read_retries;
    straps.page_bits = geometry.page_bits();
    straps.row_lun = geometry.lun_shift();
    require(straps.channels, shape.channels, kChannels);
    require_luns_of_a_ce(geometry, shape.luns_per_ce);
    require(straps.ces << straps.lun_shift, shape.luns, kLuns);
    require(config.tags, shape.tags, kTags);
    return straps;
}

} // namespace tlmssd::flash
