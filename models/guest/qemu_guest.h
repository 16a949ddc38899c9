// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU beside a simulated PCI function (docs/explanation/qemu.md).
#pragma once

#include <functional>
#include <string>

#include "models/guest/guest_end.h"
#include "models/guest/pace.h"
#include "models/guest/proxy_pci.h"
#include "models/guest/qtest.h"

namespace tlmssd::guest {

class QemuGuest {
public:
    /// `registers`: our end of the socket that QEMU's device has; `qtest`: where QEMU connects for interrupts.
    /// `cut_at`: simulated time at which the device's supply is cut; kNever.
    QemuGuest(GuestMemory& memory, PciPortIf& port, PaceIf& pace, FileDescriptor registers, FileDescriptor qtest,
              u64 cut_at = kNever);
    QemuGuest(const QemuGuest&) = delete;
    QemuGuest& operator=(const QemuGuest&) = delete;
    ~QemuGuest();

    /// Serves QEMU until it ends. ModelError: it breaks a protocol.
    GuestEnd run();
    GuestCounts counts() const;

private:
    void take_interrupts();

    GuestMemory& memory_;
    PciPortIf& port_;
    PaceIf& pace_;
    ProxyPci device_;
    Qtest qtest_;
    u64 cut_at_;
    std::string trouble_; ///< of the test socket, met inside of the simulation
};

} // namespace tlmssd::guest
