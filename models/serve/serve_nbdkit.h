// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: nbdkit as a child of `tlmssd serve`.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "models/serve/serve_memory.h"

namespace tlmssd::serve {

/// nbdkit with the plugin, on one Unix socket. It dies with this process, however that ends.
class Nbdkit {
public:
    /// InputError: the plugin was not built, nbdkit is not installed, or somebody listens on `socket`
    /// already. A socket that nobody listens on is removed.
    Nbdkit(std::string socket, ServeMemory& memory, u32 threads);
    ~Nbdkit();
    Nbdkit(const Nbdkit&) = delete;
    Nbdkit& operator=(const Nbdkit&) = delete;

    /// Returns when clients can connect. InputError: nbdkit does not come up.
    void start();
    bool started() const { return process_ > 0; }
    /// It takes no further requests, and ends when those that it has are answered.
    void terminate();
    /// It ends now: no answers will come.
    void kill();
    /// Its exit status once it has ended (128 + n: by signal n).
    std::optional<int> ended();

private:
    [[noreturn]] void become_nbdkit(int life) const;

    std::string socket_;
    std::string plugin_;
    ServeMemory& memory_;
    u32 threads_;
    pid_t process_ = 0;
    int alive_ = -1; ///< end of a pipe that the plugin watches
    std::optional<int> status_;
};

} // namespace tlmssd::serve
