// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the calendar of User-Mode Linux in external time travel: the guest's clock is the simulation's
// (docs/explanation/linux.md).
#pragma once

#include <array>

#include "models/guest/pci_port.h"
#include "models/guest/unix_socket.h"

namespace tlmssd::guest {

class Calendar {
public:
    /// `date`: nanoseconds since 1970 at the guest's time 0; a constant, so that two runs are equal.
    explicit Calendar(u64 date) : date_(date) {}

    void connect(FileDescriptor socket) { socket_ = std::move(socket); }
    const FileDescriptor& socket() const { return socket_; }

    /// A message of the guest has been received and not served.
    bool pending() const { return end_ - begin_ >= sizeof(Message); }
    /// The next message of the guest. False: the connection has ended.
    bool serve();

    bool started() const { return started_; }
    bool running() const { return running_; } ///< from START or run() until it waits
    u64 now() const { return now_; }
    u64 wants() const { return wants_; } ///< when it wants to run; kNever

    /// While it waits: the device has gone on to `time`.
    void set_now(u64 time) { now_ = time; }
    /// The guest may go on alone to any time below `time`.
    void free_until(u64 time);
    u64 free_until() const { return free_until_; }
    /// Serves messages until the guest has acknowledged the last free_until().
    void wait_for_acknowledge();
    /// It runs at wants(), which is used up, and may go on alone to any time below `time`.
    void run(u64 time);

private:
    enum Op : u32 { kAck, kStart, kRequest, kWait, kGet, kUpdate, kRun, kFreeUntil, kGetTod };
    struct Message {
        u32 op = 0, sequence = 0;
        u64 time = 0;
    };

    bool receive(Message& message);

    FileDescriptor socket_;
    u64 date_;
    u64 now_ = 0, wants_ = kNever, free_until_ = 0;
    u32 sequence_ = 0, acknowledged_ = 0;
    std::array<u8, 32 * sizeof(Message)> received_{}; ///< served: the bytes before begin_
    std::size_t begin_ = 0, end_ = 0;
    bool started_ = false, running_ = false;
};

} // namespace tlmssd::guest
