// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what transfers take of a PCI Express link (docs/explanation/nvme.md, equations 1 and 2).
#pragma once

#include "models/common/picoseconds.h"
#include "models/config/config.h"

namespace tlmssd::nvme {

/// Picoseconds of a byte in one direction, code included.
double byte_ps(const config::Pcie& config);

/// The packets of a transfer on the link.
struct Packets {
    u32 count = 0;
    u32 bytes = 0; ///< framing and headers included
};
Packets write_packets(const config::Pcie& config, u32 bytes);
Packets completion_packets(const config::Pcie& config, u32 bytes);
Packets read_packets(const config::Pcie& config, u32 bytes); ///< the requests

/// Doorbell, fetch of one entry, completion and its interrupt on an idle link.
Picoseconds least_command_time(const config::Pcie& config);

/// Payload of one direction at most, 10^6 B/s: of writes to host memory, and of reads from it.
double peak_to_host_mb_per_s(const config::Pcie& config);
double peak_to_device_mb_per_s(const config::Pcie& config);

} // namespace tlmssd::nvme
