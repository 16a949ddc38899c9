// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what lies between the host and an SSD: a SATA link with its ports, or nothing.
#pragma once

#include <memory>

#include "models/host/sata_port.h"
#include "models/platform/include/tlmssd/ssd.h"
#include "models/sata/link.h"

namespace tlmssd::platform {

struct HostSide {
    std::unique_ptr<sata::Link> link;         ///< null with host.kind direct
    std::unique_ptr<host::SataPort> port;     ///< as `link`
    host::DeviceLinkIf* device = nullptr;     ///< takes the host's commands
};

/// Wired to `ssd` as its configuration says; before the simulation starts.
inline HostSide connect_host(time::EventWheel& wheel, const config::Config& config, Ssd& ssd)
{
    HostSide side;
    if (ssd.sata_port() == nullptr) {
        side.device = ssd.direct_port();
        return side;
    }
    side.link = std::make_unique<sata::Link>("link", wheel, config.sata);
    side.port = std::make_unique<host::SataPort>("sata_host", config.data, config.sata.queued_trim);
    side.port->socket.bind(side.link->host_socket);
    ssd.sata_port()->socket.bind(side.link->device_socket);
    side.device = side.port.get();
    return side;
}

} // namespace tlmssd::platform
