// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: between the initiator and whatever leads to the device: SATA or nothing.
#pragma once

#include "firmware/hal/hal.h"
#include "models/common/tag.h"
#include "models/common/types.h"

namespace tlmssd::host {

/// Beside hal_host_status: the host has given the command up, whatever the device made of it.
inline constexpr u32 kIoError = 0x100;

/// The host's memory and driver, as the link sees them. `offset` and `sectors` count 512-byte
/// sectors from the start of the command; cells[i] is the i-th unit that they touch. `bytes`: the
/// sectors' bytes, null where tags stand for the data.
class LinkClientIf {
public:
    virtual ~LinkClientIf() = default;
    /// Data of a READ have arrived.
    virtual void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells,
                         const u8* bytes) = 0;
    /// Data of a WRITE are wanted.
    virtual void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes) = 0;
    /// The device has aborted the command and it is sent once more: its data move from the start.
    virtual void on_repeated(u32 tag) = 0;
    /// The command has ended (hal_host_status, or kIoError); its tag is free.
    virtual void on_completed(u32 tag, u32 status) = 0;
};

/// Takes commands to the device.
class DeviceLinkIf {
public:
    virtual ~DeviceLinkIf() = default;
    virtual void bind(LinkClientIf& client) = 0;
    /// Issue `command` now; its tag is free. FLUSH needs an empty queue unless queues_flush(), TRIM unless
    /// queues_trim(). Commands that overlap reach the device in the order of the calls.
    virtual void submit(const hal_host_command& command) = 0;
    /// The same for a job of the workload; only links with several queues look at it.
    virtual void submit_for_job(u32 job, const hal_host_command& command)
    {
        static_cast<void>(job);
        submit(command);
    }
    virtual bool queues_trim() const = 0;
    virtual bool queues_flush() const { return false; }
};

} // namespace tlmssd::host
