// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rules that join several keys: those of cores, DRAM, host port, buffer and workload; and all.
#include <algorithm>
#include <cmath>

#include "models/config/rules/rules.h"
#include "models/config/rules/workload_check.h"
#include "models/config/text/raw.h"

namespace tlmssd::config {
namespace {

constexpr u32 kSataTags = 32;
constexpr u32 kSataExtendedTags = 256;
constexpr u32 kHostPageBytes = 4096; // a piece of NVMe data

class DeviceRules : public Rules {
public:
    using Rules::Rules;
    void all() const
    {
        cpu();
        dram();
        host();
        nvme();
        buffer();
        precondition();
        workload();
    }

private:
    void cpu() const
    {
        const auto core = [&](const char* key, u32 n) {
            require(n < c_.cpu.cores, key,
                    "there is no core " + str(n) + "; cpu.cores is " + str(c_.cpu.cores));
        };
        core("cpu.core_of.hil", c_.cpu.core_of_hil);
        core("cpu.core_of.buffer", c_.cpu.core_of_buffer);
        core("cpu.core_of.ftl", c_.cpu.core_of_ftl);
        core("cpu.core_of.sched", c_.cpu.core_of_sched);
        require(c_.firmware.command_cycles == 0 || c_.cpu.model == CpuModel::Native, "cpu.command_cycles",
                "are charged by cpu.model: native only; the ISS counts what its image executes");
    }

    void arbitration() const
    {
        const Dram& d = c_.dram;
        if (d.arbitration == DramArbitration::Fcfs) {
            return;
        }
        const auto fcfs_only = [&](bool other, const std::string& what) {
            require(!other, "dram.arbitration",
                    std::string(to_string(d.arbitration)) + " conflicts with " + what + "; use fcfs");
        };
        require((d.grant_bytes & (d.grant_bytes - 1)) == 0, "dram.grant_bytes",
                str(d.grant_bytes) + " is not a power of two");
        fcfs_only(is_rtl(c_.controller.kind), std::string("controller.kind: ") + to_string(c_.controller.kind) +
                                                  ", which learns only once when data will be in DRAM");
        fcfs_only(c_.host.kind == HostKind::Sata && c_.sata.fifo_kib != 0,
                  "sata.fifo_kib: " + str(c_.sata.fifo_kib) + ", whose flow control learns only once when its FIFO has space");
    }

    void dram() const
    {
        arbitration();
        if (c_.dram.model == DramModel::Bus) {
            return;
        }
        const DramTiming& t = c_.dram.timing;
        const auto power_of_two = [&](const char* key, u32 n) {
            require((n & (n - 1)) == 0, key, str(n) + " is not a power of two");
        };
        power_of_two("dram.timing.banks", t.banks);
        power_of_two("dram.timing.row_bytes", t.row_bytes);
        power_of_two("dram.timing.bus_bits", t.bus_bits);
        power_of_two("dram.timing.burst", t.burst);
        require(t.burst % t.beats_per_clock == 0, "dram.timing.burst",
                str(t.burst) + " beats are not whole clocks of " + str(t.beats_per_clock) + " beats");
        require(t.row_bytes >= t.burst_bytes(), "dram.timing.row_bytes",
                "a row of " + str(t.row_bytes) + " bytes holds no burst of " + str(t.burst_bytes()));
        require(t.t_refi == Picoseconds() || t.t_refi >= 2 * (t.t_rfc + t.t_rp + t.t_ras),
                "dram.timing.t_refi_us",
                "leaves the DRAM less than half its time for work: a refresh takes " +
                    format_real((t.t_rfc + t.t_rp + t.t_ras).microseconds()) + " us");
    }

