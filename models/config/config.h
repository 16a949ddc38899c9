// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration: checked, immutable, in model units. Made by load().
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/observe.h"
#include "models/config/workload.h"

namespace tlmssd::config {

enum class HostKind : u8 { Sata, Direct, Nvme };
enum class NvmeArbitration : u8 { RoundRobin, Weighted };
enum class NvmeSteer : u8 { Job, RoundRobin };
enum class LinkDetail : u8 { Fast, Full };
enum class DramModel : u8 { Bus, Banks };
enum class DramArbitration : u8 { Fcfs, RoundRobin, Priority };
enum class DramPriority : u8 { LinkFlashCpu, LinkCpuFlash, FlashLinkCpu, FlashCpuLink, CpuLinkFlash, CpuFlashLink };
enum class Scheduler : u8 {
#define SCHED(id, name, mode, text) id,
#include "firmware/hal/sched.def"
#undef SCHED
};
enum class BufferPolicy : u8 {
#define BUFFER_POLICY(id, name, text) id,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};
enum class ControllerKind : u8 { Tlm, Rtl, RtlPins };
constexpr bool is_rtl(ControllerKind kind) { return kind != ControllerKind::Tlm; }
enum class ControllerMode : u8 { Serial, InOrder, Ooo }; ///< resolved: never auto
enum class Streams : u8 { One, PerRequest };
enum class Priorities : u8 { None, ReadsFirst };
enum class Suspend : u8 { None, Erase, ProgramAndErase };
enum class IssuePolicy : u8 { FirstCome, Clump }; ///< which page burst gets a channel's bus
enum class CpuModel : u8 { Native, Iss };
enum class BusInterface : u8 { Sdr, NvDdr, NvDdr2, NvDdr3 };
enum class ReadySense : u8 { Lun, Target, Status }; ///< how the controller learns that a LUN is ready
enum class Pairing : u8 { Uniform, Adjacent, Distance3, Distance6 }; ///< where page types lie in a block
enum class DataKind : u8 { Tags, Full };
enum class TimerBackend : u8 { Wheel, Kernel };
enum class Pattern : u8 { Sequential, Random };
enum class Placement : u8 { Order, QueueAware, Static };
enum class MappingUnit : u8 { Page, Unit };
enum class WritePoints : u8 { Plane, Channel };
enum class Evict : u8 { Ahead, OnDemand, OnDemandEach }; ///< pages from the buffer
enum class CawrSequence : u8 { Tail, AnyNeighbour };
enum class VaqBlock : u8 { Die, Request };
enum class VaqConflict : u8 { Die, Package, Channel };
enum class PaqClusterLimit : u8 { Package, Die };
enum class PaqWait : u8 { Skip, Block };
enum class GcPolicy : u8 {
#define GC_POLICY(id, name, text) id,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};
enum class GcScope : u8 { Plane, Channel }; ///< whose free blocks start collection
enum class WearPolicy : u8 { None, Dynamic, Static, Both };
enum class BufferReads : u8 { Auto, Cached, Bypass };
enum class BufferWrite : u8 { Back, Through };
enum class BufferPower : u8 { Volatile, Capacitors };
enum class Mapping : u8 { Page, Dftl }; ///< where the map is: in DRAM, or in flash and a part of it cached
enum class Recovery : u8 { None, Scan, Journal }; ///< what the firmware keeps for a mount after power loss

/// Pages of one type (which bit of the cell they hold).
struct PageType {
    Picoseconds t_read;
    Picoseconds t_program;
    double rber_factor = 1; ///< raw bit error rate relative to the part's mean
};

/// Raw bit errors: RBER = e + a N^k + b N^m t^n + g N^p r^q (Kim, Choi, Min, FAST 2019), with N
/// erases of the block, t days since programming, r reads of the block since its erase.
struct NandErrors {
    bool enabled = false;
    double e = 0, a = 0, k = 0;
    double b = 0, m = 0, n = 0;
    double g = 0, p = 0, q = 0;
    double max_erases = 0;       ///< N, t and r are clamped to these: beyond, the fit means nothing
    double max_days = 0;
    double max_reads = 0;
    double retention_days = 0;   ///< age at start of what preconditioning has written
    double layer_spread = 0;     ///< RBER varies by +- this fraction between layers
    u32 layers = 1;              ///< a block's pages in equal runs; 1: a planar part
    double retry_gain = 0.5;     ///< each read-retry level multiplies the RBER by it
    u32 retry_levels = 0;        ///< of feature 89h
    double retry_read_factor = 0.25; ///< level L senses for tR (1 + L * this)
    double program_fail = 0;     ///< probability that a page program reports FAIL
    double erase_fail = 0;       ///< that a block erase does; both stay failed for that block
    double factory_bad = 0;      ///< fraction of the blocks that are bad from the factory
};

/// Supply currents as in data sheets; energy of an operation is vcc * current * its time.
struct NandPower {
    double vcc = 3.3;     ///< V
    double read_ma = 25;  ///< ICC1, array read
    double program_ma = 25;
    double erase_ma = 25;
    double bus_ma = 5;    ///< ICC4, while bytes move
    double standby_ua = 10;
};

/// Change of array times with wear: t * (1 + change * N / endurance), N / endurance at most 2.
struct NandWear {
    double read_change = 0;
    double program_change = 0; ///< negative: programs become faster
    double erase_change = 0;
    u32 initial_erases = 0; ///< of every block before the run, on top of what preconditioning does
};

struct Nand {
    std::string name;
    std::string source;         ///< where the numbers come from
    std::string manufacturer;   ///< at most 12 characters, parameter page
    std::string jedec_id;       ///< bytes of READ ID in hex, first the manufacturer
    u32 page_bytes = 8192;      ///< data of a page of the part; Geometry::page_bytes is the host's
    u32 planes = 1;             ///< of the part; `geometry` holds what the device uses
    u32 blocks = 1;             ///< of the part, per plane
    u32 pages = 1;              ///< of the part, per block
    u32 bits_per_cell = 2;      ///< 1 SLC to 4 QLC
    Picoseconds t_read;         ///< tR: array to page register (typical of all page types)
    Picoseconds t_program;      ///< tPROG
    Picoseconds t_erase;        ///< tBERS
    Picoseconds t_plane_queue;  ///< tDBSY after 11h, 32h, D1h
    Picoseconds t_read_cache;   ///< tRCBSY: register to cache register, least busy time of 31h, 3Fh
    Picoseconds t_program_cache; ///< tCBSY: least busy time of 15h
    Picoseconds t_feature;      ///< tFEAT of SET and GET FEATURES
    Picoseconds t_reset_idle;   ///< tRST when idle or reading
    Picoseconds t_reset_program;
    Picoseconds t_reset_erase;
    Picoseconds t_suspend_program; ///< from suspend to ready
    Picoseconds t_suspend_erase;
    Picoseconds t_adl;          ///< of the part; zero: the timing mode's
    Picoseconds t_ccs;          ///< of the part; zero: the timing mode's
    Pairing pairing = Pairing::Uniform;
    std::array<PageType, 4> types; ///< lower, middle, upper, top; see page_types() for which are used
    double array_variation = 0; ///< +- fraction of tR and tPROG, uniform, drawn per page (seeded)
    double die_variation = 0;   ///< +- fraction of all array times, uniform, drawn per die (seeded)
    u32 endurance = 0;          ///< rated program/erase cycles
    u32 partial_programs = 1;   ///< programs of one page between erases
    bool block_restriction = false; ///< planes of one operation must use the same block number
    bool program_clear = true;  ///< 80h clears the page registers of its own LUN only
    u32 sdr_modes = 6;          ///< timing modes 0 to n-1 that the part has; 0: none
    u32 nvddr_modes = 6;
    u32 nvddr2_modes = 9;
    u32 nvddr3_modes = 11;
    NandWear wear;
    NandErrors errors;
    NandPower power;
};

struct Onfi {
    BusInterface interface = BusInterface::Sdr;
    u32 mode = 0;              ///< ONFI timing mode of the interface
    u32 width = 8;             ///< DQ lines, 8 or 16
    bool timeless = false;     ///< nothing on the bus takes time
    Picoseconds cycle;         ///< data cycle (SDR tRC and tWC; tCK; tDSC); zero: the mode's minimum
    ReadySense ready = ReadySense::Lun;
    Picoseconds poll_interval; ///< between status reads of a LUN that was still busy
};

struct Controller {
    ControllerKind kind = ControllerKind::Tlm;
    ControllerMode mode = ControllerMode::InOrder;
    std::string rtl;         ///< name of the RTL controller
    u32 tags = 128;          ///< operations in flight, 16..256
    bool clock_gating = true;
    u32 clock_mhz = 200;     ///< of the RTL controller
    u32 phy_mhz = 0;         ///< of the ONFI PHY, kind rtl_pins; 0: chosen by the timing mode
    Picoseconds ecc_latency; ///< from the burst's end to corrected data in DRAM
    u32 ecc_bits = 40;       ///< bit errors of a codeword (512 B and parity) that ECC corrects
    Picoseconds ecc_per_bit; ///< further decode time for each bit error of the worst codeword
    u32 read_retries = 0;    ///< levels that the controller tries after an uncorrectable read
    Picoseconds timeout;     ///< a LUN that does not answer for so long is given up; zero: never
    IssuePolicy issue_policy = IssuePolicy::FirstCome; ///< mode ooo
    u32 stations = 8;        ///< mode ooo: operations that wait in front of a LUN, 1..16
    Picoseconds age_limit;   ///< mode ooo: who has waited so long goes before every priority
    Streams streams = Streams::One;           ///< scheduler host: how it groups operations
    Priorities priorities = Priorities::None; ///< scheduler host: what it asks for
    Suspend suspend = Suspend::None; ///< mode ooo: what is suspended for reads
    u32 suspends = 4;                ///< of one operation at most, 1..15
    u32 suspend_priority = 0;        ///< least priority of a read that suspends, 0..3
    Picoseconds suspend_progress;    ///< from a resume to the next suspend at least
};

struct Cpu {
    CpuModel model = CpuModel::Native;
    u32 mhz = 800;
    u32 cores = 1;       ///< 1..4
    u32 core_of_hil = 0; ///< which core a firmware room runs on
    u32 core_of_buffer = 0;
    u32 core_of_ftl = 0;
    u32 core_of_sched = 0;
    u32 command_cycles = 0;        ///< native: of hil for each host command, besides
    std::string firmware;          ///< iss: path of the RV32 image; empty: that of the build
    u64 watchdog_instructions = 0; ///< iss: most instructions of a step
};

/// A DRAM part, or several side by side.
struct DramTiming {
    std::string name;
    Picoseconds clock;
    u32 beats_per_clock = 2, burst = 8; ///< beats of a column command
    u32 bus_bits = 32, banks = 8, row_bytes = 4096;
    u32 read_latency = 11, write_latency = 8, turnaround = 2; ///< clocks
    Picoseconds t_rcd, t_rp, t_ras, t_wr, t_wtr, t_rtp, t_rrd, t_faw, t_rfc;
    Picoseconds t_refi; ///< 0: no refresh

