// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: offsets and bits of a PCI function's configuration space, MSI and MSI-X (docs/explanation/pci.md).
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::pci {

inline constexpr u32 kConfigBytes = 4096;
inline constexpr u32 kBars = 6;

// Type 0 header.
inline constexpr u32 kVendor = 0x00;
inline constexpr u32 kDevice = 0x02;
inline constexpr u32 kCommand = 0x04;
inline constexpr u32 kStatus = 0x06;
inline constexpr u32 kRevision = 0x08;
inline constexpr u32 kClass = 0x09; ///< three bytes
inline constexpr u32 kCacheLine = 0x0c;
inline constexpr u32 kLatencyTimer = 0x0d;
inline constexpr u32 kBar0 = 0x10;
inline constexpr u32 kSubsystemVendor = 0x2c;
inline constexpr u32 kSubsystem = 0x2e;
inline constexpr u32 kCapabilities = 0x34;
inline constexpr u32 kInterruptLine = 0x3c;
inline constexpr u32 kFirstCapability = 0x40;

inline constexpr u32 kCommandMemory = 1u << 1;
inline constexpr u32 kCommandMaster = 1u << 2;
inline constexpr u32 kCommandNoIntx = 1u << 10;
inline constexpr u32 kStatusCapabilities = 1u << 4;
inline constexpr u32 kBar64 = 2u << 1; ///< type: 64 bits

// Capabilities: offsets from the start of each.
inline constexpr u8 kMsiId = 0x05;
inline constexpr u32 kMsiControl = 2;
inline constexpr u32 kMsiAddress = 4;
inline constexpr u32 kMsiAddressHigh = 8;
inline constexpr u32 kMsiData = 12;
inline constexpr u32 kMsiBytes = 14;
inline constexpr u32 kMsiEnable = 1u << 0;
inline constexpr u32 kMsi64 = 1u << 7;

inline constexpr u8 kMsixId = 0x11;
inline constexpr u32 kMsixControl = 2;
inline constexpr u32 kMsixTable = 4;
inline constexpr u32 kMsixPba = 8;
inline constexpr u32 kMsixBytes = 12;
inline constexpr u32 kMsixMaskAll = 1u << 14;
inline constexpr u32 kMsixEnable = 1u << 15;
inline constexpr u32 kMsixEntryBytes = 16;

/// Advanced features: function level reset of a conventional function.
inline constexpr u8 kAfId = 0x13;
inline constexpr u32 kAfLength = 2;
inline constexpr u32 kAfCapabilities = 3;
inline constexpr u32 kAfControl = 4;
inline constexpr u32 kAfBytes = 6;
inline constexpr u32 kAfFlr = 1u << 1; ///< and bit 0: the transactions-pending bit

/// A memory BAR.
struct BarFacts {
    u32 bytes = 0;     ///< a power of two from 16 on; 0: no BAR
    bool wide = false; ///< 64 bits: it takes the next one too
};

/// All by which one function differs from another.
struct FunctionFacts {
    u16 vendor = 0;
    u16 device = 0;
    u32 class_code = 0; ///< 24 bits: base class, sub-class, interface
    std::array<BarFacts, kBars> bars{};
    u32 device_bar = 0; ///< the BAR that leads to the device
    bool msi = false;
    u32 vectors = 0;    ///< of MSI-X; 0: none
    u32 msix_table = 0; ///< offset in `device_bar`, a multiple of 8
    u32 msix_pba = 0;
};

/// Vendor and device numbers belong to nobody, so that no driver knows quirks of them.
inline constexpr u16 kOwnVendor = 0xfa55;

/// A SATA controller: AHCI registers in BAR 5, MSI.
constexpr FunctionFacts ahci_function()
{
    FunctionFacts facts;
    facts.vendor = kOwnVendor;
    facts.device = 0x0a0c;
    facts.class_code = 0x010601;
    facts.bars[5] = {4096, false};
    facts.device_bar = 5;
    facts.msi = true;
    return facts;
}

/// An NVM Express controller: registers and doorbells in BAR 0, MSI-X behind them.
constexpr FunctionFacts nvme_function(u32 vectors)
{
    FunctionFacts facts;
    facts.vendor = kOwnVendor;
    facts.device = 0x0e0c;
    facts.class_code = 0x010802;
    facts.bars[0] = {16384, true};
    facts.device_bar = 0;
    facts.vectors = vectors;
    facts.msix_table = 0x2000;
    facts.msix_pba = 0x3000;
    return facts;
}

} // namespace tlmssd::pci
