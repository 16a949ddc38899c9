// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading all counters of a device.
#include "models/run/counters.h"

#include <cstring>

namespace tlmssd::run {

namespace {

nand::Lun::Statistics sum_of_arrays(const Ssd& ssd)
{
    nand::Lun::Statistics sum;
    for (const auto& target : ssd.targets()) {
        for (u32 lun = 0; lun < target->luns(); ++lun) {
            const nand::Lun::Statistics& s = target->lun(lun).statistics();
            sum.reading += s.reading;
            sum.programming += s.programming;
            sum.erasing += s.erasing;
            sum.bits_read += s.bits_read;
            sum.bit_errors += s.bit_errors;
            sum.expected_bit_errors += s.expected_bit_errors;
            sum.program_fails += s.program_fails;
            sum.erase_fails += s.erase_fails;
        }
    }
    return sum;
}

/// All counters of the firmware are u64, one after the other.
fw_stats difference(const fw_stats& now, const fw_stats& before)
{
    constexpr std::size_t kCount = sizeof(fw_stats) / sizeof(u64);
    static_assert(sizeof(fw_stats) == kCount * sizeof(u64));
    u64 a[kCount], b[kCount];
    std::memcpy(a, &now, sizeof a);
    std::memcpy(b, &before, sizeof b);
    for (std::size_t i = 0; i < kCount; ++i) {
        a[i] -= b[i];
    }
    fw_stats result{};
    std::memcpy(&result, a, sizeof a);
    result.factory_bad = now.factory_bad;
    return result;
}

} // namespace

DeviceCounters DeviceCounters::of(const Ssd& ssd, const ssd::HostSide& host, Picoseconds now)
{
    DeviceCounters c;
    const Geometry& g = ssd.config().geometry;
    const flash::SegmentPort& segments = ssd.segments();
    c.firmware = ssd.firmware().stats;
    for (u32 i = 0; i < g.channels; ++i) {
        const auto& stats = segments.channel_statistics(i);
        c.channels.push_back({segments.channel_busy(i, now), ssd.channel(i).statistics().bursts,
                              stats.page_reads, stats.page_programs, stats.block_erases,
                              stats.resets, stats.polls, stats.suspends, stats.resumes});
    }
    for (u32 d = 0; d < g.total_dies(); ++d) {
        c.dies.push_back(segments.die_statistics(d, now));
    }
    for (u32 i = 0; i < ssd.cpu().cores(); ++i) {
        c.cores.push_back({ssd.cpu().busy(i, now)});
    }
    c.arrays = sum_of_arrays(ssd);
    c.ecc = ssd.data_path().ecc_statistics();
    c.order = ssd.order_statistics();
    if (const probes::ChipTracker* const chips = ssd.chips()) {
        c.chips = chips->counters(now);
    }
    c.dram_busy = ssd.dram().busy(now);
    for (u32 m = 0; m < kDramMasters; ++m) {
        c.masters[m] = ssd.dram().statistics(static_cast<DramMaster>(m), now);
    }
    if (const dram::Banks* const banks = ssd.dram().banks()) {
        c.banks = banks->statistics();
    }
    if (host.link) {
        c.to_host = host.link->busy(sata::Side::Device, now);
        c.to_device = host.link->busy(sata::Side::Host, now);
    } else if (host.pcie) {
        c.to_host = host.pcie->busy_to_host(now);
        c.to_device = host.pcie->busy_to_device(now);
        c.pcie = host.pcie->stats();
        c.nvme = ssd.nvme_port()->stats();
    } else if (const host::DirectPort* const port = ssd.direct_port()) {
        c.to_host = port->busy_to_host(now);
        c.to_device = port->busy_to_device(now);
    }
    return c;
}

DeviceCounters DeviceCounters::since(const DeviceCounters& b) const
{
    DeviceCounters c = *this;
    c.firmware = difference(firmware, b.firmware);
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const Channel& old = b.channels[i];
        Channel& now = c.channels[i];
        now.busy = now.busy - old.busy;
        now.bursts = now.bursts - old.bursts;
        now.reads -= old.reads;
        now.programs -= old.programs;
        now.erases -= old.erases;
        now.resets -= old.resets;
        now.polls -= old.polls;
        now.suspends -= old.suspends;
        now.resumes -= old.resumes;
    }
    for (std::size_t i = 0; i < dies.size(); ++i) {
        const auto& old = b.dies[i];
        auto& now = c.dies[i];
        now.bus = now.bus - old.bus;
        now.array = now.array - old.array;
        now.busy = now.busy - old.busy;
        now.contention = now.contention - old.contention;
        now.channel_wait = now.channel_wait - old.channel_wait;
    }
    for (std::size_t i = 0; i < cores.size(); ++i) {
        c.cores[i].busy = cores[i].busy - b.cores[i].busy;
    }
    c.arrays.reading = arrays.reading - b.arrays.reading;
    c.arrays.programming = arrays.programming - b.arrays.programming;
    c.arrays.erasing = arrays.erasing - b.arrays.erasing;
    c.arrays.bits_read -= b.arrays.bits_read;
    c.arrays.bit_errors -= b.arrays.bit_errors;
    c.arrays.expected_bit_errors -= b.arrays.expected_bit_errors;
    c.arrays.program_fails -= b.arrays.program_fails;
    c.arrays.erase_fails -= b.arrays.erase_fails;
    c.ecc.codewords -= b.ecc.codewords;
    c.ecc.corrected_bits -= b.ecc.corrected_bits;
    c.ecc.failed_codewords -= b.ecc.failed_codewords;
    c.ecc.retries -= b.ecc.retries;
    c.ecc.uncorrectable_pages -= b.ecc.uncorrectable_pages;
    c.order.reordered -= b.order.reordered;
    c.order.held -= b.order.held;
    c.order.held_time = order.held_time - b.order.held_time;
    c.chips = chips.since(b.chips);
    c.dram_busy = dram_busy - b.dram_busy;
    for (u32 m = 0; m < kDramMasters; ++m) {
        c.masters[m].transfers -= b.masters[m].transfers;
        c.masters[m].bytes -= b.masters[m].bytes;
        c.masters[m].busy = masters[m].busy - b.masters[m].busy;
        c.masters[m].wait = masters[m].wait - b.masters[m].wait;
    }
    c.banks.hits -= b.banks.hits;
    c.banks.closed -= b.banks.closed;
    c.banks.conflicts -= b.banks.conflicts;
    c.banks.refreshes -= b.banks.refreshes;
    c.banks.turnarounds -= b.banks.turnarounds;
    c.banks.data = banks.data - b.banks.data;
    c.to_host = to_host - b.to_host;
    c.to_device = to_device - b.to_device;
    c.nvme = nvme.since(b.nvme);
    c.pcie = pcie.since(b.pcie);
    return c;
}

} // namespace tlmssd::run
