// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one TCP connection on 127.0.0.1.
#pragma once

#include <string>

#include "models/common/types.h"

namespace tlmssd::cpu {

class GdbSocket {
public:
    /// Listens. Port 0: any that is free. Throws InputError where it cannot.
    explicit GdbSocket(u32 port);
    ~GdbSocket();
    GdbSocket(const GdbSocket&) = delete;
    GdbSocket& operator=(const GdbSocket&) = delete;

    u32 port() const { return port_; }
    /// Waits for a connection; no other connection is accepted afterwards. Throws InputError where
    /// it cannot.
    void accept_one();
    /// The bytes that have come, at most 4 KiB. Empty: the other side has closed, or, without
    /// `wait`, no byte has come (connected() decides which).
    std::string receive(bool wait);
    void send(const std::string& bytes);
    bool connected() const { return connection_ >= 0; }
    void close();

private:
    int listener_ = -1;
    int connection_ = -1;
    u32 port_ = 0;
};

} // namespace tlmssd::cpu
