// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU beside a simulated PCI function.
#include "models/guest/qemu_guest.h"

#include "models/common/error.h"
#include "models/common/interrupt.h"

namespace tlmssd::guest {

QemuGuest::QemuGuest(GuestMemory& memory, PciPortIf& port, PaceIf& pace, FileDescriptor registers, FileDescriptor qtest,
                     u64 cut_at)
    : memory_(memory), port_(port), pace_(pace), device_(memory, port, std::move(registers)), qtest_(std::move(qtest)),
      cut_at_(cut_at)
{
    // QEMU does not see what others write to its memory, and would run code that it has translated before. A boot
    // sector loads the next one to its own place; all later code lies where Linux has written zeros.
    memory_.before_write([this](u64 address, u64 bytes) {
        constexpr u64 kReal = 0x100000; // of real mode: boot loaders
        if (address < kReal && trouble_.empty()) {
            try {
                qtest_.clear(address, bytes);
            } catch (const ModelError& e) { // not through the simulation
                trouble_ = e.what();
            }
        }
    });
}

QemuGuest::~QemuGuest() { memory_.before_write(nullptr); }

GuestCounts QemuGuest::counts() const
{
    return {device_.accesses(), qtest_.sent(), 0, 0, port_.now(), pace_.behind()};
}

GuestEnd QemuGuest::run()
{
    constexpr u64 kLook = 50'000'000; // nanoseconds: a signal may come just before a wait
    for (;;) {
        const u64 wait = pace_.carry_out(port_, cut_at_);
        if (!trouble_.empty()) {
            throw ModelError(trouble_);
        }
        take_interrupts();
        if (interrupt_requested()) {
            return GuestEnd::Interrupted;
        }
        if (port_.failed()) {
            return GuestEnd::Failed;
        }
        if (port_.now() >= cut_at_) {
            port_.cut_power();
            return GuestEnd::Cut;
        }
        const u32 bits = readable({&device_.socket(), &qtest_.descriptor()}, wait < kLook ? wait : kLook);
        // Messages that came before the end of the test socket are carried out.
        const bool registers = bits & 1;
        bool open = true;
        if (registers) {
            pace_.before_access(port_);
            open = device_.serve();
        }
        if (bits & 2 && !qtest_.serve() && !registers) {
            open = false;
        }
        if (!open) {
            return device_.accesses() == 0 ? GuestEnd::Absent : GuestEnd::PoweredOff;
        }
    }
}

void QemuGuest::take_interrupts()
{
    while (const std::optional<InterruptMessage> message = port_.take_interrupt()) {
        qtest_.write(*message);
    }
}

} // namespace tlmssd::guest
