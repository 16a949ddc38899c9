// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rules that join several keys of the configuration.
#include <algorithm>
#include <cmath>

#include "models/config/names.h"
#include "models/config/raw.h"
#include "models/config/resolve.h"
#include "models/config/rtl_controllers.h"
#include "models/config/value.h"
#include "models/config/workload_check.h"

namespace tlmssd::config {
namespace {

constexpr u32 kMaxDies = 1024;
constexpr u32 kMaxChipEnables = 32; // on a channel
constexpr u32 kRowBits = 24;        // three row address cycles (ONFI 2.3, 5 address cycles)
constexpr u32 kMinBlocks = 8;       // beside the collection threshold
constexpr u32 kRecoveryReserve = 2; // free blocks a plane that the host leaves (docs/power-loss.md)
constexpr u32 kSataTags = 32;
constexpr u32 kSataExtendedTags = 256;
constexpr u32 kHostPageBytes = 4096; // a piece of NVMe data
constexpr u32 kLeastFifoKib = 8; // a data FIS

std::string str(u64 n) { return std::to_string(n); }

class Checker {
public:
    Checker(const Config& config, const Settings& settings)
        : c_(config), g_(config.geometry), settings_(settings)
    {
    }

    void all() const
    {
        array();
        row_address();
        size();
        spare_blocks();
        bus();
        part();
        controller();
        no_grants();
        cpu();
        dram();
        host();
        nvme();
        buffer();
        placement();
        sost();
        precondition();
        workload();
    }

private:
    void require(bool good, const char* key, const std::string& message) const
    {
        if (!good) {
            fail(settings_.where(key), settings_.shown_key(key), message);
        }
    }
    /// `key`, or where it was left to its default, the key that the default follows.
    const char* given(const char* key, const char* otherwise) const
    {
        return settings_.find(key) != nullptr ? key : otherwise;
    }

    void array() const
    {
        const u32 page = c_.nand.page_bytes;
        require((page & (page - 1)) == 0, "nand.page_bytes", str(page) + " is not a power of two");
        require((g_.planes & (g_.planes - 1)) == 0, given("geometry.planes", "nand.planes"),
                str(g_.planes) + " planes: plane addresses need 1, 2 or 4");
        require(g_.dies % g_.chip_enables == 0, "geometry.chip_enables",
                str(g_.chip_enables) + " chip enables do not divide " + str(g_.dies) +
                    " dies (geometry.dies) evenly");
        require(g_.ces_per_channel() <= kMaxChipEnables, "geometry.ways",
                str(g_.ways) + " ways with " + str(g_.chip_enables) +
                    " chip enables each are more than " + str(kMaxChipEnables) +
                    " chip enables a channel");
        require(g_.total_dies() <= kMaxDies, "geometry.dies",
                str(g_.channels) + " channels x " + str(g_.ways) + " ways x " + str(g_.dies) +
                    " dies are " + str(g_.total_dies()) + " dies, more than " + str(kMaxDies));
    }

    void row_address() const
    {
        const u32 bits = g_.lun_shift() + bits_for(g_.luns_per_ce());
        require(bits <= kRowBits, given("geometry.blocks", "nand.blocks"),
                "the row address needs " + str(bits) + " bits (" + str(g_.pages) + " pages, " +
                    str(g_.planes) + " planes, " + str(g_.blocks) + " blocks, " +
                    str(g_.luns_per_ce()) + " dies a chip enable); ONFI carries " + str(kRowBits));
    }

    void size() const
    {
        constexpr u64 limit = 0xffffffffu; // 2^32 - 1 means "none" in every table
        const char* key = given("geometry.blocks", "nand.blocks");
        require(g_.total_pages() < limit, key,
                str(g_.total_pages()) + " pages in the device; at most 2^32 - 2 can be numbered");
        require(c_.logical_pages() * g_.units_per_page() < limit - 1, key,
                str(c_.logical_pages() * g_.units_per_page()) + " logical units of " +
                    str(g_.unit_bytes()) + " bytes; at most 2^32 - 3 can be numbered");
    }

