// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ATA command codes, and the bits of its registers (ACS-3; docs/reference/sata-facts.md, "Commands and
// their fields").
#pragma once

#include "models/common/types.h"

namespace tlmssd::sata::ata {

inline constexpr u8 kReadFpdma = 0x60;
inline constexpr u8 kWriteFpdma = 0x61;
inline constexpr u8 kSendFpdma = 0x64;
inline constexpr u8 kReadDma = 0xc8;  ///< 28 bits of address, 8 of count
inline constexpr u8 kWriteDma = 0xca;
inline constexpr u8 kReadDmaExt = 0x25;
inline constexpr u8 kWriteDmaExt = 0x35;
inline constexpr u8 kWriteDmaFuaExt = 0x3d;
inline constexpr u8 kFlushCache = 0xe7;
inline constexpr u8 kFlushCacheExt = 0xea;
inline constexpr u8 kStandbyImmediate = 0xe0; ///< writes the cache out; there is no motor to stop
inline constexpr u8 kIdentifyDevice = 0xec;
inline constexpr u8 kSetFeatures = 0xef;
inline constexpr u8 kReadLogExt = 0x2f;
inline constexpr u8 kReadLogDmaExt = 0x47;
inline constexpr u8 kDataSetManagement = 0x06;

inline constexpr u16 kFeatureTrim = 0x0001;
inline constexpr u8 kDeviceLba = 0x40;
inline constexpr u8 kDeviceFua = 0x80;
inline constexpr u16 kPriorityHigh = 2u << 14; ///< PRIO of FPDMA QUEUED: 00b normal, 10b high
inline constexpr u16 kPriorityMask = 3u << 14;
inline constexpr u16 kSubcommandMask = 0x1f << 8; ///< of SEND FPDMA QUEUED, in count[12:8]
inline constexpr u16 kSubcommandDsm = 0u << 8;    ///< DATA SET MANAGEMENT
inline constexpr u32 kAuxiliaryTrim = 1;          ///< its TRIM bit, in the auxiliary field
inline constexpr u8 kControlReset = 0x04;         ///< SRST of the control register

inline constexpr u8 kStatusReady = 0x50; ///< DRDY | DSC
inline constexpr u8 kStatusData = 0x58;  ///< DRDY | DSC | DRQ
inline constexpr u8 kStatusError = 0x51; ///< DRDY | DSC | ERR

inline constexpr u8 kErrorAbort = 0x04;       ///< ABRT
inline constexpr u8 kErrorNotFound = 0x10;    ///< IDNF: an address beyond the device's end
inline constexpr u8 kErrorUnreadable = 0x40;  ///< UNC: media data that cannot be corrected
inline constexpr u8 kDiagnosticPassed = 0x01; ///< error register of the signature

// SET FEATURES: subcommands in the features register, and SATA features in count.
inline constexpr u8 kSetWriteCacheOn = 0x02;
inline constexpr u8 kSetWriteCacheOff = 0x82;
inline constexpr u8 kSetTransferMode = 0x03;
inline constexpr u8 kSetSataOn = 0x10;
inline constexpr u8 kSetSataOff = 0x90;
inline constexpr u8 kSetReadAheadOn = 0xaa;
inline constexpr u8 kSetReadAheadOff = 0x55;
inline constexpr u8 kSataOffsets = 0x01;      ///< non-zero buffer offsets in DMA setup
inline constexpr u8 kSataAutoActivate = 0x02; ///< DMA setup auto-activate

} // namespace tlmssd::sata::ata
