// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `tlmssd describe`.
#pragma once

#include <string>

#include "models/config/config.h"

namespace tlmssd::platform {

/// The resolved configuration, then capacities and peak rates computed from it.
std::string describe(const config::Config& config);

/// Peak payload rates in 10^6 B/s, each of its resource alone.
struct PeakRates {
    double link_to_host;    ///< data FISes of 8 KiB back to back, or the direct link; 0: no link
    double channel_read;    ///< all channels: full pages read, data of each page without its parity
    double channel_program; ///< all channels: full pages programmed
    double die_read;        ///< all dies: single-plane page reads, array and bus in sequence
    double die_program;
    double dram;
};
PeakRates peak_rates(const config::Config& config);

} // namespace tlmssd::platform
