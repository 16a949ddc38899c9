// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI function for User-Mode Linux: virtio-pci of `virt-pci` over vhost-user
// (docs/explanation/linux.md).
#pragma once

#include <array>
#include <deque>
#include <functional>

#include "models/guest/guest_memory.h"
#include "models/guest/pci_port.h"
#include "models/guest/split_ring.h"
#include "models/guest/unix_socket.h"

namespace tlmssd::guest {

/// The device's side of one connection.
class VhostUserPci {
public:
    /// `before_reply`: called when accesses of a notification have been carried out, before the guest goes on.
    VhostUserPci(GuestMemory& memory, PciPortIf& port, std::function<void()> before_reply);

    void connect(FileDescriptor socket) { socket_ = std::move(socket); }
    const FileDescriptor& socket() const { return socket_; }
    /// Where replies to call() come from; not open before the guest has sent it.
    const FileDescriptor& back_channel() const { return back_; }

    /// The next message of the guest. False: the connection has ended.
    bool serve();

    /// Puts interrupt messages of the port into the ring and gives back writes of which there are many.
    /// The bits of rings that the guest has to be called for.
    u32 prepare_calls();
    /// Notifies the guest of used buffers in a ring. It answers on back_channel().
    void call(u32 ring);
    /// Takes that answer.
    void take_answer();

    u64 accesses() const { return accesses_; }
    u64 interrupts() const { return interrupts_; }

private:
    struct Header {
        u32 request = 0, flags = 0, bytes = 0;
    };
    static constexpr u32 kCommands = 0, kInterrupts = 1; // rings
    static constexpr std::size_t kHeldMost = 64;         // writes that are given back together

    void handle(const Header& header, const u8* payload, std::vector<FileDescriptor>& fds);
    void map(const u8* payload, u32 bytes, const std::vector<FileDescriptor>& fds);
    void set_ring(u32 request, const u8* payload);
    void reply(const Header& header, u64 value);
    void carry_out();
    void carry_out(const SplitRing::Chain& chain);
    void put_interrupts();

    GuestMemory& memory_;
    PciPortIf& port_;
    std::function<void()> before_reply_;
    FileDescriptor socket_, back_;
    std::array<SplitRing, 2> rings_;
    std::vector<u16> held_;                 ///< chains of writes, carried out and not given back
    std::deque<SplitRing::Chain> free_;     ///< buffers for interrupt messages
    std::deque<InterruptMessage> waiting_;  ///< messages without a buffer
    u64 accesses_ = 0, interrupts_ = 0;
};

} // namespace tlmssd::guest
