// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the choices of an NVMe controller in a platform.
#pragma once

#include <string>
#include <systemc>

#include "models/nvme_device/core/facts.h"

namespace tlmssd::nvme_device {

struct FrontOptions {
    Facts facts;                     ///< all but sectors, tags and seed, which are the SSD's
    sc_core::sc_time register_time;   ///< of each register access
    sc_core::sc_time fetch_time;      ///< of the fetch unit, for each turn of arbitration
    sc_core::sc_time completion_time; ///< of the completion unit, for each entry
};

} // namespace tlmssd::nvme_device
