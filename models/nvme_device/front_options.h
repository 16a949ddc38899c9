// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the choices of an NVMe controller in simulated time.
#pragma once

#include "models/common/picoseconds.h"
#include "models/config/config.h"
#include "models/nvme_device/core/facts.h"

namespace tlmssd::nvme_device {

struct FrontOptions {
    Facts facts;
    u32 sectors_per_unit = 8; ///< of a UnitTag
    config::NvmeUnits units;  ///< times of fetch, decoding and completion
};

/// Of a device at the driver of host.kind nvme: as many queues as it makes, commands of any length.
FrontOptions front_options(const config::Config& config);
/// Of one with these choices of a platform.
FrontOptions front_options(const config::Config& config, const Facts& facts);

} // namespace tlmssd::nvme_device
