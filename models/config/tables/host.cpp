// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the host port (host.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(HostKind, "sata", "direct", "nvme")
TO_STRING(HostKind)

using namespace rows;

std::vector<Key> host_keys()
{
    return {
        choice("host.kind", AT(host.kind), HostKind::Sata,
               "NCQ over a SATA link, no protocol, or NVMe queue pairs over PCI Express (docs/explanation/nvme.md)"),
        integer("host.queue_depth", AT(host.queue_depth), 32, 1, 1024,
                "commands outstanding; on sata at most 32, or 256 with sata.extended_tags"),
        time("host.timeout_ms", AT(host.timeout), kMs, 30000, 0, 1e9,
             "simulated time in which commands are open and none ends, after which the run ends with status 3")
            .zero("never"),
        real("host.direct_mb_per_s", AT(host.direct_mb_per_s), 0, 0, 1e6,
             "a link for data, in each direction, 10^6 B/s (100 Mb/s Ethernet: 12.5); unlimited: data take no time on it")
            .zero("unlimited")
            .when(kDirect),
    };
}

} // namespace tlmssd::config
