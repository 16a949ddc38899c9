// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host memory as a device has it through PCI Express, in simulated time.
#pragma once

#include <tlm>

#include "models/common/picoseconds.h"
#include "models/config/nvme.h"
#include "models/nvme/pcie.h"
#include "models/nvme_device/protocol/host_memory_if.h"

namespace tlmssd::nvme_device {

/// Packets occupy the two directions as docs/explanation/nvme.md says, first come, first served; the memory's own
/// time is that of the transaction. Calls are made by processes and wait.
class PciePath final : public HostMemoryIf {
public:
    PciePath(tlm::tlm_base_initiator_socket<32>& socket, const config::Pcie& config);

    bool read(u64 address, u8* data, u32 bytes) override;
    bool write(u64 address, const u8* data, u32 bytes) override;

    struct Direction {
        Picoseconds busy;    ///< sum of times
        u64 bytes = 0;       ///< with framing, headers and link-layer packets
    };
    const Direction& to_host() const { return up_.total; }
    const Direction& to_device() const { return down_.total; }

private:
    struct Lane {
        Picoseconds free;
        u32 owed = 0; ///< bytes of link-layer packets, sent with the next transfer
        u32 unanswered = 0; ///< packets of the other direction since the last answer
        Direction total;
    };

    void send(Lane& lane, Lane& other, nvme::Packets packets);
    bool transport(bool write, u64 address, u8* data, u32 bytes);

    tlm::tlm_base_initiator_socket<32>& socket_;
    const config::Pcie config_;
    double byte_ps_;
    Lane up_;   ///< to the host
    Lane down_; ///< to the device
};

} // namespace tlmssd::nvme_device
