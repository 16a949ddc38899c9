// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a transport asks of the device that a guest drives. All transports use this interface.
#pragma once

#include <optional>

#include "models/common/types.h"

namespace tlmssd::guest {

struct InterruptMessage {
    u64 address = 0;
    u32 data = 0;
    friend bool operator==(const InterruptMessage& a, const InterruptMessage& b)
    {
        return a.address == b.address && a.data == b.data;
    }
};

/// A PCI function in simulated time. Times are nanoseconds from the start; accesses happen at now() and take none.
class PciPortIf {
public:
    virtual ~PciPortIf() = default;

    /// Outside of the configuration space or of a BAR reads give ones, and writes have no effect.
    virtual void read_config(u32 offset, u8* data, u32 bytes) = 0;
    virtual void write_config(u32 offset, const u8* data, u32 bytes) = 0;
    virtual void read_bar(u32 bar, u64 offset, u8* data, u32 bytes) = 0;
    virtual void write_bar(u32 bar, u64 offset, const u8* data, u32 bytes) = 0;
    /// The same by PCI memory addresses.
    virtual void read_space(u64 address, u8* data, u32 bytes) = 0;
    virtual void write_space(u64 address, const u8* data, u32 bytes) = 0;
    /// Function and device are as after power-on.
    virtual void reset() = 0;

    virtual u64 now() const = 0;
    /// The time of the device's next event, rounded up; kNever: there is none.
    virtual u64 next_event() const = 0;
    /// Carries out all events up to and at `time`.
    virtual void advance(u64 time) = 0;
    /// The oldest interrupt message that the function has sent and nobody has taken.
    virtual std::optional<InterruptMessage> take_interrupt() = 0;
    virtual bool interrupt_waits() const = 0;
    /// The model has stopped for a reason of its own.
    virtual bool failed() const = 0;
    /// The device's supply is cut at now(). Nothing may follow.
    virtual void cut_power() = 0;
};

inline constexpr u64 kNever = 0x7fff'ffff'ffff'ffff;

} // namespace tlmssd::guest
