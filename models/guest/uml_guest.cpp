// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: User-Mode Linux beside a simulated PCI function.
#include "models/guest/uml_guest.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/interrupt.h"

namespace tlmssd::guest {

UmlGuest::UmlGuest(GuestMemory& memory, PciPortIf& port, u64 cut_at)
    : port_(port), calendar_(kDate), device_(memory, port, [this] { before_reply(); }), cut_at_(cut_at)
{
}

GuestCounts UmlGuest::counts() const
{
    return {device_.accesses(), device_.interrupts(), calls_, runs_, calendar_.now(), 0};
}

/// The guest may run up to here before it could see something of the device.
u64 UmlGuest::horizon() const { return std::max(std::min(port_.next_event(), cut_at_), calendar_.now()); }

GuestEnd UmlGuest::run(FileDescriptor calendar_listener, FileDescriptor device_listener,
                       const std::function<bool()>& ended)
{
    constexpr u64 kLook = 50'000'000; // nanoseconds
    device_listener_ = std::move(device_listener);
    while (readable({&calendar_listener}, kLook) == 0) {
        if (interrupt_requested()) {
            return GuestEnd::Interrupted;
        }
        if (ended()) {
            return GuestEnd::Absent;
        }
    }
    calendar_.connect(accept_from(calendar_listener));
    for (;;) {
        if (interrupt_requested()) {
            return GuestEnd::Interrupted;
        }
        if (port_.failed()) {
            return GuestEnd::Failed;
        }
        if (calendar_.running() || !calendar_.started()) {
            if (!serve_running()) {
                return GuestEnd::PoweredOff;
            }
        } else {
            if (const std::optional<GuestEnd> end = schedule()) {
                return *end;
            }
        }
    }
}

/// The guest runs; the device stands still at the guest's time. False: it has ended.
bool UmlGuest::serve_running()
{
    const bool connected = device_.socket().open();
    const u32 bits = calendar_.pending()
                         ? 1
                         : readable({&calendar_.socket(), connected ? &device_.socket() : &device_listener_});
    // Its time comes before its accesses: it sends an update first and waits for the answer.
    if (bits & 1) {
        return calendar_.serve();
    }
    if (bits & 2) {
        if (!connected) {
            device_.connect(accept_from(device_listener_));
            return true;
        }
        port_.advance(calendar_.now()); // nothing is due before: it had no leave to go further
        return device_.serve();
    }
    return true;
}

/// An access may have made the device's next event earlier than what the guest has leave for.
void UmlGuest::before_reply()
{
    const u64 now_until = horizon();
    if (calendar_.running() && now_until < calendar_.free_until()) {
        calendar_.free_until(now_until);
        calendar_.wait_for_acknowledge();
    }
}

/// The guest waits: the earlier of its request and the device's next event is next; of both at one time the device.
/// Nothing: the guest runs again.
std::optional<GuestEnd> UmlGuest::schedule()
{
    for (;;) {
        if (interrupt_requested()) {
            return GuestEnd::Interrupted;
        }
        const u64 device = port_.next_event();
        if (device == kNever && calendar_.wants() == kNever && cut_at_ == kNever) {
            return GuestEnd::Halted;
        }
        if (cut_at_ != kNever && cut_at_ <= std::min(device, calendar_.wants())) {
            port_.advance(std::max(cut_at_, calendar_.now()));
            calendar_.set_now(port_.now());
            port_.cut_power();
            return GuestEnd::Cut;
        }
        const bool guest_next = calendar_.wants() < device;
        const u64 time = std::max(guest_next ? calendar_.wants() : device, calendar_.now());
        port_.advance(time);
        calendar_.set_now(time);
        if (port_.failed()) {
            return GuestEnd::Failed;
        }
        if (const u32 rings = device_.socket().open() ? device_.prepare_calls() : 0; rings != 0) {
            call(rings);
            continue; // it wants to run now
        }
        if (guest_next) {
            ++runs_;
            calendar_.run(horizon());
            return std::nullopt;
        }
    }
}

/// The guest takes an interrupt. Until its answer it may ask for the time and for a turn.
void UmlGuest::call(u32 rings)
{
    for (u32 ring = 0; ring < 2; ++ring) {
        if ((rings >> ring & 1) == 0) {
            continue;
        }
        ++calls_;
        device_.call(ring);
        for (bool answered = false; !answered;) {
            const u32 bits =
                calendar_.pending()
                    ? 1
                    : readable({&calendar_.socket(), &device_.socket(), &device_.back_channel()});
            if (bits & 1) {
                if (!calendar_.serve()) {
                    throw ModelError("guest: it has ended inside of an interrupt");
                }
            } else if (bits & 2) {
                if (!device_.serve()) {
                    throw ModelError("guest: it has ended inside of an interrupt");
                }
            } else if (bits & 4) {
                device_.take_answer();
                answered = true;
            }
        }
    }
}

} // namespace tlmssd::guest
