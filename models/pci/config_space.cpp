// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads and writes of a PCI function's configuration space.
#include "models/pci/config_space.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::pci {

namespace {

constexpr u32 kMostVectors = 2048;
constexpr u32 kControlAt = 12; ///< of an entry: bit 0 masks it
constexpr u32 kPbaWordBytes = 8;

bool power_of_two(u32 value) { return value != 0 && (value & (value - 1)) == 0; }

u32 pba_bytes(u32 vectors) { return (vectors + 63) / 64 * kPbaWordBytes; }

} // namespace

ConfigSpace::ConfigSpace(const FunctionFacts& facts) : facts_(facts), pending_(std::max(facts.vectors, 1u))
{
    if (facts_.vectors > kMostVectors) {
        throw InputError("PCI function: MSI-X has at most 2048 vectors, not " + std::to_string(facts_.vectors));
    }
    set(kVendor, facts_.vendor, 2);
    set(kDevice, facts_.device, 2);
    set(kCommand, 0, 2, kCommandMemory | kCommandMaster | kCommandNoIntx);
    set(kStatus, kStatusCapabilities, 2);
    set(kClass, facts_.class_code, 3);
    set(kCacheLine, 0, 1, 0xff);
    set(kLatencyTimer, 0, 1, 0xff);
    set(kSubsystemVendor, facts_.vendor, 2);
    set(kSubsystem, facts_.device, 2);
    set(kInterruptLine, 0, 1, 0xff); // and no pin: interrupts are messages
    add_bars();
    if (facts_.msi) {
        add_msi();
    }
    if (facts_.vectors != 0) {
        add_msix();
    }
    af_ = add_capability(kAfId, kAfBytes);
    set(af_ + kAfLength, kAfBytes, 1);
    set(af_ + kAfCapabilities, kAfFlr | 1u, 1);
    initial_ = bytes_;
    reset();
}

void ConfigSpace::set(u32 offset, u32 value, u32 bytes, u32 writable)
{
    for (u32 i = 0; i < bytes; ++i) {
        bytes_[offset + i] = static_cast<u8>(value >> (8 * i));
        writable_[offset + i] = static_cast<u8>(writable >> (8 * i));
    }
}

void ConfigSpace::add_bars()
{
    for (u32 bar = 0; bar < kBars; ++bar) {
        const BarFacts& b = facts_.bars[bar];
        if (b.bytes == 0) {
            continue;
        }
        const bool no_space = b.wide && (bar + 1 == kBars || facts_.bars[bar + 1].bytes != 0);
        if (!power_of_two(b.bytes) || b.bytes < 16 || no_space) {
            throw InputError("PCI function: BAR " + std::to_string(bar) + " of " + std::to_string(b.bytes) +
                             " bytes: a power of two from 16 on, and one of 64 bits needs the next one too");
        }
        set(kBar0 + bar * 4, b.wide ? kBar64 : 0, 4, ~(b.bytes - 1));
        if (b.wide) {
            set(kBar0 + bar * 4 + 4, 0, 4, ~0u);
        }
    }
}

u32 ConfigSpace::add_capability(u8 id, u32 bytes)
{
    const u32 at = next_capability_;
    next_capability_ = (at + bytes + 3) & ~3u;
    set(last_capability_ == 0 ? kCapabilities : last_capability_ + 1, at, 1);
    set(at, id, 1);
    last_capability_ = at;
    return at;
}

void ConfigSpace::add_msi()
{
    msi_ = add_capability(kMsiId, kMsiBytes);
    set(msi_ + kMsiControl, kMsi64, 2, kMsiEnable);
    set(msi_ + kMsiAddress, 0, 4, ~3u);
    set(msi_ + kMsiAddressHigh, 0, 4, ~0u);
    set(msi_ + kMsiData, 0, 2, 0xffff);
}

void ConfigSpace::add_msix()
{
    const u32 bytes = facts_.bars[facts_.device_bar].bytes;
    const u32 table_end = facts_.msix_table + facts_.vectors * kMsixEntryBytes;
    const u32 pba_end = facts_.msix_pba + pba_bytes(facts_.vectors);
    const bool overlap = facts_.msix_table < pba_end && facts_.msix_pba < table_end;
    if (table_end > bytes || pba_end > bytes || overlap || (facts_.msix_table | facts_.msix_pba) % 8 != 0) {
        throw InputError("PCI function: the MSI-X table or its pending bits do not fit into BAR " +
                         std::to_string(facts_.device_bar));
    }
    msix_ = add_capability(kMsixId, kMsixBytes);
    set(msix_ + kMsixControl, facts_.vectors - 1, 2, kMsixEnable | kMsixMaskAll);
    set(msix_ + kMsixTable, facts_.msix_table | facts_.device_bar, 4);
    set(msix_ + kMsixPba, facts_.msix_pba | facts_.device_bar, 4);
}