    u32 burst_bytes() const { return burst * bus_bits / 8; }
    double mb_per_s() const ///< of the data bus, 10^6 B/s
    {
        return bus_bits / 8 * beats_per_clock / (static_cast<double>(clock.value()) * 1e-6);
    }
};

struct Dram {
    DramModel model = DramModel::Bus;
    u32 mb_per_s = 3200;      ///< bus: sustained bandwidth, 10^6 B/s
    Picoseconds access_time;  ///< bus: of one transfer of at most 8 KiB, before its first byte
    DramTiming timing;        ///< banks
    DramArbitration arbitration = DramArbitration::Fcfs;
    DramPriority priority = DramPriority::LinkFlashCpu;
    u32 grant_bytes = 2048; ///< of one grant at most
    u32 passed_over = 16;   ///< priority: grants in a row to others, while a master waits

    double peak_mb_per_s() const { return model == DramModel::Bus ? mb_per_s : timing.mb_per_s(); }
    /// No transfer of so many bytes is faster.
    Picoseconds least_time(u64 bytes) const
    {
        return model == DramModel::Bus
                   ? Picoseconds(bytes * 1000000 / mb_per_s)
                   : bytes / (timing.bus_bits / 8 * timing.beats_per_clock) * timing.clock;
    }
};

struct Host {
    HostKind kind = HostKind::Sata;
    u32 queue_depth = 32;
    double direct_mb_per_s = 0; ///< of the link of `direct` in each direction; 0: no link
};

struct Sata {
    u32 gbps_tenths = 60;     ///< line rate in 0.1 Gb/s: 15, 30, 60
    u32 handshake_dwords = 20; ///< idle dwords of X_RDY/R_RDY and WTRM/R_OK handshakes a frame
    bool extended_tags = false;
    bool queued_trim = false; ///< SEND FPDMA QUEUED for TRIM
    bool ncq = true;          ///< else READ and WRITE DMA EXT
    LinkDetail link = LinkDetail::Fast; ///< Full: bits, CRC and scrambling are computed
    double bit_error_rate = 0;          ///< of bits on the line
    u32 retries = 8;                    ///< of a frame, before COMRESET
    Picoseconds comreset{1000000000};   ///< from COMRESET until the link carries frames again
    u32 fifo_kib = 0;                   ///< data in the device on their way to DRAM; 0: no limit
};

struct Nvme {
    u32 queues = 1;           ///< queue pairs
    u32 queue_entries = 1024; ///< of each queue
    u32 commands = 1024;      ///< inside the device at most
    NvmeSteer steer = NvmeSteer::Job;
    NvmeArbitration arbitration = NvmeArbitration::RoundRobin;
    u32 arbitration_burst = 1; ///< commands a turn; 0: no limit
    std::string classes = "m"; ///< of queue 0, 1, ...: letters of urgent, high, medium, low
    u32 high_weight = 8;
    u32 medium_weight = 4;
    u32 low_weight = 2;
};

struct Pcie {
    u32 generation = 3;
    u32 lanes = 4;
    u32 max_payload = 256;    ///< bytes of a packet
    u32 read_request = 512;   ///< bytes that a read asks for at most
    u32 read_tags = 64;       ///< reads that are open at most
    u32 packets_per_dllp = 4; ///< packets for which the other side sends ACK and UpdateFC
    Picoseconds latency;      ///< of one direction
    Picoseconds host_memory;  ///< from a read's arrival to its answer
};

struct Gc {
    GcPolicy policy = GcPolicy::GREEDY;
    u32 choices = 10;       ///< d_choices: blocks drawn
    u32 window_blocks = 32; ///< windowed_greedy: blocks compared
    u32 hard_blocks = 1;    ///< free blocks a plane that the host leaves
    double share = 1;       ///< of a busy die's time, at most, while the host has more than these
    GcScope scope = GcScope::Plane;
    bool separate = true;   ///< own write points for what is moved
    bool copyback = false;  ///< pages move inside their die
    u32 copyback_limit = 4; ///< times one after the other, without ECC
};

struct Wear {
    WearPolicy policy = WearPolicy::None;
    u32 threshold = 100; ///< static: erases between the most worn block and a full one
};

/// Of ftl.mapping: dftl.
struct Map {
    u32 cache_kib = 256; ///< cached mapping table
    u32 buffers = 16;    ///< page buffers for translation pages
    u32 planes = 0;      ///< that hold translation pages; 0: all, where there are so many pages
};

struct Ftl {
    Mapping mapping = Mapping::Page;
    Map map;
    std::string allocation = "CWDP"; ///< one of the 24 orders
    Placement placement = Placement::Order;
    WritePoints write_points = WritePoints::Plane; ///< of the host
    bool lockstep = false; ///< keep the write points of a die's planes at one page
    MappingUnit mapping_unit = MappingUnit::Page;
    double write_size_factor = 1; ///< Geometry::compress()
    double over_provisioning = 0.07; ///< spare / logical capacity
    Gc gc;
    Wear wear;
    Recovery recovery = Recovery::None;
    /// Blocks of a plane that are open or collection's beside ftl.gc.threshold_blocks.
    u32 open_blocks() const { return levels_cold_data() ? 4 : 3; }
    bool levels_cold_data() const { return wear.policy == WearPolicy::Static || wear.policy == WearPolicy::Both; }
    u32 gc_threshold_blocks = 4;     ///< free blocks a plane at which collection starts
};

/// Units of 4 KiB in a flash page, with ftl.write_size_factor: the firmware's masks have 64 sectors.
constexpr u32 kMostPageUnits = 8;
constexpr u32 kLeastPageBuffers = 64;

struct Buffer {
    BufferPolicy policy = BufferPolicy::LRU;
    double clean_window = 0.25; ///< cflru: share of the pages
    BufferReads reads = BufferReads::Auto;
    BufferWrite write = BufferWrite::Back;
    BufferPower power = BufferPower::Volatile;
    u32 hold_up_ms = 100; ///< capacitors: from the cut of the supply on
    u32 block_pages = 0; ///< ref, fab, bplru, clc: LPNs of a block
    double victim_window = 0.25; ///< ref: share of the pages
    u32 victim_blocks = 8; ///< ref
    bool page_padding = false; ///< bplru
    double hot_blocks = 0.1; ///< clc: share of the blocks
    u32 read_ahead = 0; ///< pages; 0: off
    bool tables_inside = false; ///< `bytes` holds what is kept about the pages too
    /// Nothing clean is kept: it only buffers writes.
    bool reads_bypass() const
    {
        return reads == BufferReads::Bypass || policy == BufferPolicy::GATING ||
               (reads == BufferReads::Auto &&
                (chooser() == BufferPolicy::BPLRU || chooser() == BufferPolicy::CLC));
    }
    u64 bytes = 0; ///< page buffers in DRAM
    Evict evict = Evict::Ahead;
    u32 free_pages = 64; ///< ahead: free or about to be
    BufferPolicy cave_over = BufferPolicy::CCF_LRU; ///< cave: who chooses
    BufferPolicy cawr_over = BufferPolicy::FAB;     ///< cawr_block: who chooses
    u32 cawr_list = 4;                              ///< cawr: pages of a channel's list
    CawrSequence cawr_sequence = CawrSequence::Tail;
    /// Who says which page is the next.
    BufferPolicy chooser() const
    {
        return policy == BufferPolicy::CAVE         ? cave_over
               : policy == BufferPolicy::CAWR_BLOCK ? cawr_over
                                                    : policy;
    }
    /// Dirty pages leave in sets, each to a channel that the policy names.
    bool evicts_sets() const
    {
        return policy == BufferPolicy::GATING || policy == BufferPolicy::CAVE || policy == BufferPolicy::CAWR ||
               policy == BufferPolicy::CAWR_BLOCK;
    }
    u32 flush_after_ms = 0; ///< background write-back; 0: only when buffers are needed
};

struct Vaq {
    VaqBlock block = VaqBlock::Die;
    bool join_adjacent = true;
    u32 join_window = 1; ///< transactions that are committed together at most; 1: off
    VaqConflict conflict = VaqConflict::Die;
};

struct Paq {
    PaqClusterLimit cluster_limit = PaqClusterLimit::Package;
    PaqWait wait = PaqWait::Skip;
    u32 age_limit_us = 0; ///< 0: off
};

inline constexpr std::size_t kMaxPriorityRanges = 8;
struct PriorityRange {
    u64 first_mib = 0, end_mib = 0; ///< of the logical address space
    u32 priority = 0;               ///< 1 to 3, the highest
};

struct Sost {
    bool leveler = true;
    bool hit_manager = true;
    u32 return_reads = 3; ///< 0: never
    bool priorities = true;
    bool reads_first = false;
    u32 hot_hits = 3; ///< 0: no write is hot
    std::vector<PriorityRange> ranges;
    u32 age_limit_us = 100000;
};

struct Hybrid {
    bool hit_manager = true;
    u32 return_reads = 3; ///< 0: never
    bool join_writes = true;
    bool place_late = true;
    bool pack = true;
    u32 window = 0; ///< reads in flight a channel; 0: what keeps the bus busy
    bool defer_gc = true;
    u32 gc_window = 0; ///< operations of collection in flight a channel; 0: the same
    bool priorities = true;
    u32 age_limit_us = 10000;
};

/// The smart controller (docs/prefetch.md).
enum class PrefetchMode : u8 { None, Baseline, TwoPhase, Fast }; // = fw_prefetch_mode
struct Prefetch {
    PrefetchMode mode = PrefetchMode::None;
    u32 match = 8;       ///< commands
    u32 anchors = 16;    ///< windows of a sequence
    u32 sequences = 8;
    u32 pages = 4096;    ///< of a sequence
    u32 gap_us = 5000;
    u32 misses = 8;
    u32 depth = 0;       ///< 0: idle dies
    u32 lead = 64;       ///< fast: pages
    double share = 0.5;  ///< of the buffer's pages
    bool displace = true;
    bool yield = true;
    u32 priority = 0;    ///< least that is watched
};

struct Precondition {
    double fill = 0;      ///< fraction of the logical pages written once, ascending or shuffled
    double overwrite = 0; ///< then page overwrites, as a fraction of the logical pages
    Pattern pattern = Pattern::Sequential;
    double range = 1.0;   ///< overwrites fall into this leading fraction of the logical pages
    OverwritePattern overwrite_pattern;
    bool steady = false; ///< overwrite on until write amplification is steady
    double steady_window = 0.1;  ///< fraction of the logical pages
    u32 steady_windows = 5;
    double steady_change = 0.02; ///< (largest - smallest) / mean of the windows
    double steady_limit = 20;    ///< overwrites in all, as a fraction of the logical pages
};

struct Inject { ///< faults; 0 or empty: off
    u64 swap_page_registers_at = 0; ///< the n-th read burst (from 1) gets another page's tags
    u64 falsify_dma_at = 0;         ///< the n-th flash DMA (from 1) goes to another page buffer
    u32 no_grants = 0;              ///< bit c: the RTL controller never gives channel c's bus away
    std::string fault_script;       ///< file with lines "at 12 ms: die 3/1/0 stops answering"
};

struct Config {
    Geometry geometry;
    Nand nand;
    Onfi onfi;
    Controller controller;
    Cpu cpu;
    Dram dram;
    Host host;
    Sata sata;
    Nvme nvme;
    Pcie pcie;
    Ftl ftl;
    Buffer buffer;
    Scheduler scheduler = Scheduler::INORDER;
    Vaq vaq;
    Paq paq;
    Sost sost;
    Hybrid hybrid;
    Prefetch prefetch;
    Precondition precondition;
    Workload workload;          ///< the only job, where `jobs` is empty; else its name counts only
    std::vector<Workload> jobs; ///< workload.jobs
    Warmup warmup;
    Observe observe;
    Inject inject;
    u64 seed = 1;
    DataKind data = DataKind::Tags;
    bool checker = true;
    TimerBackend timer_backend = TimerBackend::Wheel;
    u64 hash = 0;          ///< over all keys that can change results
    std::string hash_text; ///< 16 hex digits

