// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the key table: one row a key. Adding a key means adding a row here and nothing else.
#include "models/config/keys/keys.h"

#include <unordered_map>

#include "models/config/keys/key_builders.h"
#include "models/config/keys/rtl_controllers.h"
#include "models/config/keys/workload_words.h"

namespace tlmssd::config {
namespace {

using namespace rows;

#define AT(member) [](auto& c) -> auto& { return c.member; }

constexpr double kNs = 1e3, kUs = 1e6; // in picoseconds

/// `auto` or a mode. Config holds only the resolved mode.
Row controller_mode()
{
    Row r = row("controller.mode", Type::Choice, "auto",
                "how operations overlap; auto: what the scheduler needs");
    r.choices = names_of<ControllerMode>();
    r.choices.insert(r.choices.begin(), "auto");
    r.set = [](Config& c, const Value& v) {
        if (v.number > 0) {
            c.controller.mode = static_cast<ControllerMode>(v.number - 1);
        }
    };
    r.get = [](const Config& c) { return Value{static_cast<u64>(c.controller.mode) + 1, 0, ""}; };
    return r;
}

Row sata_gbps()
{
    static constexpr u32 kTenths[] = {15, 30, 60};
    Row r = row("sata.gbps", Type::Choice, "6", "line rate, Gb/s (8b/10b coded)");
    r.choices = {"1.5", "3", "6"};
    r.numeric_choices = true;
    r.set = [](Config& c, const Value& v) { c.sata.gbps_tenths = kTenths[v.number]; };
    r.get = [](const Config& c) {
        return Value{c.sata.gbps_tenths == 15 ? 0u : c.sata.gbps_tenths == 30 ? 1u : 2u, 0, ""};
    };
    return r;
}

Row buffer_size()
{
    constexpr double kMib = 1048576.0;
    Row r =
        row("buffer.size_mib", Type::Real, "32", "page buffers in DRAM, MiB; at least 64 pages");
    r.real_most = 1024;
    r.above_least = true;
    r.set = [](Config& c, const Value& v) {
        c.buffer.bytes = static_cast<u64>(std::llround(v.real * kMib));
    };
    r.get = [](const Config& c) {
        return Value{0, static_cast<double>(c.buffer.bytes) / kMib, ""};
    };
    return r;
}

Row onfi_width()
{
    Row r = row("onfi.width", Type::Choice, "8", "DQ lines; two x8 parts in lockstep are a x16 bus");
    r.choices = {"8", "16"};
    r.numeric_choices = true;
    r.set = [](Config& c, const Value& v) { c.onfi.width = v.number == 0 ? 8 : 16; };
    r.get = [](const Config& c) { return Value{c.onfi.width == 8 ? 0u : 1u, 0, ""}; };
    return r;
}

std::vector<Key> make_keys()
{
    std::vector<Key> keys{
        integer("seed", AT(seed), 1, 0, ~u64{0}, "of all random draws"),
        choice("scheduler", AT(scheduler), Scheduler::INORDER, "request scheduler of the firmware"),
        choice("data", AT(data), DataKind::Tags,
               "tags stand for the data, or real bytes travel too; both are checked on host reads"),
        flag("checker", AT(checker), true, "independent check of the ONFI protocol").cosmetic(),

        integer("geometry.channels", AT(geometry.channels), 4, 1, 32, "buses"),
        integer("geometry.ways", AT(geometry.ways), 4, 1, 32, "packages a channel"),
        integer("geometry.chip_enables", AT(geometry.chip_enables), 1, 1, 16,
                "CE# a package; divides `dies`"),
        integer("geometry.dies", AT(geometry.dies), 2, 1, 16, "dies (LUNs) a package"),
        integer("geometry.planes", AT(geometry.planes), 1, 1, 4, "planes a die: 1, 2 or 4")
            .follows("of the part"),
        integer("geometry.blocks", AT(geometry.blocks), 1, 1, 65536, "blocks a plane")
            .follows("of the part"),
        integer("geometry.pages", AT(geometry.pages), 1, 1, 4096, "pages a block")
            .follows("of the part"),

        choice("onfi.interface", AT(onfi.interface), BusInterface::Sdr, "data interface"),
        integer("onfi.mode", AT(onfi.mode), 0, 0, 10,
                "timing mode: sdr 0 to 5, nvddr 0 to 5, nvddr2 0 to 8, nvddr3 0 to 10"),
        onfi_width(),
        time("onfi.cycle_ns", AT(onfi.cycle), kNs, 0, 0, 1e6,
             "data cycle: tRC and tWC (sdr), tCK (nvddr), tDSC (nvddr2, nvddr3); 0: the minimum"),
        flag("onfi.timeless", AT(onfi.timeless), false,
             "a bus on which cycles, bursts and the waits between them take no time: what is left is the dies'; "
             "with kind: tlm"),
        choice("onfi.ready", AT(onfi.ready), ReadySense::Lun,
               "how the controller learns that a LUN is ready: a line each, R/B# of the CE#, status"),
        time("onfi.poll_us", AT(onfi.poll_interval), kUs, 5, 0.1, 1e6,
             "status reads of a LUN that was still busy, with ready: target or status"),

        choice("controller.kind", AT(controller.kind), ControllerKind::Tlm,
               "transaction-level model, Verilated RTL, or RTL down to the pins of the dies"),
        controller_mode(),
        word("controller.rtl", AT(controller.rtl), rtl_controller_choices(),
             "RTL controller, with kind: rtl, rtl_pins; o3 has all modes")
            .of_build("o3, or what docs/own-rtl-controller.md adds to the build"),
        integer("controller.tags", AT(controller.tags), 128, 16, 256,
                "flash operations in flight"),
        flag("controller.clock_gating", AT(controller.clock_gating), true,
             "stop the RTL clock while idle")
            .cosmetic(),
        integer("controller.clock_mhz", AT(controller.clock_mhz), 200, 1, 10000,
                "clock of the RTL controller, MHz"),
        integer("controller.phy_mhz", AT(controller.phy_mhz), 0, 0, 2000,
                "clock of the ONFI PHY, MHz, kind: rtl_pins; 0: the slowest that the timing mode allows"),
        time("controller.ecc_us", AT(controller.ecc_latency), kUs, 1, 0, 1000,
             "end of a read burst to corrected data in DRAM"),
        integer("controller.ecc_bits", AT(controller.ecc_bits), 40, 0, 1000,
                "bit errors that ECC corrects in a codeword of 512 bytes and parity"),
        time("controller.ecc_per_bit_ns", AT(controller.ecc_per_bit), kNs, 0, 0, 1e6,
             "further decode time for each bit error of the worst codeword"),
        integer("controller.read_retries", AT(controller.read_retries), 0, 0, 63,
                "read-retry levels tried after an uncorrectable read; at most the part's"),
        time("controller.timeout_us", AT(controller.timeout), kUs, 0, 0, 1e9,
             "a LUN that does not answer for so long is given up; 0: never"),
        choice("controller.issue_policy", AT(controller.issue_policy), IssuePolicy::FirstCome,
               "which page burst gets a channel's bus: who asked first, or who holds up most (docs/o3.md)")
            .when(kOutOfOrder),
        integer("controller.stations", AT(controller.stations), 8, 1, 16,
                "operations that may wait in front of a LUN; a further one holds up its channel")
            .when(kOutOfOrder),
        time("controller.age_limit_us", AT(controller.age_limit), kUs, 5000, 0, 1e9,
             "an operation that has waited so long goes before all priorities; 0: by age alone")
            .when(kOutOfOrder),
        choice("controller.streams", AT(controller.streams), Streams::One,
               "completions are told in order within: all host operations, or each request's")
            .when(kHostScheduler),
        choice("controller.priorities", AT(controller.priorities), Priorities::None,
               "what the firmware asks for; reads_first: host reads, host programs, collection")
            .when(kHostScheduler),
        choice("controller.suspend", AT(controller.suspend), Suspend::None,
               "operations that are suspended for reads of their LUN (docs/o3.md)")
            .when(kOutOfOrder),
        integer("controller.suspends", AT(controller.suspends), 4, 1, 15,
                "suspensions of one operation at most")
            .when(kSuspending),
        integer("controller.suspend_priority", AT(controller.suspend_priority), 0, 0, 3,
                "least priority of a read for which an operation is suspended")
            .when(kSuspending),
        time("controller.suspend_progress_us", AT(controller.suspend_progress), kUs, 100, 0, 1e5,
             "from a resume to the operation's next suspend at least")
            .when(kSuspending),

        choice("cpu.model", AT(cpu.model), CpuModel::Native,
               "native: the firmware linked in, cycles charged; iss: its RV32 image, executed (docs/cpu.md)"),
        integer("cpu.mhz", AT(cpu.mhz), 800, 1, 100000, "clock of each core, MHz"),
        integer("cpu.cores", AT(cpu.cores), 1, 1, 4, "cores"),
        text("cpu.firmware", AT(cpu.firmware), "",
             "RV32 image that the ISS executes; by default the one made with the program", Type::File)
            .when(kIss),
        integer("cpu.watchdog_instructions", AT(cpu.watchdog_instructions), 100000000, 1000, ~u64{0},
                "a step of more instructions has no end: the run ends with status 3")
            .when(kIss),
        integer("cpu.core_of.hil", AT(cpu.core_of_hil), 0, 0, 3,
                "core of the host interface layer"),
        integer("cpu.core_of.buffer", AT(cpu.core_of_buffer), 0, 0, 3, "core of the buffer"),
        integer("cpu.core_of.ftl", AT(cpu.core_of_ftl), 0, 0, 3,
                "core of the flash translation layer"),
        integer("cpu.core_of.sched", AT(cpu.core_of_sched), 0, 0, 3, "core of the scheduler"),
        integer("cpu.command_cycles", AT(cpu.command_cycles), 0, 0, 1000000,
                "further cycles of hil for each host command, behind the requests for its pages: what a drive's "
                "firmware does that this one does not (native only; docs/cpu.md)"),

        choice("host.kind", AT(host.kind), HostKind::Sata,
               "NCQ over a SATA link, no protocol, or NVMe queue pairs over PCI Express (docs/nvme.md)"),
        integer("host.queue_depth", AT(host.queue_depth), 32, 1, 1024,
                "commands outstanding; on sata at most 32, or 256 with sata.extended_tags"),
        real("host.direct_mb_per_s", AT(host.direct_mb_per_s), 0, 0, 1e6,
             "a link for data, in each direction, 10^6 B/s (100 Mb/s Ethernet: 12.5); 0: none")
            .when(kDirect),

        sata_gbps(),
        integer("sata.handshake_dwords", AT(sata.handshake_dwords), 20, 0, 10000,
                "idle dwords a frame: X_RDY/R_RDY and WTRM/R_OK handshakes"),
        flag("sata.extended_tags", AT(sata.extended_tags), false,
             "allow more than 32 tags (not standard)"),
        flag("sata.queued_trim", AT(sata.queued_trim), false,
             "TRIM as SEND FPDMA QUEUED, beside open commands; else it waits until none is open")
            .when(kSata),
        flag("sata.ncq", AT(sata.ncq), true,
             "queued commands; false: READ and WRITE DMA EXT, one at a time")
            .when(kSata),
        choice("sata.link", AT(sata.link), LinkDetail::Fast,
               "full: each frame's bits, CRC and scrambling are computed; the same results, slower")
            .cosmetic()
            .when(kSata),
        real("sata.bit_error_rate", AT(sata.bit_error_rate), 0, 0, 1e-3,
             "chance that a bit on the line is wrong; the frame is then sent again")
            .when(kSata),
        integer("sata.retries", AT(sata.retries), 8, 0, 1000,
                "times that a broken frame is sent again before the host resets the link (COMRESET)")
            .when(kSataErrors),
        time("sata.comreset_us", AT(sata.comreset), 1e6, 1000, 0, 1e7,
             "from COMRESET until the link carries frames again")
            .when(kSataErrors),
        integer("sata.fifo_kib", AT(sata.fifo_kib), 0, 0, 1024,
                "room in the device for data on their way to DRAM; full: HOLD; 0: no limit, else from 8")
            .when(kSata),

        word("ftl.allocation", AT(ftl.allocation), allocation_names(),
             "order of page allocation: C channel, W way, D die, P plane; first letter fastest"),
        choice("ftl.placement", AT(ftl.placement), Placement::Order,
               "plane of a write: next of the order, of the die with the least work placed on it, or by "
               "LPN: its place in the order"),
        choice("ftl.mapping_unit", AT(ftl.mapping_unit), MappingUnit::Page,
               "what the FTL maps: pages, a write of a part reads the rest; or units of 4 KiB, several of "
               "which are programmed together (docs/mapping-units.md)"),
        real_above("ftl.write_size_factor", AT(ftl.write_size_factor), 1, 0, 1,
                   "flash that a written byte takes, of a controller that compresses: so much more fits "
                   "into a page, and so much less crosses the bus; 1: data are stored as they come")
            .when(kMappingUnits),
        choice("ftl.write_points", AT(ftl.write_points), WritePoints::Plane,
               "blocks that the host's writes fill at a time: one a plane, or one a channel, whose planes "
               "have their turns; channel: placement order only"),
        flag("ftl.lockstep", AT(ftl.lockstep), false,
             "a plane whose write point is ahead of another of its die is passed over, so that both "
             "stay at one page (the plane rule); placement order only"),
        real("ftl.over_provisioning", AT(ftl.over_provisioning), 0.07, 0, 10,
             "spare / logical capacity"),

        choice("buffer.policy", AT(buffer.policy), BufferPolicy::LRU,
               "caching in DRAM, and which page leaves (docs/buffer-policies.md)"),
        real("buffer.clean_window", AT(buffer.clean_window), 0.25, 0, 1,
             "of the least recently used pages, so many of all are searched for clean ones")
            .when(kCleanFirst),
        buffer_size(),
        integer("buffer.flush_after_ms", AT(buffer.flush_after_ms), 0, 0, 1000000,
                "dirty pages go to flash this long after the first of them; 0: only when needed")
            .when(kWriteBack),

        choice("vaq.block", AT(vaq.block), VaqBlock::Die,
               "what a conflict blocks until it ends")
            .when(kVaq),
        flag("vaq.join_adjacent", AT(vaq.join_adjacent), true,
             "join adjacent pages that satisfy the plane rule")
            .when(kVaq),
        integer("vaq.join_window", AT(vaq.join_window), 1, 1, 1024,
                "transactions at the head of the queue that are committed together, up to the first "
                "conflict; pages among them that satisfy the plane rule join; 1: off")
            .when(kVaq),
        choice("vaq.conflict", AT(vaq.conflict), VaqConflict::Die,
               "what a transaction finds busy: its die, or all dies of its package or channel as one")
            .when(kVaq),

        choice("paq.cluster_limit", AT(paq.cluster_limit), PaqClusterLimit::Package,
               "what has at most one read of a clump")
            .when(kClumping),
        choice("paq.wait", AT(paq.wait), PaqWait::Skip,
               "at a package that cannot take a read: go on, or wait (clump by clump)")
            .when(kClumping),
        integer("paq.age_limit_us", AT(paq.age_limit_us), 0, 0, 1000000000,
                "reads of requests that are older go first, whatever they conflict with; 0: off")
            .when(kClumping),

        real("precondition.fill", AT(precondition.fill), 0, 0, 1,
             "fraction of the logical pages written once before the run"),
        real("precondition.overwrite", AT(precondition.overwrite), 0, 0, 1000,
             "then page overwrites, as a fraction of the logical pages"),
        choice("precondition.pattern", AT(precondition.pattern), Pattern::Sequential,
               "order of the fill"),
        real_above("precondition.range", AT(precondition.range), 1, 0, 1,
                   "leading fraction of the logical pages that overwrites fall into"),
        words("precondition.overwrite_pattern", AT(precondition.overwrite_pattern), "random",
              parse_overwrite_pattern,
              [](const OverwritePattern& p) { return p.sequential ? "sequential" : p.rule.text; },
              "order of the overwrites: sequential, or as workload.random_distribution: random, "
              "zipf:THETA, ..."),
        flag("precondition.steady", AT(precondition.steady), false,
             "then overwrite on until write amplification is steady (docs/workloads.md)"),
        real_above("precondition.steady_window", AT(precondition.steady_window), 0.1, 0, 100,
                   "overwrites of a window, as a fraction of the logical pages")
            .when(kSteady),
        integer("precondition.steady_windows", AT(precondition.steady_windows), 5, 2, 1000,
                "the last so many windows, or groups of 2, 4, ... windows, must agree")
            .when(kSteady),
        real_above("precondition.steady_change", AT(precondition.steady_change), 0.02, 0, 1,
                   "largest range of their write amplification, as a fraction of its mean")
            .when(kSteady),
        real_above("precondition.steady_limit", AT(precondition.steady_limit), 20, 0, 1000,
                   "most overwrites in all, as a fraction of the logical pages; not steady then: an error")
            .when(kSteady),

        integer("inject.swap_page_registers_at", AT(inject.swap_page_registers_at), 0, 0, ~u64{0},
                "the n-th read burst gets another page's tags; 0: never"),
        integer("inject.falsify_dma_at", AT(inject.falsify_dma_at), 0, 0, ~u64{0},
                "the n-th flash DMA goes to another page buffer; 0: never"),
        integer("inject.no_grants", AT(inject.no_grants), 0, 0, 0xffff,
                "bit c: the controller o3 never gives the bus of channel c away; 0: all work"),
        text("inject.fault_script", AT(inject.fault_script), "",
             "file of timed faults: at 12 ms: die 3/1/0 stops answering", Type::File),

        choice("time.backend", AT(timer_backend), TimerBackend::Wheel,
               "event wheel, or one kernel event a timer; the results are equal")
            .cosmetic(),
    };
    for (const std::vector<Key>& more : {nand_keys(), workload_keys(), observe_keys(), dram_keys(), sost_keys(),
                                         hybrid_keys(), nvme_keys(), buffer_keys(), prefetch_keys(), eviction_keys(), gc_keys()}) {
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

} // namespace

const std::vector<Key>& keys()
{
    static const std::vector<Key> table = make_keys();
    return table;
}

const std::vector<Section>& sections()
{
    using Reference = Section::Reference;
    static const std::vector<Section> table{
        {"", "", Reference::None},
        {"geometry", "Shape of the flash array.", Reference::None},
        {"nand", "The NAND part: the path of a part file, or its keys here.", Reference::Path},
        {"nand.lower", "Page type 0, all page types of an SLC part.", Reference::None},
        {"nand.middle", "The second page type of a TLC or QLC part.", Reference::None},
        {"nand.upper", "The last page type of an MLC or TLC part, the third of QLC.", Reference::None},
        {"nand.top", "The fourth page type of a QLC part.", Reference::None},
        {"nand.wear", "How array times change with erases.", Reference::None},
        {"nand.errors", "What goes wrong in the cells (docs/nand-errors.md).", Reference::None},
        {"nand.power", "Supply currents, for energy.", Reference::None},
        {"onfi", "The flash bus.", Reference::None},
        {"controller", "The flash controller.", Reference::None},
        {"cpu", "The CPU that runs the firmware.", Reference::None},
        {"cpu.core_of", "Which core a part of the firmware runs on; below `cpu.cores`.",
         Reference::None},
        {"dram", "The device's DRAM.", Reference::None},
        {"dram.timing", "With `dram.model: banks`, the part: the path of a file, or its keys here.",
         Reference::Path},
        {"host", "The host's side.", Reference::None},
        {"sata", "The SATA link, with `host.kind: sata`.", Reference::None},
        {"nvme", "Queue pairs, with `host.kind: nvme` (docs/nvme.md).", Reference::None},
        {"pcie", "The PCI Express link, with `host.kind: nvme`.", Reference::None},
        {"ftl", "Flash translation layer.", Reference::None},
        {"ftl.gc", "Garbage collection (docs/gc.md).", Reference::None},
        {"ftl.wear", "Wear levelling (docs/gc.md).", Reference::None},
        {"ftl.map", "The demand-cached map, with `ftl.mapping: dftl` (docs/dftl.md).", Reference::None},
        {"buffer", "The buffer in DRAM.", Reference::None},
        {"vaq", "The scheduler `vaq`.", Reference::None},
        {"paq", "The schedulers `paq1` and `paq2` (docs/paq.md).", Reference::None},
        {"sost", "The scheduler `sost` (docs/sost.md).", Reference::None},
        {"prefetch", "The smart controller (docs/prefetch.md).", Reference::None},
        {"hybrid", "The scheduler `hybrid` (docs/hybrid.md).", Reference::None},
        {"precondition", "State of the device before the run, reached in no simulated time.",
         Reference::None},
        {"workload",
         "What the host does: the name of a preset, the path of a file, or its keys here.",
         Reference::Preset},
        {"workload.jobs",
         "A list of jobs that run side by side: each is a map of the keys above or the name of a preset.",
         Reference::JobList},
        {"workload.fio", "The path of a fio job file, instead of `jobs`: docs/workloads.md.",
         Reference::FioFile},
        {"observe", "What is measured besides (docs/results.md).", Reference::None},
        {"inject", "Faults put in on purpose.", Reference::None},
        {"time", "The model's clockwork.", Reference::None},
    };
    return table;
}

bool is_job_key(const Key& key) { return !key.of_run && key.section() == "workload"; }

std::string Key::section() const
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string Key::name() const
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

const Key* find_key(const std::string& path)
{
    static const std::unordered_map<std::string, const Key*> index = [] {
        std::unordered_map<std::string, const Key*> map;
        for (const Key& key : keys()) {
            map.emplace(key.path, &key);
        }
        return map;
    }();
    const auto found = index.find(path);
    return found == index.end() ? nullptr : found->second;
}

const Section* find_section(const std::string& path)
{
    for (const Section& section : sections()) {
        if (section.path == path) {
            return &section;
        }
    }
    return nullptr;
}

std::vector<std::string> names_in(const std::string& path)
{
    std::vector<std::string> names;
    if (path.empty()) {
        names.push_back("include");
    }
    for (const Key& key : keys()) {
        if (key.section() == path) {
            names.push_back(key.name());
        }
    }
    for (const Section& section : sections()) {
        const std::size_t dot = section.path.rfind('.');
        const std::string parent = dot == std::string::npos ? "" : section.path.substr(0, dot);
        if (!section.path.empty() && parent == path) {
            names.push_back(dot == std::string::npos ? section.path : section.path.substr(dot + 1));
        }
    }
    return names;
}

} // namespace tlmssd::config