    void host() const
    {
        require(c_.host.kind != HostKind::Sata || c_.host.queue_depth <= kSataTags ||
                    c_.sata.extended_tags,
                "host.queue_depth",
                str(c_.host.queue_depth) + " is more than the " + str(kSataTags) +
                    " tags of NCQ; set sata.extended_tags: true or host.kind: direct");
        require(c_.host.kind != HostKind::Sata || c_.host.queue_depth <= kSataExtendedTags, "host.queue_depth",
                str(c_.host.queue_depth) + " is more than the " + str(kSataExtendedTags) +
                    " of sata.extended_tags; set host.kind: direct or nvme");
        const bool queued = c_.host.kind != HostKind::Sata || c_.sata.ncq;
        require(queued || c_.host.queue_depth == 1, "host.queue_depth",
                str(c_.host.queue_depth) + " commands at once need NCQ; set it to 1 or sata.ncq: true");
        require(queued || !c_.sata.queued_trim, "sata.queued_trim",
                "needs NCQ; set it to false or sata.ncq: true");
    }

    void nvme() const
    {
        const auto power_of_two = [this](const char* key, u32 n) {
            require((n & (n - 1)) == 0, key, str(n) + " is not a power of two");
        };
        if (c_.host.kind != HostKind::Nvme) {
            return;
        }
        power_of_two("nvme.arbitration_burst", c_.nvme.arbitration_burst);
        require(c_.nvme.units.engine == NvmeEngine::Hardware || c_.nvme.units.takes_time(), "nvme.engine",
                "firmware: needs nvme.fetch_ns, nvme.decode_ns or nvme.completion_ns, which are the times of its core");
        power_of_two("pcie.lanes", c_.pcie.lanes);
        power_of_two("pcie.max_payload", c_.pcie.max_payload);
        power_of_two("pcie.read_request", c_.pcie.read_request);
        require(c_.pcie.read_tags * c_.pcie.read_request >= kHostPageBytes, "pcie.read_tags",
                str(c_.pcie.read_tags) + " reads of " + str(c_.pcie.read_request) +
                    " bytes do not get a host page; needs at least " +
                    str(kHostPageBytes / c_.pcie.read_request));
    }

    void buffer() const
    {
        const u64 least = u64{kLeastPageBuffers} * g_.page_bytes;
        require(c_.buffer.bytes >= least, "buffer.size_mib",
                format_real(static_cast<double>(c_.buffer.bytes) / 1048576.0) +
                    " MiB hold fewer than " + str(kLeastPageBuffers) + " pages of " + str(g_.page_bytes) +
                    " bytes; needs at least " +
                    format_real(static_cast<double>(least) / 1048576.0));
        require(c_.buffer.write == BufferWrite::Back || !c_.buffer.reads_bypass(), "buffer.write",
                "through: nothing would be kept, as reads bypass the buffer (buffer.reads); set "
                "buffer.reads: cached, or buffer.policy: none for a device without a cache");
        const u64 slots = c_.buffer.bytes / g_.page_bytes;
        require(c_.buffer.read_ahead <= slots / 8, "buffer.read_ahead",
                str(c_.buffer.read_ahead) + " pages are more than an eighth of the buffer's " + str(slots));
        const Buffer& b = c_.buffer;
        const u64 buffers = b.bytes / c_.mapped_bytes();
        require(b.free_pages <= buffers / 8, "buffer.free_pages",
                str(b.free_pages) + " are more than an eighth of the buffer's " + str(buffers) + " page buffers");
        const std::string policy = to_string(b.policy);
        const bool prefetches = c_.prefetch.mode != PrefetchMode::None;
        require(!prefetches || !b.evicts_sets(), "prefetch.mode",
                "policy " + policy + " gives up no single page for one that nobody has asked for; use none or ccf_lru");
        require(!prefetches || c_.prefetch.share * static_cast<double>(slots) >= 1, "prefetch.share",
                format_real(c_.prefetch.share) + " of " + str(slots) + " pages hold none");
        require(!prefetches || c_.logical_pages() * g_.units_per_page() < u64{1} << 30, "prefetch.mode",
                "a sequence holds numbers of logical pages below 2^30; the device has " +
                    str(c_.logical_pages() * g_.units_per_page()));
        require(b.policy != BufferPolicy::CAVE ||
                    (b.cave_over != BufferPolicy::NONE && b.cave_over != BufferPolicy::GATING &&
                     b.cave_over != BufferPolicy::CAVE && b.cave_over != BufferPolicy::CAWR &&
                     b.cave_over != BufferPolicy::CAWR_BLOCK),
                "buffer.cave_over",
                std::string(to_string(b.cave_over)) +
                    " does not evict pages it keeps one by one; use ccf_lru or another policy that does");
        require(b.policy != BufferPolicy::CAWR_BLOCK || b.cawr_over == BufferPolicy::FAB ||
                    b.cawr_over == BufferPolicy::BPLRU || b.cawr_over == BufferPolicy::CLC,
                "buffer.cawr_over",
                std::string(to_string(b.cawr_over)) + " does not evict blocks; use fab, bplru or clc");
        if (!b.evicts_sets()) {
            return;
        }
        require(b.policy != BufferPolicy::GATING || b.reads != BufferReads::Cached, "buffer.reads",
                "cached: policy gating keeps no page; use auto, or another policy");
        require(b.read_ahead == 0, "buffer.read_ahead",
                "policy " + policy + " gives up no single page for one that nobody has asked for; use none or policy ccf_lru");
        require(c_.ftl.placement == Placement::Order, "buffer.policy",
                policy + " says to which channel a page goes; needs ftl.placement: order");
        require(!can(c_.scheduler, SCHED_PLACES_WRITES), "buffer.policy",
                policy + ": scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the dies of writes itself; use ccf_lru");
    }

