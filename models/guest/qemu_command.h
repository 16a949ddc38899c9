// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how QEMU is started.
#pragma once

#include "models/guest/guest_process.h"

namespace tlmssd::guest {

/// A PC without a display whose only disk is behind `registers`.
struct QemuOptions {
    std::string program;        ///< a path; empty: Debian's
    std::string machine = "q35"; ///< or pc
    std::string kernel, initrd;  ///< empty: the firmware boots from the disk
    std::string firmware;       ///< empty: SeaBIOS
    std::string share;          ///< folder of the host that the guest sees read-only, by 9p, tag "host"; empty: none
    std::string memory = "512M";
    std::string qtest;               ///< path of the socket
    std::string folder;              ///< where it runs
    std::string input, console;      ///< files; empty: none, standard output
    std::vector<std::string> append; ///< the kernel's command line
    int registers = -1;              ///< descriptor of its end of the socket
};

ProcessOptions qemu_command(const QemuOptions& options);

} // namespace tlmssd::guest
