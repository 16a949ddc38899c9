// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the choices of an NVMe controller from a configuration.
#include "models/nvme_device/front_options.h"

#include <algorithm>

namespace tlmssd::nvme_device {

namespace {
constexpr u32 kMostPages = 8192; // of a command, of 4 KiB: 65536 sectors
} // namespace

FrontOptions front_options(const config::Config& config, const Facts& facts)
{
    FrontOptions o;
    o.facts = facts;
    o.facts.sectors = config.logical_sectors();
    o.facts.tags = config.host.queue_depth;
    o.facts.seed = config.seed;
    o.sectors_per_unit = config.geometry.sectors_per_unit();
    o.units = config.nvme.units;
    return o;
}

FrontOptions front_options(const config::Config& config)
{
    Facts facts;
    facts.queue_pairs = config.nvme.queues;
    facts.queue_entries = config.nvme.queue_entries;
    facts.vectors = config.nvme.queues + 1;
    facts.transfer_pages = kMostPages;
    facts.io_commands = std::min(config.nvme.commands, config.host.queue_depth);
    return front_options(config, facts);
}

} // namespace tlmssd::nvme_device