    void precondition() const
    {
        const Precondition& p = c_.precondition;
        const u64 blocks = std::max<u64>(
            1, static_cast<u64>(std::llround(p.range * static_cast<double>(c_.logical_pages()))));
        u64 end = 0;
        for (const Zone& zone : p.overwrite_pattern.rule.zones[kWrites]) {
            const u64 first = blocks * end / kWhole;
            end += zone.region;
            require(zone.access == 0 || blocks * end / kWhole != first,
                    "precondition.overwrite_pattern",
                    "a zone of the " + str(blocks) + " pages that are overwritten holds none");
        }
        require(!p.steady || p.steady_limit >= p.overwrite, "precondition.steady_limit",
                format_real(p.steady_limit) + " is below precondition.overwrite, " +
                    format_real(p.overwrite));
    }

    void workload() const
    {
        const Workload& w = c_.workload;
        require(w.lba_offset % kSectorBytes == 0, "workload.lba_offset",
                str(w.lba_offset) + " is not a multiple of " + str(kSectorBytes));
        if (!w.trace.empty()) {
            check_readable(w.trace, settings_.where("workload.trace"),
                           settings_.shown_key("workload.trace"));
            if (w.rate_process != RateProcess::Linear && w.mode != LoopMode::Open) {
                fail(settings_.where("workload.rate_process"),
                     settings_.shown_key("workload.rate_process"),
                     std::string(to_string(w.rate_process)) + " arrivals need mode: open");
            }
            if (const std::optional<Problem> problem = find_burst_problem(w)) {
                const std::string key = std::string("workload.") + problem->key;
                fail(settings_.where(key), settings_.shown_key(key), problem->message);
            }
            return;
        }
        if (const std::optional<Problem> problem = find_problem(w, c_.logical_sectors())) {
            const std::string key = std::string("workload.") + problem->key;
            fail(settings_.where(key), settings_.shown_key(key), problem->message);
        }
    }
};

} // namespace

void check(const Config& config, const Settings& settings)
{
    check_flash(config, settings);
    check_ftl(config, settings);
    DeviceRules(config, settings).all();
}

} // namespace tlmssd::config
