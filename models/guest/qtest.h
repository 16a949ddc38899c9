// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU's test socket, by which interrupt messages reach the guest.
#pragma once

#include <deque>
#include <string>

#include "models/guest/pci_port.h"
#include "models/guest/unix_socket.h"

namespace tlmssd::guest {

/// Lines of text: a write of 4 bytes to a guest address, and QEMU's "OK".
class Qtest {
public:
    /// QEMU connects to `listener`.
    explicit Qtest(FileDescriptor listener) : listener_(std::move(listener)) {}

    /// Can be read when serve() has something to do.
    const FileDescriptor& descriptor() const { return socket_.open() ? socket_ : listener_; }
    /// Takes the connection, or answers. False: the connection has ended. ModelError: QEMU refuses a write.
    bool serve();
    /// Sends a message; one before the connection is sent with it.
    void write(const InterruptMessage& message);

    u64 sent() const { return sent_; }

private:
    void send(const InterruptMessage& message);

    FileDescriptor listener_, socket_;
    std::deque<InterruptMessage> waiting_; ///< before the connection
    std::string line_;                     ///< an answer so far
    u64 sent_ = 0;
};

} // namespace tlmssd::guest
