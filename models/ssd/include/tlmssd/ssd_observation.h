// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a device with the registers of a controller shows of its commands.
#pragma once

#include <cstdint>
#include <string>

namespace tlmssd {

/// Of an SsdNvme or SsdAhci. Nothing of it changes what the device does. A command is a request from the moment at
/// which the controller has decoded it to the one at which it has ended in the SSD, before its completion entry or FIS.
struct SsdObservation {
    bool stages = false;  ///< follow the stages of requests, unless observe.stages is false
    std::string log;      ///< file with a row per request, and its stages; empty: none
    std::string timeline; ///< file of trace events (docs/guides/timeline.md); empty: none
    std::uint64_t timeline_from_ps = 0;
    std::uint64_t timeline_to_ps = ~std::uint64_t{0};
};

} // namespace tlmssd
