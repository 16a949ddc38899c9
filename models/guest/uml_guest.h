// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: User-Mode Linux beside a simulated PCI function: who runs when (docs/explanation/linux.md).
#pragma once

#include <functional>
#include <optional>

#include "models/guest/calendar.h"
#include "models/guest/guest_end.h"
#include "models/guest/vhost_user.h"

namespace tlmssd::guest {

/// Nanoseconds since 1970 at the guest's time 0: a constant, so that two runs are equal.
inline constexpr u64 kDate = 1'700'000'000'000'000'000;

class UmlGuest {
public:
    /// `cut_at`: when the device's supply is cut, in nanoseconds; kNever.
    UmlGuest(GuestMemory& memory, PciPortIf& port, u64 cut_at = kNever);

    /// Serves a guest that connects to these two until it ends. `ended`: whether its process has. ModelError: it breaks
    /// a protocol.
    GuestEnd run(FileDescriptor calendar_listener, FileDescriptor device_listener, const std::function<bool()>& ended);
    GuestCounts counts() const;

private:
    bool serve_running();
    std::optional<GuestEnd> schedule();
    void call(u32 rings);
    void before_reply();
    u64 horizon() const;

    PciPortIf& port_;
    Calendar calendar_;
    VhostUserPci device_;
    FileDescriptor device_listener_;
    u64 cut_at_;
    u64 calls_ = 0, runs_ = 0;
};

} // namespace tlmssd::guest
