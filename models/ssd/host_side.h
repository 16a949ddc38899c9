// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what lies between the host and an SSD: a SATA or PCI Express link with its ports, or nothing.
#pragma once

#include <memory>

#include "models/host/nvme_port.h"
#include "models/host/sata_port.h"
#include "models/nvme/pcie_link.h"
#include "models/sata/link.h"
#include "models/ssd/include/tlmssd/ssd.h"

namespace tlmssd::ssd {

struct HostSide {
    std::unique_ptr<sata::Link> link;         ///< null unless host.kind sata
    std::unique_ptr<host::SataPort> port;     ///< as `link`
    nvme::PcieLink* pcie = nullptr;           ///< null unless host.kind nvme
    std::unique_ptr<host::NvmePort> queues;   ///< as `pcie`
    host::DeviceLinkIf* device = nullptr;     ///< takes the host's commands

    void observe(probes::TimelineTap& timeline)
    {
        if (link) {
            link->observe(&timeline);
        } else if (pcie) {
            pcie->observe(&timeline);
        }
    }
};

/// Wired to `ssd` as its configuration says; before the simulation starts.
inline HostSide connect_host(time::EventQueue& event_queue, const config::Config& config, Ssd& ssd)
{
    HostSide side;
    if (ssd.direct_port() != nullptr) {
        side.device = ssd.direct_port();
        return side;
    }
    if (ssd.pcie() != nullptr) {
        side.pcie = ssd.pcie();
        side.queues = std::make_unique<host::NvmePort>("nvme_host", config.nvme,
                                                        config.geometry.sectors_per_unit(),
                                                        config.host.queue_depth);
        side.pcie->bind_host(*side.queues);
        side.queues->bind(*side.pcie);
        ssd.bind_command_data(*side.queues);
        side.queues->bring_up();
        side.device = side.queues.get();
        return side;
    }
    side.link = std::make_unique<sata::Link>("link", event_queue, config.sata, config.seed);
    side.port = std::make_unique<host::SataPort>("sata_host", event_queue, config.data, config.sata);
    side.port->socket.bind(side.link->host_socket);
    ssd.sata_port()->socket.bind(side.link->device_socket);
    side.device = side.port.get();
    return side;
}

} // namespace tlmssd::ssd