    void spare_blocks() const
    {
        require(c_.ftl.gc.hard_blocks < c_.ftl.gc_threshold_blocks, "ftl.gc.hard_blocks",
                str(c_.ftl.gc.hard_blocks) + " is not below ftl.gc.threshold_blocks, " +
                    str(c_.ftl.gc_threshold_blocks) + "; at most " + str(c_.ftl.gc_threshold_blocks - 1));
        const bool passes = c_.scheduler == Scheduler::VAQ || c_.scheduler == Scheduler::PAQ0 ||
                            c_.scheduler == Scheduler::PAQ1 || c_.scheduler == Scheduler::PAQ2;
        require(c_.ftl.gc.separate || !passes, "ftl.gc.separate",
                std::string("false does not go with scheduler ") + to_string(c_.scheduler) +
                    ", which lets collection pass the host's programs: pages of a block are programmed in "
                    "order; use true");
        recovery();
        copyback();
        cached_map();
        mapping();
        const u32 reserve = c_.ftl.gc_threshold_blocks + c_.ftl.open_blocks() + c_.map_blocks();
        const u32 least = c_.ftl.gc_threshold_blocks + kMinBlocks + c_.map_blocks();
        require(g_.blocks >= least, given("geometry.blocks", "nand.blocks"),
                str(g_.blocks) + " blocks a plane; garbage collection needs at least " +
                    str(least) + " (" + str(kMinBlocks) + " + ftl.gc.threshold_blocks" +
                    (c_.map_blocks() != 0 ? " + " + str(c_.map_blocks()) + " of translation pages)" : ")"));
        const u64 ragged = c_.ragged_pages(g_.blocks);
        const u64 usable = std::max(u64{c_.data_pages()} * (g_.blocks - reserve), ragged) - ragged;
        const u64 planes = g_.total_planes();
        const u64 logical = (c_.logical_pages() + c_.table_pages() + planes - 1) / planes;
        const double ratio = static_cast<double>(g_.pages) * g_.blocks / static_cast<double>(std::max<u64>(usable, 1)) - 1;
        require(logical <= usable, "ftl.over_provisioning",
                format_real(c_.ftl.over_provisioning) + " leaves " + str(logical) +
                    " logical pages a plane, but only " + str(usable) + " fit beside " +
                    str(reserve) + " reserved blocks of " + str(g_.blocks) + "; needs at least " +
                    format_real(std::ceil(ratio * 1000) / 1000) + " or more blocks");
    }

    void copyback() const
    {
        if (!c_.ftl.gc.copyback) {
            return;
        }
        const char* const key = "ftl.gc.copyback";
        const Scheduler s = c_.scheduler;
        require(s == Scheduler::SERIAL || s == Scheduler::BARRIER || s == Scheduler::INORDER ||
                    s == Scheduler::HOST,
                key, std::string("true does not go with scheduler ") + to_string(s) +
                         ", which knows reads, programs and erases only; use serial, barrier, inorder or host");
        require(!is_rtl(c_.controller.kind), key,
                std::string("true does not go with controller.kind: ") + to_string(c_.controller.kind) +
                    ": the RTL controllers have no copyback; use tlm");
        require(c_.ftl.mapping != Mapping::Dftl, key,
                "true does not go with ftl.mapping: dftl: the map entry of a copy is not at hand when it has "
                "ended; use page");
        require(c_.ftl.gc.separate, key,
                "true needs ftl.gc.separate: true: a copy takes its page before the host's programs that are "
                "in front of it have been sent");
    }

