// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: offsets and bits of AHCI: registers, command list, command table, received FISes (docs/explanation/ahci.md).
#pragma once

#include "models/common/types.h"

namespace tlmssd::ahci {

// Generic host control.
inline constexpr u32 kCap = 0x00;
inline constexpr u32 kGhc = 0x04;
inline constexpr u32 kIs = 0x08;
inline constexpr u32 kPi = 0x0c;
inline constexpr u32 kVs = 0x10;
inline constexpr u32 kPort = 0x100; ///< of port 0, the only one

// Of a port.
inline constexpr u32 kPxClb = kPort + 0x00;
inline constexpr u32 kPxClbu = kPort + 0x04;
inline constexpr u32 kPxFb = kPort + 0x08;
inline constexpr u32 kPxFbu = kPort + 0x0c;
inline constexpr u32 kPxIs = kPort + 0x10;
inline constexpr u32 kPxIe = kPort + 0x14;
inline constexpr u32 kPxCmd = kPort + 0x18;
inline constexpr u32 kPxTfd = kPort + 0x20;
inline constexpr u32 kPxSig = kPort + 0x24;
inline constexpr u32 kPxSsts = kPort + 0x28;
inline constexpr u32 kPxSctl = kPort + 0x2c;
inline constexpr u32 kPxSerr = kPort + 0x30;
inline constexpr u32 kPxSact = kPort + 0x34;
inline constexpr u32 kPxCi = kPort + 0x38;
inline constexpr u32 kBytes = kPort + 0x80; ///< of all registers

inline constexpr u32 kVersion = 0x00010301; ///< 1.3.1

// CAP
inline constexpr u32 kCapSlots = 31u << 8; ///< NCS, less one
inline constexpr u32 kCapPmd = 1u << 15;   ///< several DRQ blocks a PIO command
inline constexpr u32 kCapSam = 1u << 18;   ///< AHCI only
inline constexpr u32 kCapSclo = 1u << 24;  ///< PxCMD.CLO
inline constexpr u32 kCapSss = 1u << 27;   ///< staggered spin-up
inline constexpr u32 kCapSncq = 1u << 30;
inline constexpr u32 kCapS64a = 1u << 31;

// GHC
inline constexpr u32 kGhcHr = 1u << 0;
inline constexpr u32 kGhcIe = 1u << 1;
inline constexpr u32 kGhcAe = 1u << 31;

// PxIS, PxIE
inline constexpr u32 kDhrs = 1u << 0;  ///< register FIS with I
inline constexpr u32 kPss = 1u << 1;   ///< PIO setup FIS with I, its data have arrived
inline constexpr u32 kDss = 1u << 2;   ///< DMA setup FIS with I
inline constexpr u32 kSdbs = 1u << 3;  ///< set device bits FIS with I
inline constexpr u32 kUfs = 1u << 4;   ///< unknown FIS: PxSERR.DIAG.F
inline constexpr u32 kDps = 1u << 5;   ///< an entry of the PRDT with I
inline constexpr u32 kPcs = 1u << 6;   ///< connected: PxSERR.DIAG.X
inline constexpr u32 kPrcs = 1u << 22; ///< PhyRdy changed: PxSERR.DIAG.N
inline constexpr u32 kOfs = 1u << 24;  ///< more data than fit into the PRDT
inline constexpr u32 kInfs = 1u << 26; ///< interface, not fatal
inline constexpr u32 kIfs = 1u << 27;  ///< interface, fatal
inline constexpr u32 kHbds = 1u << 28; ///< host bus, data
inline constexpr u32 kHbfs = 1u << 29; ///< host bus, fatal: a bad address
inline constexpr u32 kTfes = 1u << 30; ///< the device's status has ERR
inline constexpr u32 kIsStored = kDhrs | kPss | kDss | kSdbs | kDps | kOfs | kInfs | kIfs | kHbds |
                                 kHbfs | kTfes;
inline constexpr u32 kIsAll = kIsStored | kUfs | kPcs | kPrcs;

// PxCMD
inline constexpr u32 kCmdSt = 1u << 0;
inline constexpr u32 kCmdSud = 1u << 1;
inline constexpr u32 kCmdPod = 1u << 2;
inline constexpr u32 kCmdClo = 1u << 3;
inline constexpr u32 kCmdFre = 1u << 4;
inline constexpr u32 kCmdCcsShift = 8;
inline constexpr u32 kCmdFr = 1u << 14;
inline constexpr u32 kCmdCr = 1u << 15;

// PxTFD
inline constexpr u32 kTfdErr = 0x01;
inline constexpr u32 kTfdDrq = 0x08;
inline constexpr u32 kTfdBsy = 0x80;
inline constexpr u32 kTfdReset = 0x7f;
inline constexpr u32 kSigReset = 0xffffffff;

// PxSSTS, PxSCTL
inline constexpr u32 kDetMask = 0xf;
inline constexpr u32 kDetPresent = 3; ///< and communication established
inline constexpr u32 kDetOffline = 4;
inline constexpr u32 kDetReset = 1;   ///< of PxSCTL: COMRESET
inline constexpr u32 kSpdShift = 4;
inline constexpr u32 kIpmActive = 1u << 8;

// PxSERR
inline constexpr u32 kErrP = 1u << 10;   ///< protocol
inline constexpr u32 kErrE = 1u << 11;   ///< internal
inline constexpr u32 kDiagN = 1u << 16;  ///< PhyRdy change
inline constexpr u32 kDiagH = 1u << 22;  ///< handshake: R_ERR
inline constexpr u32 kDiagF = 1u << 25;  ///< unknown FIS
inline constexpr u32 kDiagX = 1u << 26;  ///< COMINIT

// Command list and table.
inline constexpr u32 kSlots = 32;
inline constexpr u32 kHeaderBytes = 32;
inline constexpr u32 kPrdbcAt = 4;
inline constexpr u32 kCfisBytes = 64;
inline constexpr u32 kPrdtAt = 0x80;
inline constexpr u32 kPrdBytes = 16;

// Received FISes.
inline constexpr u32 kDsfisAt = 0x00;
inline constexpr u32 kPsfisAt = 0x20;
inline constexpr u32 kRfisAt = 0x40;
inline constexpr u32 kSdbfisAt = 0x58;
inline constexpr u32 kUfisAt = 0x60;
inline constexpr u32 kUfisBytes = 64;

inline u32 get32(const u8* bytes)
{
    return u32{bytes[0]} | u32{bytes[1]} << 8 | u32{bytes[2]} << 16 | u32{bytes[3]} << 24;
}

inline void put32(u8* bytes, u32 value)
{
    for (u32 i = 0; i < 4; ++i) {
        bytes[i] = static_cast<u8>(value >> (8 * i));
    }
}

/// 32 bytes of the command list.
struct CommandHeader {
    u32 cfis_dwords = 0; ///< CFL
    bool atapi = false;
    bool write = false;
    bool prefetch = false;
    bool reset = false;
    bool bist = false;
    bool clear_busy = false; ///< C: BSY is cleared when the device has taken the FIS
    u32 port = 0;            ///< PMP
    u32 prds = 0;            ///< PRDTL
    u32 prdbc = 0;           ///< bytes moved
    u64 table = 0;           ///< CTBA: the lowest 7 bits are reserved, taken for 0
};
CommandHeader unpack_header(const u8* bytes);

/// An entry of the PRDT: `bytes` is even, at least 2. Reserved bits are taken for what they have to be.
struct Prd {
    u64 address = 0;
    u32 bytes = 0;
    bool interrupt = false;
};
Prd unpack_prd(const u8* bytes);

} // namespace tlmssd::ahci
