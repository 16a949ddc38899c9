// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the configuration space of a PCI function, and its MSI-X table. Pure: no time, no kernel.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/pci/pci_layout.h"

namespace tlmssd::pci {

/// An interrupt message: a memory write of 4 bytes.
struct Message {
    u64 address = 0;
    u32 data = 0;
    friend bool operator==(const Message& a, const Message& b) { return a.address == b.address && a.data == b.data; }
};

/// The place of a BAR's address.
struct BarHit {
    u32 bar = 0;
    u64 offset = 0;
};

class ConfigSpace {
public:
    /// InputError: BARs or vectors that PCI does not have.
    explicit ConfigSpace(const FunctionFacts& facts);

    /// `offset + bytes` is at most kConfigBytes.
    void read(u32 offset, u8* data, u32 bytes) const;
    /// True: the write begins a function level reset, which has happened here.
    bool write(u32 offset, const u8* data, u32 bytes);
    /// As after power-on.
    void reset();

    bool memory_enabled() const { return word(kCommand) & kCommandMemory; }
    bool bus_master() const { return word(kCommand) & kCommandMaster; }
    u64 bar_address(u32 bar) const;
    /// The BAR that `bytes` from `address` lie in, where memory space is enabled.
    std::optional<BarHit> find(u64 address, u32 bytes) const;

    /// Whether `offset` of the device's BAR is in the MSI-X table or its pending bits.
    bool is_msix(u64 offset) const;
    /// Bytes of them; what lies beyond reads 0.
    void read_msix(u64 offset, u8* data, u32 bytes) const;
    void write_msix(u64 offset, const u8* data, u32 bytes);

    /// The device asks for an interrupt: it is pending from here on. Nothing is, where neither MSI nor MSI-X is
    /// enabled.
    void raise(u32 vector);
    /// A message that may be sent now and is no longer pending: the lowest vector first. None while the function
    /// is not bus master.
    std::optional<Message> next_message();

    const FunctionFacts& facts() const { return facts_; }

private:
    u32 word(u32 offset) const { return u32{bytes_[offset]} | u32{bytes_[offset + 1]} << 8; }
    u32 dword(u32 offset) const { return word(offset) | word(offset + 2) << 16; }
    void set(u32 offset, u32 value, u32 bytes, u32 writable = 0);
    u32 add_capability(u8 id, u32 bytes);
    void add_bars();
    void add_msi();
    void add_msix();
    u32 entry(u32 vector, u32 at) const;
    bool msix_on() const { return msix_ != 0 && (word(msix_ + kMsixControl) & kMsixEnable) != 0; }
    bool msi_on() const { return msi_ != 0 && (word(msi_ + kMsiControl) & kMsiEnable) != 0; }
    bool masked(u32 vector) const;

    FunctionFacts facts_;
    std::array<u8, kConfigBytes> bytes_{};
    std::array<u8, kConfigBytes> writable_{}; ///< bits that writes change
    std::array<u8, kConfigBytes> initial_{};
    u32 last_capability_ = 0;
    u32 next_capability_ = kFirstCapability;
    u32 msi_ = 0; ///< offsets of capabilities; 0: none
    u32 msix_ = 0;
    u32 af_ = 0;
    std::vector<u8> table_;
    std::vector<bool> pending_; ///< by vector; of MSI the first
};

} // namespace tlmssd::pci