    void mapping() const
    {
        if (c_.ftl.mapping_unit == MappingUnit::Page) {
            return;
        }
        const char* const key = "ftl.mapping_unit";
        const std::string factor = format_real(c_.ftl.write_size_factor);
        require(g_.units_per_page() > 1, key,
                "4KiB: pages of " + str(c_.nand.page_bytes) + " bytes (nand.page_bytes) hold no two units" +
                    (c_.ftl.write_size_factor < 1 ? " of " + factor + " times their size (ftl.write_size_factor)"
                                                  : "") +
                    "; use page");
        require(c_.ftl.recovery == Recovery::None, key,
                std::string("4KiB does not go with ftl.recovery: ") + to_string(c_.ftl.recovery) +
                    ": the record beside a page names one logical page; "
                    "use page, or ftl.recovery: none");
        require(c_.scheduler != Scheduler::SOST && c_.scheduler != Scheduler::HYBRID, key,
                "4KiB does not go with scheduler " + std::string(to_string(c_.scheduler)) +
                    ", whose hit manager takes back single writes; use page, or another scheduler");
        require(c_.ftl.placement != Placement::Static, key,
                "4KiB does not go with ftl.placement: static: units of a page have different places in the "
                "order; use page, or ftl.placement: order");
        require(c_.ftl.mapping != Mapping::Dftl, key,
                "4KiB does not go with ftl.mapping: dftl: translation pages map whole pages; use page, or "
                "ftl.mapping: page");
        require(!c_.ftl.gc.copyback, key,
                "4KiB does not go with ftl.gc.copyback: true: a page to copy may hold dead units; use page, or "
                "ftl.gc.copyback: false");
        require(!c_.buffer.evicts_sets(), key,
                "4KiB does not go with buffer.policy: " + std::string(to_string(c_.buffer.policy)) +
                    ", which says to which channel a page goes; use page, or buffer.policy: ccf_lru");
        if (c_.ftl.write_size_factor < 1) {
            compression(factor);
        }
    }

    void compression(const std::string& factor) const
    {
        const char* const key = "ftl.write_size_factor";
        const double least = static_cast<double>(c_.nand.page_bytes / kUnitBytes) / (kMostPageUnits + 1);
        require(g_.units_per_page() <= kMostPageUnits, key,
                factor + " puts more than " + str(kMostPageUnits) + " units of 4 KiB into a page of " +
                    str(c_.nand.page_bytes) + " bytes (nand.page_bytes); use more than " + format_real(least));
        require(c_.data == DataKind::Tags, key,
                factor + " does not go with data: full: no contents are compressed; use data: tags, or 1");
        require(!c_.nand.errors.enabled, key,
                factor + " does not go with nand.errors.enabled: true: the error model has codewords of 512 "
                         "bytes of the host's; use false, or 1");
    }

    void recovery() const
    {
        if (c_.ftl.recovery == Recovery::None) {
            return;
        }
        const std::string mode = std::string("ftl.recovery: ") + to_string(c_.ftl.recovery);
        require(c_.ftl.gc.separate, "ftl.gc.separate",
                "false does not go with " + mode + ": after power loss a block of copies has to hold "
                "nothing else; use true");
        require(c_.ftl.recovery != Recovery::Journal || g_.pages > 1, "ftl.recovery",
                "journal takes the last page of each block, but blocks have one page; use scan");
        require(c_.ftl.recovery != Recovery::Journal || c_.journal_bytes() <= g_.page_bytes, "ftl.recovery",
                "journal needs " + str(c_.journal_bytes()) + " bytes for a block of " + str(g_.pages) +
                    " pages, more than a page of " + str(g_.page_bytes) + " has; use scan");
        require(c_.ftl.gc_threshold_blocks > kRecoveryReserve, "ftl.gc.threshold_blocks",
                str(c_.ftl.gc_threshold_blocks) + " does not go with " + mode + ": the host leaves " +
                    str(kRecoveryReserve) + " free blocks a plane, and collection has to start above; use " +
                    str(kRecoveryReserve + 1) + " or more");
    }

