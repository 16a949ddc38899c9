// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the workload.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/locality.h"

namespace tlmssd::config {

enum class LoopMode : u8 { Open, Closed };
enum class Beyond : u8 { Fold, Drop };
enum class Devices : u8 { Overlay, Concat }; ///< several devices (ASUs) in one trace
enum class Rw : u8 {
    Read,
    Write,
    RandRead,
    RandWrite,
    ReadWrite,
    RandRw,
    Trim,
    RandTrim,
    TrimWrite,    ///< each block is trimmed, then written
    RandTrimWrite
};
enum class RateProcess : u8 { Linear, Poisson, Bursts };
/// The use of the recorded sequence of an application (docs/guides/launches.md).
enum class LaunchPrefetch : u8 { None, Baseline, TwoPhase, Fast };
enum class LaunchCache : u8 { Cold, Warm }; ///< the host's page cache when a launch begins
enum class Distribution : u8 { Random, Zipf, Pareto, Normal, Zoned };

constexpr bool is_random(Rw rw)
{
    return rw == Rw::RandRead || rw == Rw::RandWrite || rw == Rw::RandRw || rw == Rw::RandTrim ||
           rw == Rw::RandTrimWrite;
}
constexpr bool is_mixed(Rw rw) { return rw == Rw::ReadWrite || rw == Rw::RandRw; }
constexpr bool is_trim_write(Rw rw) { return rw == Rw::TrimWrite || rw == Rw::RandTrimWrite; }
constexpr bool has_writes(Rw rw)
{
    return is_mixed(rw) || is_trim_write(rw) || rw == Rw::Write || rw == Rw::RandWrite;
}

/// Values that fio separates by commas: reads, writes, trims.
enum Direction : u8 { kReads, kWrites, kTrims };
inline constexpr std::size_t kDirections = 3;
/// Shares and percentages are integers in hundredths of a %; all of them together are this.
inline constexpr u32 kWhole = 10000;

/// A place or length on the device: bytes, or % of the device.
struct Extent {
    u64 bytes = 0;
    double percent = 0; ///< above 0: instead of `bytes`

