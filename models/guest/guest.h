// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a Linux that drives the SSD by its registers, from boot to power off.
#pragma once

#include <string>
#include <vector>

#include "models/guest/guest_device.h"
#include "models/ssd/include/tlmssd/ssd_observation.h"

namespace tlmssd::guest {

/// The program that the guest runs in, and the clock that simulated time follows.
enum class Transport : u8 {
    Uml,      ///< User-Mode Linux: its clock is the simulation's
    QemuFree, ///< QEMU: simulated time runs as fast as it can
    QemuPaced ///< QEMU: simulated time is wall time
};

struct GuestArguments {
    Transport transport = Transport::Uml;
    Controller controller = Controller::Nvme;
    std::string config; ///< path of the device's file
    std::vector<std::string> sets;
    std::string kernel;  ///< of User-Mode Linux a program; QEMU needs none
    std::string init;    ///< User-Mode Linux
    std::string machine = "q35"; ///< QEMU
    std::string initrd, firmware, share, program; ///< QEMU (QemuOptions)
    std::string memory;  ///< empty: 256M, 512M with QEMU
    std::string input;   ///< QEMU: file of the console's input; empty: none
    std::string console; ///< file; empty: standard output
    std::string disk;    ///< file that keeps the flash cells; empty: none
    double cut_at_s = 0; ///< when the device's supply is cut; 0: never
    double remove_at_s = 0; ///< when it is taken away from a guest that goes on; 0: never
    std::string out;     ///< folder of results.json; empty: none
    SsdObservation observation; ///< stages are followed where there is `out`
    std::vector<std::string> append;
    bool quiet = false;
};

/// The exit status. InputError, ModelError.
int guest(const GuestArguments& arguments);

} // namespace tlmssd::guest
