// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host memory as a process of the device has it: accesses over the link that wait.
#pragma once

#include "models/nvme/pcie_link.h"
#include "models/nvme_device/protocol/host_memory_if.h"
#include "models/nvme_device/slots.h"

namespace tlmssd::nvme_device {

/// For what is rare: lists, ranges, data of admin commands. Any number of processes may wait at once.
class LinkMemory final : public HostMemoryIf {
public:
    LinkMemory(time::EventQueue& event_queue, nvme::PcieLink& link) : event_queue_(event_queue), link_(link) {}

    bool read(u64 address, u8* data, u32 bytes) override;
    bool write(u64 address, const u8* data, u32 bytes) override;

    /// Its transfer (List, AdminData) has ended.
    void on_end(const nvme::Transfer& transfer);

private:
    struct Access {
        sc_core::sc_event ended;
        bool open = false;
        bool failed = false;
    };
    u32 begin();
    bool end(u32 slot);

    time::EventQueue& event_queue_;
    nvme::PcieLink& link_;
    Slots<Access> accesses_;
};

} // namespace tlmssd::nvme_device
