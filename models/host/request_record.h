// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one request as observers see it.
#pragma once

#include "firmware/hal/hal.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::host {

/// Valid during the call that hands it out.
struct RequestRecord {
    const hal_host_command& command;
    u32 job = 0;         ///< number of its job, from 0
    Picoseconds arrival;
    Picoseconds issued;
    Picoseconds ended;   ///< on_request() only
    u32 status = 0;      ///< hal_host_status; on_request() only
};

} // namespace tlmssd::host