void ConfigSpace::reset()
{
    bytes_ = initial_;
    table_.assign(u64{facts_.vectors} * kMsixEntryBytes, 0);
    for (u32 vector = 0; vector < facts_.vectors; ++vector) {
        table_[vector * kMsixEntryBytes + kControlAt] = 1;
    }
    std::fill(pending_.begin(), pending_.end(), false);
}

void ConfigSpace::read(u32 offset, u8* data, u32 bytes) const { std::copy_n(&bytes_[offset], bytes, data); }

bool ConfigSpace::write(u32 offset, const u8* data, u32 bytes)
{
    for (u32 i = 0; i < bytes; ++i) {
        const u32 at = offset + i;
        if (at == af_ + kAfControl && (data[i] & 1u) != 0) {
            reset();
            return true;
        }
        bytes_[at] = static_cast<u8>((bytes_[at] & ~writable_[at]) | (data[i] & writable_[at]));
    }
    return false;
}

u64 ConfigSpace::bar_address(u32 bar) const
{
    const u32 at = kBar0 + bar * 4;
    const u64 low = dword(at) & ~0xfu;
    return facts_.bars[bar].wide ? low | u64{dword(at + 4)} << 32 : low;
}

std::optional<BarHit> ConfigSpace::find(u64 address, u32 bytes) const
{
    for (u32 bar = 0; bar < kBars && memory_enabled(); ++bar) {
        const u64 size = facts_.bars[bar].bytes;
        const u64 offset = address - bar_address(bar);
        if (size != 0 && offset < size && bytes <= size - offset) {
            return BarHit{bar, offset};
        }
    }
    return std::nullopt;
}

bool ConfigSpace::is_msix(u64 offset) const
{
    const u64 in_table = offset - facts_.msix_table;
    const u64 in_pba = offset - facts_.msix_pba;
    return msix_ != 0 && (in_table < table_.size() || in_pba < pba_bytes(facts_.vectors));
}

void ConfigSpace::read_msix(u64 offset, u8* data, u32 bytes) const
{
    for (u32 i = 0; i < bytes; ++i) {
        const u64 in_table = offset + i - facts_.msix_table;
        const u64 in_pba = offset + i - facts_.msix_pba;
        data[i] = 0;
        if (in_table < table_.size()) {
            data[i] = table_[in_table];
        }
        for (u32 bit = 0; bit < 8 && in_pba * 8 + bit < facts_.vectors; ++bit) {
            data[i] = static_cast<u8>(data[i] | (pending_[in_pba * 8 + bit] ? 1u << bit : 0u));
        }
    }
}

void ConfigSpace::write_msix(u64 offset, const u8* data, u32 bytes)
{
    for (u32 i = 0; i < bytes; ++i) {
        const u64 at = offset + i - facts_.msix_table;
        if (at >= table_.size()) {
            continue; // pending bits are read-only
        }
        const u64 field = at % kMsixEntryBytes;
        const u8 mask = field == 0 ? 0xfc : field < kControlAt ? 0xff : field == kControlAt ? 0x01 : 0x00;
        table_[at] = data[i] & mask;
    }
}

u32 ConfigSpace::entry(u32 vector, u32 at) const
{
    const u8* const p = &table_[vector * kMsixEntryBytes + at];
    return u32{p[0]} | u32{p[1]} << 8 | u32{p[2]} << 16 | u32{p[3]} << 24;
}

bool ConfigSpace::masked(u32 vector) const
{
    return (word(msix_ + kMsixControl) & kMsixMaskAll) != 0 || (entry(vector, kControlAt) & 1u) != 0;
}

void ConfigSpace::raise(u32 vector)
{
    if (vector < pending_.size() && (msix_on() || (msi_on() && vector == 0))) {
        pending_[vector] = true;
    }
}

std::optional<Message> ConfigSpace::next_message()
{
    if (!bus_master()) {
        return std::nullopt;
    }
    if (msix_on()) {
        for (u32 vector = 0; vector < facts_.vectors; ++vector) {
            if (pending_[vector] && !masked(vector)) {
                pending_[vector] = false;
                return Message{entry(vector, 0) | u64{entry(vector, 4)} << 32, entry(vector, 8)};
            }
        }
    } else if (msi_on() && pending_[0]) {
        pending_[0] = false;
        return Message{dword(msi_ + kMsiAddress) | u64{dword(msi_ + kMsiAddressHigh)} << 32, word(msi_ + kMsiData)};
    }
    return std::nullopt;
}

} // namespace tlmssd::pci
