// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: physical region pages: the places of data by memory pages.
#pragma once

#include "models/nvme_device/protocol/host_memory_if.h"
#include "models/nvme_device/protocol/scatter_list.h"
#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

/// The places of `bytes` > 0 bytes (Base Specification 1.4, 4.3). `page`: bytes of a memory page, CC.MPS. Reads no
/// more of a list than it needs.
Status walk_prp(HostMemoryIf& memory, u64 prp1, u64 prp2, u32 bytes, u32 page, ScatterList& list);

} // namespace tlmssd::nvme_device
