// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the one namespace: its size and format.
#pragma once

#include "models/nvme_device/core/facts.h"

namespace tlmssd::nvme_device {

/// Formats: 0 has blocks of 512 bytes, 1 of 4096.
struct Namespace {
    explicit Namespace(u64 sectors_512) : sectors(sectors_512) {}

    static constexpr u32 kFormats = 2;
    static constexpr u32 shift_of(u32 format) { return format == 0 ? 0 : 3; }

    u64 sectors; ///< of 512 bytes
    u32 format = 0;
    bool formatting = false;

    u32 shift() const { return shift_of(format); } ///< log2 of the sectors per block
    u64 blocks() const { return sectors >> shift(); }
};

} // namespace tlmssd::nvme_device