    /// Pages that the host sees: floor(total_pages / (1 + over_provisioning)) of the part's bytes, so that a
    /// controller that compresses has the rest to spare.
    u64 logical_pages() const;
    /// Bits that number the units of 4 KiB that the FTL maps in a page; 0: it maps pages.
    u32 mapping_bits() const;
    u32 mapping_units() const; ///< of a page; 1: it maps pages
    u32 mapped_bytes() const { return geometry.page_bytes / mapping_units(); } ///< also of a page buffer
    /// Pages a plane of `good` blocks that collection needs beside the reserved blocks, because blocks with
    /// few dead units may give no page back (docs/mapping-units.md).
    u64 ragged_pages(u32 good) const;
    /// Logical pages whose trims one table page holds; 0 without ftl.recovery. The CPU looks at all of
    /// them for each table page: 8192, but more where that would be more than 4096 table pages.
    u32 recovery_span() const;
    /// Table pages that ftl.recovery keeps beside the logical ones: a bit a logical page, recovery_span()
    /// of them each, and a bit a block (of a power of two of them a plane).
    u64 table_pages() const;
    /// ftl.recovery: journal: bytes at the end of a block's last page that say what its others hold; and the
    /// pages of a block that are left for data, all without it.
    u32 journal_bytes() const { return 4 * (54 + 3 * data_pages()); }
    u32 data_pages() const { return geometry.pages - (ftl.recovery == Recovery::Journal ? 1 : 0); }
    /// These three are 0 without ftl.mapping: dftl. Entries of the cached mapping table, of kMapEntryBytes.
    u32 map_entries() const;
    u32 map_planes() const; ///< that hold translation pages
    u32 map_blocks() const; ///< of each of them that hold nothing else
    static constexpr u32 kMapEntryBytes = 32;
    u64 translation_pages() const; ///< of four bytes a logical page
    u64 logical_sectors() const { return logical_pages() * geometry.sectors_per_page(); }
};

/// One job from the command line: `--trace FILE --format F`, `--workload NAME`.
struct JobArguments {
    std::string option; ///< for messages: "--trace FILE"
    std::vector<std::pair<std::string, std::string>> keys; ///< "trace", "workload" or another key
};

/// What the command line adds to the file: the jobs, then `--set a.b=c` in order.
struct Overrides {
    std::vector<std::string> sets;
    std::vector<JobArguments> jobs{}; ///< not empty: they replace the workload's jobs
};

/// Read, include, override, check, resolve. Throws InputError with file:line:column, the key and
/// the nearest valid name.
Config load(const std::string& path, const Overrides& overrides);

/// The same for YAML text; `name` stands for the file in messages, relative includes start at ".".
Config load_text(const std::string& text, const std::string& name, const Overrides& overrides);

/// The resolved configuration as YAML, every key with its value and unit (tlmssd describe, results).
std::string to_yaml(const Config& config);

/// JSON Schema of the configuration (configs/schema.json) and the key reference (configs/README.md).
std::string json_schema();
std::string key_reference();

const char* to_string(HostKind);
const char* to_string(LinkDetail);
const char* to_string(Scheduler);
const char* to_string(BufferPolicy);
const char* to_string(ControllerKind);
const char* to_string(DramModel);
const char* to_string(DramArbitration);
const char* to_string(ControllerMode);
const char* to_string(CpuModel);
const char* to_string(BusInterface);
const char* to_string(ReadySense);
const char* to_string(Pairing);
const char* to_string(LoopMode);
const char* to_string(TimerBackend);
const char* to_string(Rw);
const char* to_string(Recovery);

} // namespace tlmssd::config
