// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU's test socket, by which interrupt messages reach the guest.
#pragma once

#include <deque>
#include <string>
#include <vector>

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
    /// Sends a message. It waits for the connection, and for the answer to an equal one; equal ones that wait are one:
    /// the guest will see all that they stand for.
    void write(const InterruptMessage& message);

    /// Zeros in the guest's memory, written by QEMU: it forgets code that it has translated there. Returns when that
    /// has happened; at once before the connection and after its end. ModelError: it does not answer.
    void clear(u64 address, u64 bytes);

    u64 sent() const { return sent_; }

private:
    void send_waiting();
    void answered(const std::string& line);

    FileDescriptor listener_, socket_;
    std::vector<InterruptMessage> waiting_; ///< all different
    /// All different, in the order of their answers; nothing: clear().
    std::deque<std::optional<InterruptMessage>> unanswered_;
    std::string line_;                        ///< an answer so far
    u64 sent_ = 0;
};

} // namespace tlmssd::guest
