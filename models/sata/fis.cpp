// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: packing and unpacking of FISes, byte by byte (docs/reference/sata-facts.md, "FISes").
#include "models/sata/fis.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"

namespace tlmssd::sata {

namespace {

constexpr u32 kMaxTrimEntry = 0xffff;
constexpr u32 kTrimEntries = 64; // of 8 bytes, in a block
constexpr u64 kLbaMask = 0xffffffffffffull; // 48 bits

void put32(FisBytes& bytes, u32 at, u32 value) { set_fis_dword(bytes, at / 4, value); }

u32 get32(const FisBytes& bytes, u32 at) { return fis_dword(bytes, at / 4); }

void put_lba(FisBytes& bytes, u64 lba)
{
    for (u32 i = 0; i < 3; ++i) {
        bytes[4 + i] = static_cast<u8>(lba >> (8 * i));
        bytes[8 + i] = static_cast<u8>(lba >> (24 + 8 * i));
    }
}

u64 get_lba(const FisBytes& bytes)
{
    u64 lba = 0;
    for (u32 i = 0; i < 3; ++i) {
        lba |= u64{bytes[4 + i]} << (8 * i) | u64{bytes[8 + i]} << (24 + 8 * i);
    }
    return lba;
}

u8 flag(bool on, u32 bit) { return static_cast<u8>(on ? 1u << bit : 0u); }

u8 port_byte(u8 port, u8 flags) { return static_cast<u8>((port & 0x0f) | flags); }

void put_entry(Block& block, u32 index, u64 lba, u32 sectors)
{
    const u64 entry = (lba & kLbaMask) | u64{sectors} << 48;
    for (u32 i = 0; i < 8; ++i) {
        block[index * 8 + i] = static_cast<u8>(entry >> (8 * i));
    }
}

u64 get_entry(const Block& block, u32 index)
{
    u64 entry = 0;
    for (u32 i = 0; i < 8; ++i) {
        entry |= u64{block[index * 8 + i]} << (8 * i);
    }
    return entry;
}

/// Tag and priority of a queued command.
void put_tag(const hal_host_command& command, RegisterH2D& fis)
{
    fis.count = static_cast<u16>((command.tag & 0x1f) << 3);
    fis.port = static_cast<u8>(command.tag >> 5);
    if ((command.flags & HAL_HOST_PRIORITY_MASK) >> HAL_HOST_PRIORITY_SHIFT >= 2) {
        fis.count = static_cast<u16>(fis.count | ata::kPriorityHigh);
    }
}

void get_tag(const RegisterH2D& fis, hal_host_command& command)
{
    command.tag = static_cast<u16>((fis.count >> 3 & 0x1f) | (fis.port & 7) << 5);
    if ((fis.count & ata::kPriorityMask) == ata::kPriorityHigh) {
        command.flags = static_cast<u8>(command.flags | 2u << HAL_HOST_PRIORITY_SHIFT);
    }
}

} // namespace

u32 fis_dwords(u8 type)
{
    switch (static_cast<FisType>(type)) {
    case FisType::RegisterH2D:
    case FisType::RegisterD2H: return kRegisterDwords;
    case FisType::DmaActivate: return kDmaActivateDwords;
    case FisType::DmaSetup: return kDmaSetupDwords;
    case FisType::Data: return kDataHeaderDwords;
    case FisType::PioSetup: return kPioSetupDwords;
    case FisType::SetDeviceBits: return kSetDeviceBitsDwords;
    }
    return 0;
}

void pack(const RegisterH2D& fis, FisBytes& bytes)
{
    bytes[0] = static_cast<u8>(FisType::RegisterH2D);
    bytes[1] = port_byte(fis.port, flag(fis.c, 7));
    bytes[2] = fis.command;
    bytes[3] = static_cast<u8>(fis.features);
    put_lba(bytes, fis.lba);
    bytes[7] = fis.device;
    bytes[11] = static_cast<u8>(fis.features >> 8);
    bytes[12] = static_cast<u8>(fis.count);
    bytes[13] = static_cast<u8>(fis.count >> 8);
    bytes[14] = fis.icc;
    bytes[15] = fis.control;
    put32(bytes, 16, fis.auxiliary);
}

void unpack(const FisBytes& bytes, RegisterH2D& fis)
{
    fis.port = bytes[1] & 0x0f;
    fis.c = bytes[1] >> 7;
    fis.command = bytes[2];
    fis.features = static_cast<u16>(bytes[3] | bytes[11] << 8);
    fis.lba = get_lba(bytes);
    fis.device = bytes[7];
    fis.count = static_cast<u16>(bytes[12] | bytes[13] << 8);
    fis.icc = bytes[14];
    fis.control = bytes[15];
    fis.auxiliary = get32(bytes, 16);
}

void pack(const RegisterD2H& fis, FisBytes& bytes)
{
    bytes[0] = static_cast<u8>(FisType::RegisterD2H);
    bytes[1] = port_byte(fis.port, flag(fis.interrupt, 6));
    bytes[2] = fis.status;
    bytes[3] = fis.error;
    put_lba(bytes, fis.lba);
    bytes[7] = fis.device;
    bytes[11] = 0;
    bytes[12] = static_cast<u8>(fis.count);
    bytes[13] = static_cast<u8>(fis.count >> 8);
    bytes[14] = bytes[15] = 0;
    put32(bytes, 16, 0);
}

void unpack(const FisBytes& bytes, RegisterD2H& fis)
{
    fis.port = bytes[1] & 0x0f;
    fis.interrupt = bytes[1] >> 6 & 1;
    fis.status = bytes[2];
    fis.error = bytes[3];
    fis.lba = get_lba(bytes);
    fis.device = bytes[7];
    fis.count = static_cast<u16>(bytes[12] | bytes[13] << 8);
}

void pack(const DmaSetup& fis, FisBytes& bytes)
{
    bytes[0] = static_cast<u8>(FisType::DmaSetup);
    bytes[1] = port_byte(fis.port, flag(fis.to_host, 5) | flag(fis.interrupt, 6) |
                                       flag(fis.auto_activate, 7));
    bytes[2] = bytes[3] = 0;
    put32(bytes, 4, fis.tag & 0x1f);
    put32(bytes, 8, 0);
    put32(bytes, 12, 0);
    put32(bytes, 16, fis.offset);
    put32(bytes, 20, fis.count);
    put32(bytes, 24, 0);
}

void unpack(const FisBytes& bytes, DmaSetup& fis)
{
    fis.port = bytes[1] & 0x0f;
    fis.to_host = bytes[1] >> 5 & 1;
    fis.interrupt = bytes[1] >> 6 & 1;
    fis.auto_activate = bytes[1] >> 7 & 1;
    fis.tag = bytes[4] & 0x1f;
    fis.offset = get32(bytes, 16);
    fis.count = get32(bytes, 20);
}

void pack(const PioSetup& fis, FisBytes& bytes)
{
    bytes[0] = static_cast<u8>(FisType::PioSetup);
    bytes[1] = port_byte(fis.port, flag(fis.to_host, 5) | flag(fis.interrupt, 6));
    bytes[2] = fis.status;
    bytes[3] = fis.error;
    put_lba(bytes, fis.lba);
    bytes[7] = fis.device;
    bytes[11] = 0;
    bytes[12] = static_cast<u8>(fis.count);
    bytes[13] = static_cast<u8>(fis.count >> 8);
    bytes[14] = 0;
    bytes[15] = fis.end_status;
    bytes[16] = static_cast<u8>(fis.bytes);
    bytes[17] = static_cast<u8>(fis.bytes >> 8);
    bytes[18] = bytes[19] = 0;
}

void unpack(const FisBytes& bytes, PioSetup& fis)
{
    fis.port = bytes[1] & 0x0f;
    fis.to_host = bytes[1] >> 5 & 1;
    fis.interrupt = bytes[1] >> 6 & 1;
    fis.status = bytes[2];
    fis.error = bytes[3];
    fis.lba = get_lba(bytes);
    fis.device = bytes[7];
    fis.count = static_cast<u16>(bytes[12] | bytes[13] << 8);
    fis.end_status = bytes[15];
    fis.bytes = static_cast<u16>(bytes[16] | bytes[17] << 8);
}

void pack(const SetDeviceBits& fis, FisBytes& bytes)
{
    bytes[0] = static_cast<u8>(FisType::SetDeviceBits);
    bytes[1] = port_byte(fis.port, flag(fis.interrupt, 6) | flag(fis.notification, 7));
    bytes[2] = fis.status & 0x77;
    bytes[3] = fis.error;
    put32(bytes, 4, fis.sactive);
}

void unpack(const FisBytes& bytes, SetDeviceBits& fis)
{
    fis.port = bytes[1] & 0x0f;
    fis.interrupt = bytes[1] >> 6 & 1;
    fis.notification = bytes[1] >> 7 & 1;
    fis.status = bytes[2] & 0x77;
    fis.error = bytes[3];
    fis.sactive = get32(bytes, 4);
}

void pack_dma_activate(FisBytes& bytes)
{
    put32(bytes, 0, static_cast<u32>(FisType::DmaActivate));
}

void pack_data(FisBytes& bytes) { put32(bytes, 0, static_cast<u32>(FisType::Data)); }

RegisterH2D encode_command(const hal_host_command& command, CommandStyle style)
{
    RegisterH2D fis;
    fis.device = ata::kDeviceLba;
    switch (command.opcode) {
    case HAL_HOST_READ:
    case HAL_HOST_WRITE:
        if (!style.ncq) {
            fis.command = command.opcode == HAL_HOST_READ ? ata::kReadDmaExt
                          : command.flags & HAL_HOST_FUA  ? ata::kWriteDmaFuaExt
                                                          : ata::kWriteDmaExt;
            fis.count = static_cast<u16>(command.sectors); // 65,536 is sent as 0
            fis.lba = command.lba;
            return fis;
        }
        fis.command = command.opcode == HAL_HOST_READ ? ata::kReadFpdma : ata::kWriteFpdma;
        fis.features = static_cast<u16>(command.sectors); // 65,536 is sent as 0
        put_tag(command, fis);
        fis.lba = command.lba;
        if (command.flags & HAL_HOST_FUA) {
            fis.device |= ata::kDeviceFua;
        }
        return fis;
    case HAL_HOST_FLUSH:
        fis.command = ata::kFlushCacheExt;
        return fis;
    case HAL_HOST_TRIM:
        if (style.queued_trim) {
            fis.command = ata::kSendFpdma;
            fis.features = 1;
            put_tag(command, fis);
            fis.count = static_cast<u16>(fis.count | ata::kSubcommandDsm);
            fis.auxiliary = ata::kAuxiliaryTrim;
            return fis;
        }
        fis.command = ata::kDataSetManagement;
        fis.features = ata::kFeatureTrim;
        fis.count = 1;
        return fis;
    default:
        throw ModelError("sata: no ATA command for host opcode " + std::to_string(command.opcode));
    }
}

bool decode_command(const RegisterH2D& fis, hal_host_command& command)
{
    command = hal_host_command{};
    switch (fis.command) {
    case ata::kReadFpdma:
    case ata::kWriteFpdma:
        command.opcode = fis.command == ata::kReadFpdma ? HAL_HOST_READ : HAL_HOST_WRITE;
        command.lba = fis.lba;
        command.sectors = fis.features == 0 ? 65536u : fis.features;
        command.flags = fis.device & ata::kDeviceFua ? HAL_HOST_FUA : 0;
        get_tag(fis, command);
        return true;
    case ata::kSendFpdma:
        command.opcode = HAL_HOST_TRIM;
        get_tag(fis, command);
        return fis.features == 1 && (fis.count & ata::kSubcommandMask) == ata::kSubcommandDsm &&
               fis.auxiliary == ata::kAuxiliaryTrim;
    case ata::kReadDmaExt:
    case ata::kWriteDmaExt:
    case ata::kWriteDmaFuaExt:
        command.opcode = fis.command == ata::kReadDmaExt ? HAL_HOST_READ : HAL_HOST_WRITE;
        command.lba = fis.lba;
        command.sectors = fis.count == 0 ? 65536u : fis.count;
        command.flags = fis.command == ata::kWriteDmaFuaExt ? HAL_HOST_FUA : 0;
        return true;
    case ata::kReadDma:
    case ata::kWriteDma:
        command.opcode = fis.command == ata::kReadDma ? HAL_HOST_READ : HAL_HOST_WRITE;
        command.lba = (fis.lba & 0xffffff) | u64{fis.device & 0xfu} << 24;
        command.sectors = (fis.count & 0xff) == 0 ? 256u : fis.count & 0xffu;
        return true;
    case ata::kFlushCache:
    case ata::kFlushCacheExt:
    case ata::kStandbyImmediate:
        command.opcode = HAL_HOST_FLUSH;
        return true;
    case ata::kDataSetManagement:
        command.opcode = HAL_HOST_TRIM;
        return fis.features == ata::kFeatureTrim && fis.count == 1;
    default:
        return false;
    }
}

void pack_trim(u64 lba, u32 sectors, Block& block)
{
    block.fill(0);
    const u32 first = sectors < kMaxTrimEntry ? sectors : kMaxTrimEntry;
    put_entry(block, 0, lba, first);
    const u32 rest = sectors - first;
    put_entry(block, 1, rest == 0 ? 0 : lba + first, rest);
}

bool unpack_trim(const Block& block, u64& lba, u32& sectors)
{
    lba = sectors = 0;
    for (u32 i = 0; i < kTrimEntries; ++i) {
        const u64 entry = get_entry(block, i);
        const u32 count = static_cast<u32>(entry >> 48);
        if (count == 0) {
            continue;
        }
        if (sectors != 0 && (entry & kLbaMask) != lba + sectors) {
            return false;
        }
        lba = sectors == 0 ? entry & kLbaMask : lba;
        sectors += count;
    }
    return sectors != 0;
}

} // namespace tlmssd::sata
