// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading all counters of a device.
#include "models/run/counters.h"

#include "firmware/boot/firmware.h"
#include "models/ssd/firmware_statistics.h"

namespace tlmssd::run {

DeviceCounters DeviceCounters::of(const Ssd& ssd, const ssd::HostSide& host, Picoseconds now)
{
    DeviceCounters c;
    c.firmware = ssd.firmware().stats;
    ssd.refresh_wear();
    c.free_blocks = fw_free_blocks(&ssd.firmware());
    c.segments = flash::statistics_of(ssd.segments(), now);
    for (u32 i = 0; i < ssd.cpu().cores(); ++i) {
        c.cores.push_back(ssd.cpu().busy(i, now));
    }
    for (const auto& target : ssd.targets()) {
        for (u32 lun = 0; lun < target->luns(); ++lun) {
            c.arrays += target->lun(lun).statistics();
        }
    }
    for (u32 i = 0; i < ssd.config().geometry.channels; ++i) {
        c.bursts += ssd.channel(i).statistics().bursts;
    }
    c.ecc = ssd.data_path().ecc_statistics();
    c.order = ssd.order_statistics();
    if (const probes::PackageTracker* const packages = ssd.packages()) {
        c.packages = packages->counters(now);
    }
    c.dram = dram::statistics_of(ssd.dram(), now);
    if (host.link) {
        c.link = {host.link->busy(sata::Side::Device, now), host.link->busy(sata::Side::Host, now)};
    } else if (host.pcie) {
        c.link = {host.pcie->busy_to_host(now), host.pcie->busy_to_device(now)};
        c.nvme = {ssd.nvme_counts(), host.pcie->stats()};
    } else if (const host::DirectPort* const port = ssd.direct_port()) {
        c.link = {port->busy_to_host(now), port->busy_to_device(now)};
    }
    return c;
}

DeviceCounters DeviceCounters::since(const DeviceCounters& before) const
{
    DeviceCounters c;
    c.firmware = ssd::since(firmware, before.firmware);
    c.free_blocks = free_blocks;
    c.free_blocks_before = before.free_blocks;
    c.segments = segments.since(before.segments);
    c.cores = cores;
    for (std::size_t i = 0; i < before.cores.size(); ++i) {
        c.cores[i] = cores[i] - before.cores[i];
    }
    c.arrays = arrays.since(before.arrays);
    c.bursts = bursts - before.bursts;
    c.ecc = ecc.since(before.ecc);
    c.order = order.since(before.order);
    if (packages) {
        c.packages = packages->since(before.packages.value_or(probes::PackageCounters()));
    }
    c.dram = dram.since(before.dram);
    c.link = link.since(before.link);
    c.nvme = nvme.since(before.nvme);
    return c;
}

} // namespace tlmssd::run
