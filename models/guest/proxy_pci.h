// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI function for QEMU: the other side of its device `x-pci-proxy-dev` (docs/explanation/qemu.md).
#pragma once

#include "models/guest/guest_memory.h"
#include "models/guest/pci_port.h"
#include "models/guest/unix_socket.h"

namespace tlmssd::guest {

/// The device's side of one connection: accesses come as messages, memory as file descriptors.
class ProxyPci {
public:
    /// `patience_ms`: how long the rest of a message may take.
    ProxyPci(GuestMemory& memory, PciPortIf& port, FileDescriptor socket, u32 patience_ms = 10'000);

    const FileDescriptor& socket() const { return socket_; }

    /// The next message, carried out and answered. False: the connection has ended. ModelError: the message is none of
    /// the protocol, or incomplete.
    bool serve();

    u64 accesses() const { return accesses_; }

private:
    static constexpr u32 kRegions = 8; // of a memory map at most

    void carry_out(u32 command, const u8* data, const std::vector<FileDescriptor>& fds);
    void map(const u8* data, const std::vector<FileDescriptor>& fds);
    void access_config(const u8* data, bool writes);
    void access_bar(const u8* data, bool writes);
    void answer(u64 value, u32 bytes = 8);

    GuestMemory& memory_;
    PciPortIf& port_;
    FileDescriptor socket_;
    u64 accesses_ = 0;
};

} // namespace tlmssd::guest
