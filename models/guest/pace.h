// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: simulated time of a device whose guest lives in wall time (docs/explanation/qemu.md).
#pragma once

#include <functional>

#include "models/guest/pci_port.h"

namespace tlmssd::guest {

/// How simulated time moves. Times are nanoseconds.
class PaceIf {
public:
    virtual ~PaceIf() = default;

    /// Before an access: the device comes to the time at which it happens.
    virtual void before_access(PciPortIf& port) = 0;
    /// Carries out events that are due, until an interrupt message waits or enough has been done for now. The wall time
    /// until there is more to do: 0, or kNever. None lies beyond `end`.
    virtual u64 carry_out(PciPortIf& port, u64 end) = 0;
    /// By how much simulated time is behind wall time.
    virtual u64 behind() const = 0;
};

/// As fast as it can: an event is due as soon as it is known. Time stands still where there is none.
class FreePace final : public PaceIf {
public:
    void before_access(PciPortIf&) override {}
    u64 carry_out(PciPortIf& port, u64 end) override;
    u64 behind() const override { return 0; }
};

/// Simulated time is wall time. A model that cannot follow is served again after `budget` of wall time each, and its
/// time stays behind by what it has missed.
class WallPace final : public PaceIf {
public:
    /// `clock`: wall time, from any start.
    explicit WallPace(std::function<u64()> clock, u64 budget = 1'000'000) : clock_(std::move(clock)), budget_(budget) {}

    void before_access(PciPortIf& port) override { carry_out(port, kNever); }
    u64 carry_out(PciPortIf& port, u64 end) override;
    u64 behind() const override { return behind_; }

private:
    std::function<u64()> clock_;
    u64 budget_;
    u64 start_ = 0; ///< wall time of simulated time 0, without what it is behind
    u64 behind_ = 0;
    bool started_ = false;
};

} // namespace tlmssd::guest
