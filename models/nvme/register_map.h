// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where the registers of an NVMe controller are (docs/reference/nvme-registers.md).
#pragma once

#include "models/common/types.h"

namespace tlmssd::nvme {

inline constexpr u32 kMinPageBytes = 4096; ///< of host memory, CC.MPS 0

namespace reg {
inline constexpr u32 kCap = 0x00, kVs = 0x08, kIntms = 0x0c, kIntmc = 0x10, kCc = 0x14, kCsts = 0x1c, kNssr = 0x20,
                     kAqa = 0x24, kAsq = 0x28, kAcq = 0x30, kDoorbells = 0x1000;
}

/// The doorbell of a queue; `stride`: CAP.DSTRD.
constexpr u32 submission_bell(u32 queue, u32 stride = 0) { return reg::kDoorbells + 2 * queue * (4u << stride); }
constexpr u32 completion_bell(u32 queue, u32 stride = 0) { return reg::kDoorbells + (2 * queue + 1) * (4u << stride); }

} // namespace tlmssd::nvme
