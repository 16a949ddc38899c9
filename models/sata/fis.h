// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SATA frame information structures as bytes, and NCQ commands in them.
#pragma once

#include <array>

#include "firmware/hal/hal.h"
#include "models/common/types.h"

namespace tlmssd::sata {

/// First byte of a FIS (facts.md 4.1).
enum class FisType : u8 {
    RegisterH2D = 0x27,
    RegisterD2H = 0x34,
    DmaActivate = 0x39,
    DmaSetup = 0x41,
    Data = 0x46,
    SetDeviceBits = 0xa1
};

// Sizes in dwords. A data FIS has kDataHeaderDwords and its payload.
inline constexpr u32 kRegisterDwords = 5;
inline constexpr u32 kDmaActivateDwords = 1;
inline constexpr u32 kDmaSetupDwords = 7;
inline constexpr u32 kSetDeviceBitsDwords = 2;
inline constexpr u32 kDataHeaderDwords = 1;
inline constexpr u32 kMaxDataBytes = 8192;

/// Bytes of any FIS but the payload of a data FIS.
using FisBytes = std::array<u8, 28>;

inline FisType fis_type(const FisBytes& bytes) { return static_cast<FisType>(bytes[0]); }

/// ATA command codes (facts.md 4.2).
namespace ata {
inline constexpr u8 kReadFpdma = 0x60;
inline constexpr u8 kWriteFpdma = 0x61;
inline constexpr u8 kSendFpdma = 0x64;
inline constexpr u8 kFlushCacheExt = 0xea;
inline constexpr u8 kDataSetManagement = 0x06;
inline constexpr u16 kFeatureTrim = 0x0001;
inline constexpr u8 kDeviceLba = 0x40;
inline constexpr u8 kDeviceFua = 0x80;
inline constexpr u16 kPriorityHigh = 2u << 14; ///< PRIO of FPDMA QUEUED: 00b normal, 10b high
inline constexpr u16 kPriorityMask = 3u << 14;
inline constexpr u16 kSubcommandMask = 0x1f << 8; ///< of SEND FPDMA QUEUED, in count[12:8]
inline constexpr u16 kSubcommandDsm = 0u << 8;    ///< DATA SET MANAGEMENT
inline constexpr u32 kAuxiliaryTrim = 1;          ///< its TRIM bit, in the auxiliary field
inline constexpr u8 kStatusReady = 0x50; ///< DRDY | DSC
inline constexpr u8 kStatusError = 0x51; ///< DRDY | DSC | ERR
inline constexpr u8 kErrorAbort = 0x04;  ///< ABRT
} // namespace ata

/// Register - host to device (27h), 20 bytes.
struct RegisterH2D {
    u8 port = 0;     ///< PM port; carries tag bits 7:5 with extended tags
    bool c = true;   ///< command register update
    u8 command = 0;
    u16 features = 0;
    u64 lba = 0;     ///< 48 bits
    u8 device = 0;
    u16 count = 0;
    u8 icc = 0;
    u8 control = 0;
    u32 auxiliary = 0;
};

/// Register - device to host (34h), 20 bytes.
struct RegisterD2H {
    u8 port = 0;
    bool interrupt = false;
    u8 status = 0;
    u8 error = 0;
    u64 lba = 0;
    u8 device = 0;
    u16 count = 0;
};

/// DMA setup (41h), 28 bytes.
struct DmaSetup {
    u8 port = 0;
    bool to_host = false; ///< D: the transmitter of this FIS (the device) sends the data
    bool interrupt = false;
    bool auto_activate = false;
    u32 tag = 0;    ///< 0..31 in the FIS; bits 7:5 in `port`
    u32 offset = 0; ///< bytes from the start of the command's data
    u32 count = 0;  ///< bytes
};

/// Set device bits (A1h), 8 bytes.
struct SetDeviceBits {
    u8 port = 0;
    bool interrupt = true;
    bool notification = false;
    u8 status = 0; ///< bits 6:4 and 2:0 only
    u8 error = 0;
    u32 sactive = 0; ///< bit i: tag i has ended
};

void pack(const RegisterH2D& fis, FisBytes& bytes);
void pack(const RegisterD2H& fis, FisBytes& bytes);
void pack(const DmaSetup& fis, FisBytes& bytes);
void pack(const SetDeviceBits& fis, FisBytes& bytes);
void pack_dma_activate(FisBytes& bytes);
void pack_data(FisBytes& bytes);

void unpack(const FisBytes& bytes, RegisterH2D& fis);
void unpack(const FisBytes& bytes, RegisterD2H& fis);
void unpack(const FisBytes& bytes, DmaSetup& fis);
void unpack(const FisBytes& bytes, SetDeviceBits& fis);

/// The command as the registers carry it: FPDMA for READ and WRITE (sectors in features, tag in
/// count[7:3], priorities 2 and 3 as high in count[15:14]), FLUSH CACHE EXT, DATA SET MANAGEMENT with the TRIM feature and one 512-byte block.
/// `queued_trim`: TRIM as SEND FPDMA QUEUED: subcommand 0 in count[12:8], blocks in features, TRIM
/// in bit 0 of auxiliary, tag and priority as in READ and WRITE; its LBA is 0.
RegisterH2D encode_command(const hal_host_command& command, bool queued_trim = false);

/// The reverse (high is priority 2); false: a command this device does not have. A TRIM's range comes in its data FIS.
bool decode_command(const RegisterH2D& fis, hal_host_command& command);

/// The first two 8-byte entries of a TRIM block: LBA in bits 47:0, sectors in bits 63:48. A request
/// of 65,536 sectors needs both; an entry of 0 sectors is empty.
using TrimEntries = std::array<u8, 16>;
void pack_trim(u64 lba, u32 sectors, TrimEntries& entries);
/// The union of the entries; false: they do not join, or are empty.
bool unpack_trim(const TrimEntries& entries, u64& lba, u32& sectors);

} // namespace tlmssd::sata
