// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results.json of one simulation (docs/results.md).
#include <algorithm>
#include <array>
#include <cmath>

#include "firmware/boot/firmware.h"
#include "models/config/text/names.h"
#include "models/flash/rtl/rtl_controller.h"
#include "models/observe/bound.h"
#include "models/observe/output/process.h"
#include "models/run/config_json.h"
#include "models/run/idle_latency.h"
#include "models/run/report_jobs.h"
#include "models/run/simulation.h"

namespace tlmssd::run {

observe::Json Simulation::results(RunStatus status) const
{
    static const char* const kStatus[] = {"done", "interrupted", "failed", "running"};
    const host::InitiatorStats& h = initiator_->stats();
    const Picoseconds makespan =
        h.last_completion > h.started ? h.last_completion - h.started : Picoseconds();
    const double seconds = makespan.seconds();
    observe::Results r;
    r.put("config_hash", config_.hash_text);
    r.put("seed", config_.seed);
    r.put("calibrated", config_.cpu.model == config::CpuModel::Iss || fw_costs_are_fitted());
    r.put("status", kStatus[static_cast<int>(status)]);
    r.put("wall.seconds", wall_seconds_);
    r.put_ratio("wall.host_ios_per_s", static_cast<double>(measurement_->requests()), wall_seconds_);
    r.put("wall.precondition_s", precondition_.wall_seconds);
    r.put_ratio("wall.precondition_programs_per_s", static_cast<double>(precondition_.programs),
                precondition_.wall_seconds);
    r.put("wall.kernel_events", wheel_->kernel_wakes());
    r.put("wall.wheel_events", wheel_->events());
    if (const flash::RtlController* const rtl = ssd_->rtl_controller()) {
        r.put("wall.rtl_edges", rtl->edges());
    }
    r.put("wall.peak_rss_mib", observe::peak_rss_mib());
    r.put("wall.git", observe::git_describe());
    r.put("config", config_json(config_));
    r.put_seconds("sim.time_s", makespan);
    const workload::SourceCounts w = workload::total_counts(jobs_);
    r.put("workload.name", config_.workload.name);
    r.put("workload.requests", w.requests);
    r.put("workload.folded", w.folded);
    r.put("workload.dropped", w.dropped);
    r.put("workload.skipped", w.skipped);
    r.put("workload.deduplicated", w.deduplicated);
    if (!precondition_.snapshot.empty()) {
        r.put("precondition.snapshot", precondition_.snapshot);
    }
    r.put("precondition.filled", precondition_.filled);
    r.put("precondition.overwritten", precondition_.overwritten);
    r.put("precondition.pages_programmed", precondition_.programs);
    r.put("precondition.blocks_erased", precondition_.erases);
    r.put("precondition.windows", precondition_.windows);
    const Geometry& g = config_.geometry;
    r.put_ratio("precondition.waf", static_cast<double>(precondition_.waf_programs) * g.part_bytes(),
                static_cast<double>(precondition_.waf_written) * g.page_bytes);
    put_host(r, seconds);
    measurement_->put_summary(r);
    put_device(r, makespan);
    put_nand(r, makespan);
    r.put("integrity.pages_checked", h.units_checked);
    r.put("integrity.bytes_checked", h.bytes_checked);
    r.put("integrity.mismatches", h.mismatches);
    r.put("checker.violations", ssd_->violations());
    put_bound(r, makespan);
    measurement_->put_lists(r);
    return r.json();
}

void Simulation::put_host(observe::Results& r, double seconds) const
{
    const host::InitiatorStats& h = initiator_->stats();
    observe::Histogram latency = h.reads.latency;
    latency.merge(h.writes.latency);
    observe::Histogram response = h.reads.response;
    response.merge(h.writes.response);
    r.put_requests("host.all", h.reads.bytes + h.writes.bytes, seconds, latency, response);
    r.put_requests("host.reads", h.reads.bytes, seconds, h.reads.latency, h.reads.response);
    r.put_requests("host.writes", h.writes.bytes, seconds, h.writes.latency, h.writes.response);
    r.put("host.flushes.count", h.flushes);
    r.put("host.trims.count", h.trims);
    const auto put_wait = [&r](const char* path, const host::MeanTime& t) {
        r.put_ratio(path, t.mean_ps() * 1e-6 * static_cast<double>(t.count),
                    static_cast<double>(t.count));
    };
    r.put("host.errors.reads", h.device_errors.reads);
    r.put("host.errors.writes", h.device_errors.writes);
    r.put("host.errors.others", h.device_errors.others);
    if (host_side_.link && (config_.sata.bit_error_rate > 0 || config_.sata.fifo_kib != 0)) {
        const sata::LinkStats& l = host_side_.link->stats();
        r.put("host.sata.frames_repeated", l.from_host.repeated + l.from_device.repeated);
        r.put("host.sata.resets", l.resets);
        r.put("host.sata.commands_repeated", host_side_.port->stats().repeated);
        r.put("host.sata.held_us", l.held.microseconds());
    }
    put_wait("host.queue_wait_us.mean", h.queue_wait);
    put_wait("host.queue_wait_us.mean_when_full", h.queue_wait_when_full);
    put_jobs(r, *initiator_, jobs_, seconds);
}

namespace {

/// What the ISS knows of the whole run, warm-up included.
void put_iss(observe::Results& r, const cpu::IssExecutor& iss, const cpu::Cpu& cpu)
{
    r.put("cpu.iss.instructions", iss.instructions());
    observe::Json cores = observe::Json::array();
    for (u32 core = 0; core < cpu.cores(); ++core) {
        cores.push_back(cpu.statistics(core).cycles);
    }
    r.put("cpu.iss.core_cycles", cores);
    observe::Json functions = observe::Json::array();
    for (const auto& [name, cycles] : iss.cycles_by_function()) {
        observe::Json function;
        function["name"] = name;
        function["cycles"] = cycles;
        functions.push_back(function);
    }
    r.put("cpu.iss.functions", functions);
}

} // namespace

void Simulation::put_device(observe::Results& r, Picoseconds makespan) const
{
    const double seconds = makespan.seconds();
    const fw& firmware = ssd_->firmware();
    const DeviceCounters& counters = measurement_->counters();
    const fw_stats& s = counters.firmware;
    r.put("ftl.host_pages_written", s.host_pages_written);
    r.put("ftl.flash_pages_written", s.flash_pages_written);
    if (config_.mapping_bits() != 0) {
        r.put_ratio("ftl.waf",
                    static_cast<double>(s.flash_pages_written * (config_.geometry.part_bytes() / kUnitBytes)),
                    static_cast<double>(s.packed_units));
    } else {
        r.put_ratio("ftl.waf", static_cast<double>(s.flash_pages_written),
                    static_cast<double>(s.host_pages_written));
    }
    r.put("ftl.table_pages_written", s.table_pages_written);
    const bool journal = config_.ftl.recovery == config::Recovery::Journal;
    if (journal) {
        r.put("ftl.journal_pages_written", s.journal_pages_written);
    }
    if (mount_) {
        r.put("ftl.recovery.mount_us", mount_->took().microseconds());
        r.put("ftl.recovery.pages_read", mount_->reads());
        if (journal) {
            r.put("ftl.recovery.journals", mount_->journals());
            r.put("ftl.recovery.doubtful_blocks", mount_->doubts());
            r.put("ftl.recovery.full_scans", mount_->scans());
        }
    }
    if (config_.ftl.mapping == config::Mapping::Dftl) {
        r.put("ftl.map.hits", s.map_hits);
        r.put("ftl.map.misses", s.map_misses);
        r.put("ftl.map.evictions", s.map_evictions);
        r.put("ftl.map.pages_read", s.map_reads);
        r.put("ftl.map.pages_written", s.map_writes);
        r.put("ftl.map.entries_merged", s.map_merged);
        r.put("ftl.map.pages_moved", s.map_moved);
        r.put("ftl.map.blocks_erased", s.map_erases);
    }
    r.put("ftl.gc.runs", s.gc_runs);
    r.put("ftl.gc.pages_moved", s.gc_pages_moved);
    if (config_.mapping_bits() != 0) {
        r.put("ftl.units.pages_programmed", s.packed_pages);
        r.put("ftl.units.written", s.packed_units);
        r.put("ftl.units.padding", s.packed_pages * config_.mapping_units() - s.packed_units);
        r.put("ftl.units.moved", s.gc_units_moved);
    }
    r.put("ftl.gc.blocks_erased", s.gc_blocks_erased);
    r.put("ftl.gc.copybacks", s.gc_copybacks);
    r.put("ftl.gc.held", s.gc_held);
    r.put("ftl.gc.held_us", s.gc_held_us);
    r.put("ftl.bad_blocks.factory", s.factory_bad);
    r.put("ftl.bad_blocks.retired", s.blocks_retired);
    r.put("ftl.program_fails", s.program_fails);
    r.put("ftl.erase_fails", s.erase_fails);
    r.put("ftl.read_errors", s.read_errors);
    r.put("ftl.pages_lost", s.pages_lost);
    u32 least = 0, most = 0;
    u64 sum = 0, squares = 0;
    ssd_->refresh_wear();
    fw_wear(&firmware, &least, &most, &sum, &squares);
    const double blocks =
        static_cast<double>(u64{config_.geometry.total_planes()} * config_.geometry.blocks);
    const double mean = static_cast<double>(sum) / blocks;
    r.put("ftl.read_only", firmware.stats.read_only != 0);
    if (firmware.stats.read_only != 0) {
        r.put("ftl.read_only_us", firmware.stats.read_only_us);
    }
    r.put("ftl.wear.runs", s.wear_runs);
    r.put("ftl.wear.pages_moved", s.wear_pages_moved);
    r.put("ftl.wear.min", least);
    r.put("ftl.wear.max", most);
    r.put("ftl.wear.mean", mean);
    r.put("ftl.wear.stddev",
          std::sqrt(std::max(0.0, static_cast<double>(squares) / blocks - mean * mean)));
    r.put("buffer.pages", firmware.cfg.slots);
    r.put("buffer.table_bytes", fw_line_table_bytes(&firmware.cfg));
    r.put("buffer.read_hits", s.read_hits);
    r.put("buffer.read_misses", s.read_misses);
    r.put("buffer.write_hits", s.write_hits);
    r.put("buffer.write_misses", s.write_misses);
    r.put_ratio("buffer.hit_ratio", static_cast<double>(s.read_hits + s.write_hits),
                static_cast<double>(s.read_hits + s.write_hits + s.read_misses + s.write_misses));
    if (config_.buffer.page_padding) {
        r.put("buffer.padded_pages", s.padded_pages);
    }
    if (config_.buffer.read_ahead != 0) {
        r.put("buffer.read_ahead.pages", s.read_ahead_pages);
        r.put("buffer.read_ahead.hits", s.read_ahead_hits);
        r.put("buffer.read_ahead.unused", s.read_ahead_unused);
    }
    if (config_.prefetch.mode != config::PrefetchMode::None) {
        r.put("prefetch.sequences.recorded", s.prefetch_recorded);
        r.put("prefetch.sequences.recognised", s.prefetch_recognised);
        r.put("prefetch.sequences.finished", s.prefetch_finished);
        r.put("prefetch.sequences.aborted", s.prefetch_aborted);
        r.put("prefetch.pages", s.prefetch_pages);
        r.put("prefetch.hits", s.prefetch_hits);
        r.put("prefetch.late", s.prefetch_late);
        r.put("prefetch.unused", s.prefetch_unused);
        r.put("prefetch.table_bytes", fw_prefetch_table_bytes(&firmware.cfg));
    }
    if (config_.buffer.evicts_sets()) {
        r.put("buffer.evicted_sets", s.evicted_sets);
        r.put("buffer.partial_sets", s.partial_sets);
        r.put("buffer.directed_elsewhere", s.directed_elsewhere);
    }
    r.put("sched.name", to_string(config_.scheduler));
    r.put("sched.reordered", s.reordered);
    r.put("sched.multi_plane_ops", s.multi_plane_ops);
    const flash::OrderStatistics& order = counters.order;
    r.put("controller.mode", to_string(config_.controller.mode));
    r.put("controller.reordered", order.reordered);
    r.put("controller.held", order.held);
    r.put_ratio("controller.held_us.mean", order.held_time.microseconds(),
                static_cast<double>(order.held));
    put_rtl_counters(r);
    u64 polls = 0, suspends = 0, resumes = 0;
    for (const DeviceCounters::Channel& c : counters.channels) {
        polls += c.polls;
        suspends += c.suspends;
        resumes += c.resumes;
    }
    r.put("controller.polls", polls);
    r.put("controller.suspends", suspends);
    r.put("controller.resumes", resumes);
    if (can(config_.scheduler, SCHED_REALLOCATES)) {
        r.put("sched.reallocated", s.reallocated);
    }
    const bool takes_back = can(config_.scheduler, SCHED_TAKES_BACK);
    if (takes_back) {
        r.put("sched.hit_manager_reads", s.hit_manager_reads);
        r.put("sched.cancelled_writes", s.cancelled_writes);
    }
    if (can(config_.scheduler, SCHED_JOINS_WRITES)) {
        r.put("sched.joined_writes", s.joined_writes);
    }
    if (takes_back) {
        r.put("sched.returned_pages", s.returned_pages);
    }
    u64 reads = 0, programs = 0, erases = 0, resets = 0;
    observe::Json channels = observe::Json::array();
    for (const DeviceCounters::Channel& c : counters.channels) {
        reads += c.reads;
        programs += c.programs;
        erases += c.erases;
        resets += c.resets;
        observe::Json channel;
        channel["busy_s"] = static_cast<double>(c.busy.value()) / 1e12;
        channel["reads"] = c.reads;
        channel["programs"] = c.programs;
        channel["erases"] = c.erases;
        channel["occupied_s"] = nullptr;
        if (const std::size_t i = channels.size(); i < counters.chips.occupied.size()) {
            channel["occupied_s"] = static_cast<double>(counters.chips.occupied[i].value()) / 1e12;
        }
        channels.push_back(channel);
    }
    r.put("flash.ops.read", reads);
    r.put("flash.ops.program", programs);
    r.put("flash.ops.erase", erases);
    r.put("flash.ops.reset", resets);
    r.put("flash.transactions", s.flash_transactions);
    r.put("flash.channels", channels);
    Picoseconds idle, contention, channel_wait;
    for (const auto& die : counters.dies) {
        idle += die.busy < makespan ? makespan - die.busy : Picoseconds();
        contention += die.contention;
        channel_wait += die.channel_wait;
    }
    r.put_seconds("flash.die_idle_s", idle);
    r.put("flash.contention_us", static_cast<double>(contention.value()) / 1e6);
    r.put("flash.conflict_wait_us.channel", static_cast<double>(channel_wait.value()) / 1e6);
    put_chips(r);
    r.put("cpu.model", to_string(config_.cpu.model));
    r.put("cpu.mhz", config_.cpu.mhz);
    observe::Json busy = observe::Json::array();
    for (const DeviceCounters::Core& c : counters.cores) {
        busy.push_back(seconds > 0 ? std::min(1.0, c.busy.seconds() / seconds) : 0.0);
    }
    r.put("cpu.busy_fraction", busy);
    r.put("cpu.cycles.hil", s.cycles[FW_ROOM_HIL]);
    r.put("cpu.cycles.buffer", s.cycles[FW_ROOM_BUFFER]);
    r.put("cpu.cycles.ftl", s.cycles[FW_ROOM_FTL]);
    r.put("cpu.cycles.sched", s.cycles[FW_ROOM_SCHED]);
    if (const cpu::IssExecutor* const iss = ssd_->iss()) {
        put_iss(r, *iss, ssd_->cpu());
    }
    r.put_seconds("dram.busy_s", counters.dram_busy);
    for (u32 m = 0; m < kDramMasters; ++m) {
        static constexpr std::array<const char*, kDramMasters> kNames{"link", "flash", "cpu"};
        const dram::MasterStatistics& master = counters.masters[m];
        const std::string at = std::string("dram.masters.") + kNames[m];
        const double transfers = static_cast<double>(std::max<u64>(master.transfers, 1));
        r.put(at + ".transfers", master.transfers);
        r.put(at + ".bytes", master.bytes);
        r.put_seconds(at + ".busy_s", master.busy);
        r.put(at + ".wait_us.mean", master.wait.microseconds() / transfers);
        r.put(at + ".wait_us.max", master.wait_max.microseconds());
    }
    if (config_.dram.model == config::DramModel::Banks) {
        r.put("dram.banks.row_hits", counters.banks.hits);
        r.put("dram.banks.rows_opened", counters.banks.closed);
        r.put("dram.banks.row_conflicts", counters.banks.conflicts);
        r.put("dram.banks.refreshes", counters.banks.refreshes);
        r.put("dram.banks.turnarounds", counters.banks.turnarounds);
        r.put_seconds("dram.banks.data_s", counters.banks.data);
    }
    r.put_seconds("link.busy_to_host_s", counters.to_host);
    r.put_seconds("link.busy_to_device_s", counters.to_device);
    if (config_.host.kind == config::HostKind::Nvme) {
        put_nvme(r, counters);
    }
}

void Simulation::put_nvme(observe::Results& r, const DeviceCounters& counters)
{
    const nvme::PortStats& port = counters.nvme;
    r.put("nvme.commands", port.commands);
    r.put("nvme.fetches", port.fetches);
    r.put("nvme.prp_lists", port.prp_lists);
    r.put("nvme.doorbells.submission", port.submission_bells);
    r.put("nvme.doorbells.completion", port.completion_bells);
    r.put("nvme.most_waiting", port.most_waiting);
    const auto direction = [&r](const std::string& name, const nvme::PcieStats::Direction& d) {
        r.put(("nvme.link." + name + ".packets").c_str(), d.packets);
        r.put(("nvme.link." + name + ".bytes").c_str(), d.bytes);
        r.put(("nvme.link." + name + ".payload_bytes").c_str(), d.payload_bytes);
    };
    direction("to_host", counters.pcie.to_host);
    direction("to_device", counters.pcie.to_device);
}

/// What the registers of controller.rtl o3 have counted.
void Simulation::put_rtl_counters(observe::Results& r) const
{
    if (!rtl_counters_) {
        return;
    }
    r.put("controller.counters.cycles", rtl_counters_->cycles);
    r.put("controller.counters.ended", rtl_counters_->ended);
    r.put("controller.counters.held", rtl_counters_->held);
    r.put("controller.counters.inside_max", rtl_counters_->inside_max);
    observe::Json channels = observe::Json::array();
    for (const flash::RtlCounters::Channel& c : rtl_counters_->channels) {
        observe::Json channel;
        channel["reads"] = c.reads;
        channel["programs"] = c.programs;
        channel["erases"] = c.erases;
        channel["resets"] = c.resets;
        channel["dependent"] = c.dependent;
        channel["fenced"] = c.fenced;
        channel["bus_busy_cycles"] = c.bus_busy;
        channel["bus_starved_cycles"] = c.bus_starved;
        channel["blocked_cycles"] = c.blocked;
        channel["lun_busy_cycles"] = c.lun_busy;
        channels.push_back(channel);
    }
    r.put("controller.counters.channels", channels);
}

/// Busy times end with the last completion and, after a warm-up, begin with the measured part: what
/// was under way at either border counts with the part inside.
void Simulation::put_bound(observe::Results& r, Picoseconds makespan) const
{
    const host::InitiatorStats& h = initiator_->stats();
    const DeviceCounters& counters = measurement_->counters();
    observe::BoundInput in;
    for (const DeviceCounters::Channel& c : counters.channels) {
        in.channel_busy.push_back(min(c.busy, makespan));
    }
    for (const auto& die : counters.dies) {
        in.die_busy.push_back(min(die.bus + die.array, makespan));
    }
    for (const DeviceCounters::Core& c : counters.cores) {
        in.core_busy.push_back(min(c.busy, makespan));
    }
    in.link_to_host = min(counters.to_host, makespan);
    in.link_to_device = min(counters.to_device, makespan);
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
    const observe::Bound b = observe::bound(in);
    r.put_seconds("bound.makespan_s", b.makespan);
    r.put("bound.limiter", observe::to_string(b.limiter));
    r.put_ratio("bound.fraction_of_bound", static_cast<double>(b.makespan.value()),
                static_cast<double>(makespan.value()));
}

} // namespace tlmssd::run
