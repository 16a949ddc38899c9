// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the choices of one NVMe controller that do not change.
#pragma once

#include <string>

#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

inline constexpr u32 kMostPairs = 64;          ///< of I/O queues
inline constexpr u32 kQueues = kMostPairs + 1; ///< with the admin queue, 0
inline constexpr u32 kNamespaces = 1;
inline constexpr u32 kMaxPageShift = 4; ///< CAP.MPSMAX: 64 KiB

struct Facts {
    std::string serial = "0";
    std::string model = "tlmssd";
    std::string firmware = "1.0";
    u64 sectors = 0;            ///< of 512 bytes
    u32 tags = 32;              ///< commands in the device at most; 2 or more
    u32 io_commands = 0;        ///< of I/O queues at most; 0: one tag is kept for admin commands
    u32 queue_pairs = kMostPairs;
    u32 queue_entries = 1024;   ///< of an I/O queue at most
    u32 vectors = kQueues;      ///< of interrupts
    u32 doorbell_stride = 0;    ///< CAP.DSTRD: doorbells are 4 << it bytes apart, at most 10
    u32 transfer_pages = 32;    ///< of data of a command at most, of 4 KiB, a power of two: MDTS
    u32 timeout_500ms = 30;     ///< CAP.TO
    bool volatile_cache = true; ///< FLUSH has something to do
    bool tags_by_id = true;     ///< a command has the tag of its identifier where that is free
    u64 seed = 0;               ///< of the identifiers of the namespace
};

} // namespace tlmssd::nvme_device