    /// Each plane may collect a page with an entry pinned and another to go on, and some are left for the host.
    void cached_map() const
    {
        if (c_.ftl.mapping != Mapping::Dftl) {
            return;
        }
        require(c_.ftl.recovery == Recovery::None, "ftl.mapping",
                std::string("dftl does not go with ftl.recovery: ") + to_string(c_.ftl.recovery) +
                    ": a mount rebuilds the whole map in DRAM; use page");
        const u32 planes = g_.total_planes();
        const u32 least = 4 * planes + 64;
        const u32 per_kib = 1024 / Config::kMapEntryBytes;
        require(c_.map_entries() >= least, "ftl.map.cache_kib",
                str(c_.ftl.map.cache_kib) + " hold " + str(c_.map_entries()) + " entries; " + str(planes) +
                    " planes need " + str(least) + " (4 each and 64): use " + str((least + per_kib - 1) / per_kib) +
                    " or more");
        require(c_.ftl.map.planes <= planes, "ftl.map.planes",
                str(c_.ftl.map.planes) + " planes hold translation pages, but the device has " + str(planes));
    }

    void bus() const
    {
        const Onfi& o = c_.onfi;
        const Nand& n = c_.nand;
        static constexpr u32 kLast[] = {5, 5, 8, 10};
        const auto interface = static_cast<std::size_t>(o.interface);
        const std::string name = to_string(o.interface);
        require(o.mode <= kLast[interface], "onfi.mode",
                name + " has modes 0 to " + str(kLast[interface]) + ", not " + str(o.mode));
        const u32 modes[] = {n.sdr_modes, n.nvddr_modes, n.nvddr2_modes, n.nvddr3_modes};
        static constexpr const char* kModes[] = {"nand.sdr_modes", "nand.nvddr_modes",
                                                 "nand.nvddr2_modes", "nand.nvddr3_modes"};
        require(o.mode < modes[interface], given(kModes[interface], "onfi.mode"),
                n.name + (modes[interface] == 0 ? " has no " + name
                                                : " has " + name + " modes 0 to " +
                                                      str(modes[interface] - 1)) +
                    ", but onfi.interface and onfi.mode ask for " + name + " mode " + str(o.mode));
        if (o.timeless) {
            require(c_.controller.kind == ControllerKind::Tlm, given("onfi.timeless", "controller.kind"),
                    std::string("true is for controller.kind: tlm; cycles of ") +
                        to_string(c_.controller.kind) + " take their clock's time");
            require(o.cycle == Picoseconds(), "onfi.cycle_ns",
                    "a cycle of this length with onfi.timeless: true: leave it 0");
        }
    }

    void part() const
    {
        const Nand& n = c_.nand;
        require(n.manufacturer.size() <= 12, "nand.manufacturer", "more than 12 characters");
        require(n.jedec_id.size() % 2 == 0 && n.jedec_id.size() >= 2 && n.jedec_id.size() <= 16 &&
                    n.jedec_id.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos,
                "nand.jedec_id", "must be 1 to 8 bytes in hex, like 2c88044ba900");
        require(n.program_clear || g_.luns_per_ce() == 1, "nand.program_clear",
                "false needs one die a chip enable: 80h to one LUN would clear what another has "
                "read, and the controllers do not wait for that");
        require(c_.controller.read_retries <= n.errors.retry_levels, "controller.read_retries",
                str(c_.controller.read_retries) + " is more than the part's " +
                    str(n.errors.retry_levels) + " levels (nand.errors.retry_levels)");
        const std::string& script = c_.inject.fault_script;
        if (!script.empty()) {
            check_readable(script, settings_.where("inject.fault_script"), "inject.fault_script");
        }
    }

