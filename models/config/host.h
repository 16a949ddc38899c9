// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the host port.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class HostKind : u8 { Sata, Direct, Nvme };

struct Host {
    HostKind kind = HostKind::Sata;
    u32 queue_depth = 32;
    Picoseconds timeout = milliseconds(30000); ///< while commands are open and none ends; 0: none
    double direct_mb_per_s = 0; ///< of the link of `direct` in each direction; 0: no link
};

const char* to_string(HostKind);

} // namespace tlmssd::config
