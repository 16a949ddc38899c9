// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SATA frame information structures as bytes, and NCQ commands in them.
#pragma once

#include <array>

#include "firmware/hal/hal.h"
#include "models/common/types.h"
#include "models/sata/ata.h"
#include "models/sata/identify.h"

namespace tlmssd::sata {

/// First byte of a FIS (docs/reference/sata-facts.md).
enum class FisType : u8 {
    RegisterH2D = 0x27,
    RegisterD2H = 0x34,
    DmaActivate = 0x39,
    DmaSetup = 0x41,
    Data = 0x46,
    PioSetup = 0x5f,
    SetDeviceBits = 0xa1
};

// Sizes in dwords. A data FIS has kDataHeaderDwords and its payload.
inline constexpr u32 kRegisterDwords = 5;
inline constexpr u32 kDmaActivateDwords = 1;
inline constexpr u32 kDmaSetupDwords = 7;
inline constexpr u32 kPioSetupDwords = 5;
inline constexpr u32 kSetDeviceBitsDwords = 2;
inline constexpr u32 kDataHeaderDwords = 1;
inline constexpr u32 kMaxDataBytes = 8192;

/// Bytes of any FIS but the payload of a data FIS.
using FisBytes = std::array<u8, 28>;

/// Dword `index` as the link carries it: byte 0 is least significant.
inline u32 fis_dword(const FisBytes& bytes, u32 index)
{
    const u32 at = index * 4;
    return u32{bytes[at]} | u32{bytes[at + 1]} << 8 | u32{bytes[at + 2]} << 16 |
           u32{bytes[at + 3]} << 24;
}
inline void set_fis_dword(FisBytes& bytes, u32 index, u32 value)
{
    for (u32 i = 0; i < 4; ++i) {
        bytes[index * 4 + i] = static_cast<u8>(value >> (8 * i));
    }
}

/// Dwords of a FIS of this type without payload; 0: not one of those that this device or its host
/// sends.
u32 fis_dwords(u8 type);

inline FisType fis_type(const FisBytes& bytes) { return static_cast<FisType>(bytes[0]); }

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

/// PIO setup (5Fh), 20 bytes.
struct PioSetup {
    u8 port = 0;
    bool to_host = true; ///< D: the device sends the data
    bool interrupt = true;
    u8 status = 0;     ///< before the data: DRQ
    u8 error = 0;
    u64 lba = 0;
    u8 device = 0;
    u16 count = 0;
    u8 end_status = 0; ///< E_STATUS: after the data
    u16 bytes = 0;     ///< transfer count
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
void pack(const PioSetup& fis, FisBytes& bytes);
void pack(const SetDeviceBits& fis, FisBytes& bytes);
void pack_dma_activate(FisBytes& bytes);
void pack_data(FisBytes& bytes);

void unpack(const FisBytes& bytes, RegisterH2D& fis);
void unpack(const FisBytes& bytes, RegisterD2H& fis);
void unpack(const FisBytes& bytes, DmaSetup& fis);
void unpack(const FisBytes& bytes, PioSetup& fis);
void unpack(const FisBytes& bytes, SetDeviceBits& fis);

/// How a host wraps commands.
struct CommandStyle {
    bool queued_trim = false; ///< TRIM as SEND FPDMA QUEUED
    bool ncq = true;          ///< READ and WRITE as FPDMA QUEUED, else as DMA EXT
};

/// The command as the registers carry it. FPDMA: sectors in features, tag in count[7:3], priorities 2
/// and 3 as high in count[15:14]; DMA EXT and WRITE DMA FUA EXT: sectors in count, no tag; FLUSH CACHE
/// EXT; DATA SET MANAGEMENT with the TRIM feature and one 512-byte block. Queued TRIM: subcommand
/// 0 in count[12:8], blocks in features, TRIM in bit 0 of auxiliary, tag and priority as in READ and
/// WRITE; its LBA is 0.
RegisterH2D encode_command(const hal_host_command& command, CommandStyle style = {});

/// The reverse (high is priority 2; tag 0 where there is none); false: another command, or one
/// with fields that this device does not take. A TRIM's range comes in its data FIS.
bool decode_command(const RegisterH2D& fis, hal_host_command& command);

/// READ, WRITE or SEND FPDMA QUEUED.
constexpr bool is_queued(u8 ata_command)
{
    return ata_command == ata::kReadFpdma || ata_command == ata::kWriteFpdma ||
           ata_command == ata::kSendFpdma;
}

/// The first two 8-byte entries of a TRIM block: LBA in bits 47:0, sectors in bits 63:48. A request
/// of 65,536 sectors needs both; an entry of 0 sectors is empty. The rest of the block is 0.
void pack_trim(u64 lba, u32 sectors, Block& block);
/// One range of all 64 entries, at most 4,194,240 sectors: each begins where the one before it ends, as Linux sends
/// them; empty ones are passed over. False: they do not join, or all are empty.
bool unpack_trim(const Block& block, u64& lba, u32& sectors);

} // namespace tlmssd::sata
