// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whether capacitors can hold a device up long enough for a full buffer.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "models/config/config.h"

namespace tlmssd::ssd {

/// The least time that a buffer full of dirty pages takes to get into flash: all planes program side by side
/// all the time, and nothing else is done. The real need of the device is more.
inline Picoseconds least_save_time(const config::Config& config)
{
    const u64 pages = config.buffer.bytes / config.geometry.page_bytes;
    const u64 planes = config.geometry.total_planes();
    return Picoseconds((pages + planes - 1) / planes * config.nand.t_program.value());
}

/// Empty where it may be enough.
inline std::string hold_up_warning(const config::Config& config)
{
    const Picoseconds least = least_save_time(config);
    if (config.buffer.power != config::BufferPower::Capacitors ||
        least.value() <= u64{config.buffer.hold_up_ms} * 1'000'000'000) {
        return "";
    }
    char text[96];
    std::snprintf(text, sizeof text, "%u are too few: a buffer full of dirty pages takes %.1f ms at least",
                  config.buffer.hold_up_ms, static_cast<double>(least.value()) / 1e9);
    return std::string("buffer.hold_up_ms: ") + text;
}

} // namespace tlmssd::ssd
