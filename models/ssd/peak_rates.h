// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: peak payload rates of a configuration.
#pragma once

#include "models/config/config.h"

namespace tlmssd::ssd {

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

} // namespace tlmssd::ssd