    void controller() const
    {
        const ControllerMode need = mode_of(c_.scheduler);
        require(c_.controller.mode == need || settings_.mode_forced(), "controller.mode",
                std::string(to_string(c_.controller.mode)) + " does not fit scheduler " +
                    to_string(c_.scheduler) + ", which needs " + to_string(need) + "; use auto");
        require(c_.controller.suspend == Suspend::None || c_.controller.stations > 1,
                "controller.stations",
                "1 leaves no room for a read beside the operation that is to be suspended "
                "(controller.suspend): needs 2 or more");
        require(c_.controller.suspend == Suspend::None || c_.controller.age_limit != Picoseconds(),
                "controller.suspend",
                "needs controller.age_limit_us above 0: with 0 everything goes by age and nothing "
                "would be suspended");
        if (is_rtl(c_.controller.kind)) {
            require(c_.onfi.ready != ReadySense::Target, "onfi.ready",
                    "the RTL controllers know a ready line for each LUN (lun) and, o3, polls (status)");
            require(c_.controller.read_retries == 0, "controller.read_retries",
                    "the RTL controllers have no read retry");
            // None: this build has no RTL.
            if (const RtlController* const rtl = find_rtl_controller(c_.controller.rtl)) {
                rtl_controller(*rtl);
            }
        }
        phy();
    }

    void phy() const
    {
        if (c_.controller.kind == ControllerKind::RtlPins) {
            const BusInterface interface = c_.onfi.interface;
            require(interface == BusInterface::Sdr || interface == BusInterface::NvDdr, "onfi.interface",
                    std::string("controller.kind: rtl_pins has sdr and nvddr, not ") + to_string(interface) +
                        "; the nearest is nvddr");
        } else {
            require(c_.controller.phy_mhz == 0, "controller.phy_mhz",
                    std::string("is for controller.kind: rtl_pins; with ") + to_string(c_.controller.kind) +
                        " there is no PHY: leave it 0");
        }
    }

    void rtl_controller(const RtlController& rtl) const
    {
        const std::string name = rtl.name;
        require(rtl.has(c_.controller.mode), "controller.rtl",
                name + " has no mode but " + rtl.modes() + "; " +
                    (settings_.mode_forced()
                         ? std::string("--mode is")
                         : std::string("scheduler ") + to_string(c_.scheduler) + " needs mode") +
                    " " + to_string(c_.controller.mode) + ": use o3");
        require(c_.controller.mode != ControllerMode::Ooo || rtl.clump ||
                    c_.controller.issue_policy == IssuePolicy::FirstCome,
                "controller.issue_policy",
                name + " gives the bus to who asked first (first_come) only; for clump use o3");
        if (rtl.registers) {
            return;
        }
        require(c_.onfi.ready == ReadySense::Lun, "onfi.ready",
                name + " needs a ready line for each LUN (lun); o3 polls (status), too");
        require(c_.controller.timeout == Picoseconds(), "controller.timeout_us",
                name + " has no timeout; use o3");
        require(c_.controller.suspend == Suspend::None, "controller.suspend",
                name + " does not suspend; use o3");
        for (const char* key : {"controller.stations", "controller.age_limit_us"}) {
            require(settings_.find(key) == nullptr, key, name + " does not know it; use o3");
        }
    }