    u64 sectors(u64 device_sectors) const
    {
        return percent == 0    ? bytes / 512
               : percent == 100 ? device_sectors
                                : static_cast<u64>(percent / 100 *
                                                   static_cast<double>(device_sectors));
    }
};

/// Request sizes (`bssplit`). Empty: `bs` alone.
struct SizeShare {
    u32 sectors;
    u32 share; ///< of the requests of one direction; they add up to kWhole
};
struct SizeSplit {
    std::string text; ///< as given
    std::array<std::vector<SizeShare>, kDirections> of;
};

/// Random addresses (`random_distribution`).
struct Zone {
    u32 access; ///< share of the requests
    u32 region; ///< share of the region, behind the zone before it
};
struct AddressRule {
    std::string text = "random"; ///< as given
    Distribution kind = Distribution::Random;
    double parameter = 0; ///< zipf: theta; pareto: power; normal: deviation in %
    double center = -1;   ///< fraction of the region where the hottest block lies; -1: anywhere
    std::array<std::vector<Zone>, kDirections> zones;
};

/// Where the overwrites of preconditioning go.
struct OverwritePattern {
    bool sequential = false; ///< ascending, from the start again at the end; else as `rule`
    AddressRule rule;
};

/// Per cent of random requests (`percentage_random`), for reads, writes, trims.
struct Percentages {
    std::string text = "100"; ///< as given
    std::array<u32, kDirections> of{100, 100, 100};
};

/// Launches of applications (`workload.launches`), synthetic.
struct Launch {
    u32 launches = 0;      ///< of all applications together; 0: this is no workload of launches
    u32 apps = 1;          ///< launched in turn
    u32 reads = 400;       ///< of a launch
    u32 metadata = 20;     ///< share of the reads, %
    u32 bs = 16384;        ///< bytes of the others
    Picoseconds cpu;       ///< of a launch
    u32 noise = 0;         ///< reads that go elsewhere in this launch, %
    u32 detour = 0;        ///< all but the first reads of each n-th launch of an application go elsewhere; 0: none
    Picoseconds gap;       ///< from the end of a launch to the next
    LaunchCache cache = LaunchCache::Cold;
    LaunchPrefetch prefetch = LaunchPrefetch::None;
    u32 depth = 32;        ///< commands that the host's prefetcher keeps open
};

struct Workload {
    std::string name;         ///< of the preset, or "trace"
    std::string trace;        ///< file; empty: the generator
    std::string format;       ///< empty: found by trial
    bool lenient = false;
    u64 requests = 0;         ///< 0: to the end of a trace (a generator needs a number)
    LoopMode mode = LoopMode::Closed;
    double time_scale = 1.0;  ///< open loop: arrival times are multiplied by it
    Beyond beyond = Beyond::Fold;
    Devices devices = Devices::Overlay;
    std::string blkparse_action = "D";
    std::string trace_columns; ///< what the columns of a delimited text are; empty: named format
    bool sort = false;        ///< read the whole trace and sort it by time
    Picoseconds dedup;        ///< a row that repeats one so shortly before is left out; 0: none is
    u32 numjobs = 1;          ///< clones of the job
    Picoseconds thinktime;    ///< closed loop: pause after each thinktime_blocks requests
    u32 thinktime_blocks = 1;
    Picoseconds runtime;      ///< no request arrives at it or later; 0: no limit
    // one job among several
    std::string preset;       ///< file name of the preset it comes from; empty: none. Not a key.
    u64 lba_offset = 0;       ///< bytes, added to each address
    Picoseconds start;        ///< the job's time 0
    u32 priority = 0;         ///< 0 lowest .. 3 highest
    u32 iodepth = 32;         ///< closed loop: commands of the job that are open or wait for a tag
    // generator, in fio's words
    Rw rw = Rw::RandRead;
    u32 bs = 4096;            ///< bytes
    SizeSplit bssplit;
    u32 rwmixread = 50;       ///< %
    u64 reads = 0;            ///< exact quotas; both 0: rwmixread rules
    u64 writes = 0;
    Extent offset;            ///< start of the region
    Extent size{0, 100};      ///< of the region, at most to the device's end
    u64 io_size = 0;          ///< bytes to move; 0: no limit
    u32 loops = 0;            ///< times the region's size to move, 0: no limit; times to replay the trace, 0: once
    u64 number_ios = 0;       ///< reads, writes and trims (trimwrite: pairs); 0: no limit
    u64 randseed = 0;         ///< changes the job's draws; 0: the run's seed alone
    AddressRule random_distribution;
    bool norandommap = true;  ///< false: each block of the region is visited once a pass
    Percentages percentage_random;
    /// Share of reads (writes) that do not start where the request before them, of any kind, ended,
    /// %; negative: no limit.
    double random_read_percent = -1;
    double random_write_percent = -1;
    double rate_iops = 0;     ///< open loop: arrivals a second; closed loop: at most; 0: none
    RateProcess rate_process = RateProcess::Linear;
    double burst_requests = 10; ///< mean of a burst
    Picoseconds burst_gap;    ///< mean, between two arrivals of a burst
    u32 flush_every = 0;      ///< a FLUSH after each n-th write; 0: never
    u32 trim_percent = 0;     ///< share of writes that are TRIMs instead
    bool fua = false;
    Launch launch;
    Locality locality;
};

/// Its addresses have locality; a trace and launches go before that.
inline bool is_of_locality(const Workload& w)
{
    return w.trace.empty() && w.launch.launches == 0 && w.locality.footprint != 0;
}

/// It launches applications; a trace goes before that.
inline bool is_of_launches(const Workload& w) { return w.trace.empty() && w.launch.launches != 0; }

const char* to_string(LoopMode);
const char* to_string(Rw);
const char* to_string(RateProcess);

} // namespace tlmssd::config
