// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the device says of itself: IDENTIFY DEVICE.
#pragma once

#include <array>
#include <string>

#include "models/common/types.h"

namespace tlmssd::sata {

/// 512 bytes that the device makes or takes itself: identity, a log, TRIM ranges.
using Block = std::array<u8, 512>;

/// Facts of a device, for IDENTIFY DEVICE and for checks of addresses.
struct DeviceFacts {
    u64 sectors = u64{1} << 48;     ///< of 512 bytes that the host sees
    u32 tags = 32;                  ///< commands open at once
    u32 gbps_tenths = 60;           ///< line rate: 15, 30, 60
    bool ncq = true;                ///< FPDMA QUEUED
    bool queued_trim = false;       ///< SEND FPDMA QUEUED
    u32 physical_sectors_log2 = 3;  ///< 512-byte sectors of a unit of the map
    std::string model = "tlmssd";   ///< at most 40 characters
    std::string serial = "1";       ///< at most 20
    std::string revision = "1";     ///< at most 8
};

/// What SET FEATURES changes.
struct DeviceSettings {
    bool write_cache = true;
    bool read_ahead = true;
    bool offsets = true;       ///< DMA setups with an offset
    bool auto_activate = true; ///< DMA setups that let the host send at once
};

/// The 256 words as bytes, least significant first, with their checksum (docs/reference/sata-facts.md).
void make_identity(const DeviceFacts& facts, const DeviceSettings& settings, Block& block);

/// Byte 511 such that all 512 bytes add up to 0 modulo 256.
void set_checksum(Block& block);

} // namespace tlmssd::sata
