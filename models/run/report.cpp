// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results.json of one simulation (docs/reference/results.md): its readings, for the table of run/statistics.h.
#include <algorithm>

#include "models/flash/rtl/rtl_controller.h"
#include "models/observe/bound.h"
#include "models/run/idle_latency.h"
#include "models/run/simulation.h"
#include "models/run/statistics.h"

namespace tlmssd::run {

observe::Json Simulation::results(RunStatus status) const
{
    static const char* const kStatus[] = {"done", "interrupted", "failed", "running"};
    const host::InitiatorStats& h = initiator_->stats();
    const Picoseconds makespan =
        h.last_completion > h.started ? h.last_completion - h.started : Picoseconds();
    std::optional<u64> rtl_edges;
    if (const flash::RtlController* const rtl = ssd_->rtl_controller()) {
        rtl_edges = rtl->edges();
    }
    std::optional<ssd::MountReading> mount;
    if (mount_) {
        mount = mount_->reading();
    }
    const DeviceCounters& counters = measurement_->counters();
    const RunReading reading{
        {config_, makespan, *ssd_, counters,
         ssd::FirmwareReading(counters.firmware, *ssd_, {counters.free_blocks_before, counters.free_blocks}, mount),
         rtl_counters_ ? &*rtl_counters_ : nullptr, nand::wear_of(ssd_->nand_device(), config_.geometry)},
        kStatus[static_cast<int>(status)],
        {wall_seconds_, measurement_->requests(), precondition_, event_queue_->kernel_wakes(), event_queue_->events(), rtl_edges},
        workload::total_counts(jobs_),
        jobs_,
        *initiator_,
        host::TrafficReading(h, makespan.seconds()),
        host_side_,
        measurement_->warmup(),
        measurement_->stages(),
        notes_,
        acted({config_, counters, jobs_.size()}),
        bound(makespan),
        measurement_->series(),
        measurement_->slowest()};
    observe::Json document;
    run_statistics().put(document, "", reading);
    return document;
}

/// Busy times end with the last completion and, after a warm-up, begin with the measured part: what
/// was under way at either border counts with the part inside.
observe::Bound Simulation::bound(Picoseconds makespan) const
{
    const host::InitiatorStats& h = initiator_->stats();
    const DeviceCounters& counters = measurement_->counters();
    observe::BoundInput in;
    for (const auto& channel : counters.segments.channels) {
        in.channel_busy.push_back(min(channel.busy, makespan));
    }
    for (const auto& die : counters.segments.dies) {
        in.die_busy.push_back(min(die.bus + die.array, makespan));
    }
    for (const Picoseconds busy : counters.cores) {
        in.core_busy.push_back(min(busy, makespan));
    }
    in.link_to_host = min(counters.link.to_host, makespan);
    in.link_to_device = min(counters.link.to_device, makespan);
    in.depth = config_.host.queue_depth;
    const Unloaded unloaded(config_);
    Unloaded::Work work;
    work.requests = h.reads.count + h.writes.count;
    work.bytes = h.reads.bytes + h.writes.bytes;
    work.flash_reads = counters.firmware.reads_from_flash;
    work.flash_writes = config_.buffer.policy == config::BufferPolicy::NONE ||
                                config_.buffer.write == config::BufferWrite::Through
                            ? h.writes.count
                            : measurement_->fua_writes();
    if (measurement_->after_warmup()) {
        // The firmware closes a read after its end: some were closed in the measured part only.
        work.flash_reads -= std::min<u64>(work.flash_reads, in.depth);
    }
    const Picoseconds all = unloaded.total(work);
    const Picoseconds before = measurement_->open_ages(); // of requests that the warm-up has begun
    in.unloaded_latency = before < all ? all - before : Picoseconds();
    if (h.last_arrival > h.started) { // in open loop; in closed loop the device sets arrivals
        in.last_arrival = h.last_arrival - h.started;
        in.last_latency = min(unloaded.least(), h.last_latency);
    }
    return observe::bound(in);
}

} // namespace tlmssd::run
