// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the data structures of the Identify command.
#pragma once

#include <array>

#include "models/nvme_device/core/name_space.h"
#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

inline constexpr u32 kIdentifyBytes = 4096;
inline constexpr u32 kErrorLogEntries = 64;
inline constexpr u32 kFirmwareBytes = 8; ///< of a revision

using IdentifyData = std::array<u8, kIdentifyBytes>;

/// The structure that the command asks for by CNS; a status where there is none.
Status identify(const Submission& command, const Facts& facts, const Namespace& name_space, IdentifyData& data);

} // namespace tlmssd::nvme_device
