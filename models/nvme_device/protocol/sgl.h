// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scatter gather lists: the places of data as segments of any length.
#pragma once

#include "models/nvme_device/protocol/host_memory_if.h"
#include "models/nvme_device/protocol/scatter_list.h"
#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

inline constexpr u32 kSglDescriptorBytes = 16;
/// A list of more descriptors is refused: one whose segments point to each other has no end.
inline constexpr u32 kMostSglDescriptors = 4096;

/// The places of `bytes` > 0 bytes from the descriptor of 16 bytes in the command on (Base Specification 1.4, 4.4).
/// Data blocks, bit buckets (data to the host only), segments, last segments. A list longer than the data is allowed;
/// the walk ends where it has all bytes.
Status walk_sgl(HostMemoryIf& memory, const u8* descriptor, u32 bytes, bool to_host, ScatterList& list);

} // namespace tlmssd::nvme_device