    void no_grants() const
    {
        const u32 channels = c_.inject.no_grants;
        const RtlController* const rtl = find_rtl_controller(c_.controller.rtl);
        require(channels == 0 || (is_rtl(c_.controller.kind) && rtl != nullptr && rtl->no_grants),
                "inject.no_grants",
                "needs controller.kind: rtl or rtl_pins and a controller.rtl with the port no_grant_i, such as o3");
        require(channels >> c_.geometry.channels == 0, "inject.no_grants",
                str(channels) + " has a bit beyond the " + str(c_.geometry.channels) + " channels");
    }

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
        require(c_.cpu.command_cycles == 0 || c_.cpu.model == CpuModel::Native, "cpu.command_cycles",
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
                    std::string(to_string(d.arbitration)) + " does not go with " + what + "; use fcfs");
        };
        require((d.grant_bytes & (d.grant_bytes - 1)) == 0, "dram.grant_bytes",
                str(d.grant_bytes) + " is not a power of two");
        fcfs_only(is_rtl(c_.controller.kind), std::string("controller.kind: ") + to_string(c_.controller.kind) +
                                                  ", which is told once when data will be in DRAM");
        fcfs_only(c_.host.kind == HostKind::Sata && c_.sata.fifo_kib != 0,
                  "sata.fifo_kib: " + str(c_.sata.fifo_kib) + ", whose flow control is told once when it has room");
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
        require(c_.sata.fifo_kib == 0 || c_.sata.fifo_kib >= kLeastFifoKib, "sata.fifo_kib",
                str(c_.sata.fifo_kib) + " KiB do not hold the largest data FIS; the least is " +
                    str(kLeastFifoKib) + ", or 0 for no limit");
    }

    void nvme() const
    {
        const auto power_of_two = [this](const char* key, u32 n) {
            require((n & (n - 1)) == 0, key, str(n) + " is not a power of two");
        };
        if (c_.host.kind != HostKind::Nvme) {
            return;
        }
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
                "policy " + policy + " gives up no single page for one that nobody has asked for; use 0 or ccf_lru");
        require(c_.ftl.placement == Placement::Order, "buffer.policy",
                policy + " says to which channel a page goes; needs ftl.placement: order");
        require(c_.scheduler != Scheduler::SOST && c_.scheduler != Scheduler::HYBRID, "buffer.policy",
                policy + ": scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the dies of writes itself; use ccf_lru");
    }

    void placement() const
    {
        const Ftl& f = c_.ftl;
        require(f.placement != Placement::Static ||
                    (c_.scheduler != Scheduler::SOST && c_.scheduler != Scheduler::HYBRID),
                "ftl.placement",
                "static: scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the dies of writes itself; use order, or scheduler vaq");
        require(!f.lockstep || f.placement == Placement::Order, "ftl.lockstep",
                std::string("the LPN or the work of dies chooses planes (ftl.placement is ") +
                    (f.placement == Placement::Static ? "static" : "queue_aware") +
                    "); lockstep needs order");
        require(!f.lockstep || (c_.scheduler != Scheduler::SOST && c_.scheduler != Scheduler::HYBRID),
                "ftl.lockstep",
                "scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the planes of writes itself; use false");
        if (f.write_points == WritePoints::Plane) {
            return;
        }
        require(f.placement == Placement::Order && !f.lockstep, "ftl.write_points",
                "channel: one block of a channel is filled at a time; needs ftl.placement: order and no "
                "ftl.lockstep");
        require(c_.scheduler != Scheduler::SOST && c_.scheduler != Scheduler::HYBRID, "ftl.write_points",
                "channel: scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the dies of writes itself; use plane");
    }

    void sost() const
    {
        const u64 bytes = c_.logical_pages() * g_.page_bytes;
        for (const PriorityRange& r : c_.sost.ranges) {
            require(r.first_mib << 20 < bytes, "sost.ranges_mib",
                    str(r.first_mib) + " MiB lie beyond the device's " + str(bytes >> 20));
        }
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
            if (w.rate_process == RateProcess::Poisson && w.mode != LoopMode::Open) {
                fail(settings_.where("workload.rate_process"),
                     settings_.shown_key("workload.rate_process"),
                     "poisson arrivals need mode: open");
            }
            return;
        }
        if (const std::optional<Problem> problem = find_problem(w, c_.logical_sectors())) {
            const std::string key = std::string("workload.") + problem->key;
            fail(settings_.where(key), settings_.shown_key(key), problem->message);
        }
    }

    const Config& c_;
    const Geometry& g_;
    const Settings& settings_;
};

} // namespace

void check(const Config& config, const Settings& settings) { Checker(config, settings).all(); }

} // namespace tlmssd::config
