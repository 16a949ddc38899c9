// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the workload (workload.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"
#include "models/config/keys/locality_words.h"
#include "models/config/keys/workload_words.h"

namespace tlmssd::config {

NAMES(LoopMode, "open", "closed")
NAMES(Beyond, "fold", "drop")
NAMES(Devices, "overlay", "concat")
NAMES(LaunchPrefetch, "none", "baseline", "two_phase", "fast")
NAMES(LaunchCache, "cold", "warm")
NAMES(Rw, "read", "write", "randread", "randwrite", "readwrite", "randrw", "trim", "randtrim",
      "trimwrite", "randtrimwrite")
NAMES(RateProcess, "linear", "poisson", "bursts")
TO_STRING(LoopMode)
TO_STRING(Rw)
TO_STRING(RateProcess)

using namespace rows;

namespace {

constexpr u64 kU32 = 0xffffffffu;
constexpr u64 kManyRequests = 1000000000000000u;

} // namespace

std::vector<Key> workload_keys()
{
    return {
        text("workload.name", AT(workload.name), "", "shown in results")
            .follows("of the preset; else `trace` or `generator`")
            .cosmetic(),
        text("workload.trace", AT(workload.trace), "", "trace file; empty: the generator",
             Type::File),
        integer("workload.requests", AT(workload.requests), 0, 0, kManyRequests,
                "requests to run, flushes too; unlimited: to the end of the trace, or as other keys say")
            .zero("unlimited")
            .follows("unlimited for a trace or with io_size, loops, number_ios or runtime_ms; else reads + "
                     "writes, else 100000"),
        choice("workload.mode", AT(workload.mode), LoopMode::Closed,
               "open: recorded times or those of rate_iops; closed: the queue is always full")
            .follows("open for a trace, closed for the generator"),
        text("workload.format", AT(workload.format), "",
             "trace format; empty: the one whose reader accepts the first 1000 lines")
            .when(kTrace),
        flag("workload.lenient", AT(workload.lenient), false, "skip and count broken trace lines")
            .when(kTrace),
        real_above("workload.time_scale", AT(workload.time_scale), 1, 0, 1e6,
                   "arrival times are multiplied by it")
            .when(kOpenLoop),
        choice("workload.beyond", AT(workload.beyond), Beyond::Fold,
               "requests beyond the device: wrapped into it, or left out; both are counted")
            .when(kMayLeave),
        choice("workload.devices", AT(workload.devices), Devices::Overlay,
               "several devices in one trace: on top of each other, or one after the other")
            .when(kTrace),
        word("workload.blkparse_action", AT(workload.blkparse_action), {"D", "Q"},
             "blkparse events that are requests: D issued, Q queued")
            .when(kTrace),
        text("workload.trace_columns", AT(workload.trace_columns), "",
             "the columns of a delimited text: time:us,device,-,lba:sectors,size:bytes,op")
            .when(kTrace),
        flag("workload.sort", AT(workload.sort), false,
             "sort a trace whose times go back; it is read into memory, up to 4194304 rows")
            .when(kTrace),
        time("workload.dedup_us", AT(workload.dedup), kUs, 0, 0, 1e9,
             "leave out a row that repeats device, address, length and kind within it")
            .zero("never")
            .when(kTrace),
        integer("workload.numjobs", AT(workload.numjobs), 1, 1, 1024,
                "clones of the job, each with draws of its own"),
        time("workload.thinktime_us", AT(workload.thinktime), kUs, 0, 0, 1e12,
             "pause after the end of each thinktime_blocks requests")
            .when(kClosedLoop),
        integer("workload.thinktime_blocks", AT(workload.thinktime_blocks), 1, 1, kU32,
                "requests between two pauses")
            .when(kThinking),
        time("workload.runtime_ms", AT(workload.runtime), kMs, 0, 0, 1e9,
             "no request arrives at this time or later")
            .zero("unlimited"),
        integer("workload.lba_offset", AT(workload.lba_offset), 0, 0, u64{1} << 60,
                "added to all addresses of the job: bytes, a multiple of 512", Type::Size),
        time("workload.start_us", AT(workload.start), kUs, 0, 0, 1e12,
             "the job's time 0, from the start of the run"),
        integer("workload.priority", AT(workload.priority), 0, 0, 3,
                "of the jobs' waiting requests the one with the highest gets a free tag"),
        integer("workload.iodepth", AT(workload.iodepth), 32, 1, 65536,
                "commands of the job that are open or wait for a tag")
            .follows("`host.queue_depth`")
            .when(kClosedLoop),
        choice("workload.rw", AT(workload.rw), Rw::RandRead, "fio's word for the access pattern")
            .when(kGenerator),
        integer("workload.bs", AT(workload.bs), 4096, 512, u64{65536} * 512,
                "bytes per request, whole sectors of 512", Type::Size)
            .when(kOneSize),
        words("workload.bssplit", AT(workload.bssplit), "", parse_bssplit,
              [](const SizeSplit& split) { return split.text; },
              "instead of bs: SIZE/PERCENT:SIZE/PERCENT:..., reads, writes and trims by comma")
            .when(kWords),
        integer("workload.rwmixread", AT(workload.rwmixread), 50, 0, 100,
                "reads in %, with rw: readwrite or randrw")
            .when(kShare),
        integer("workload.reads", AT(workload.reads), 0, 0, kManyRequests,
                "exact number of reads among each reads + writes requests; both 0: rwmixread")
            .when(kMixed),
        integer("workload.writes", AT(workload.writes), 0, 0, kManyRequests,
                "exact number of writes among each reads + writes requests")
            .when(kMixed),
        words("workload.offset", AT(workload.offset), "0", parse_extent, extent_text,
              "start of the region that is used: bytes (k, m, g) or % of the device (10%)")
            .when(kGenerator),
        words("workload.size", AT(workload.size), "100%", parse_extent, extent_text,
              "of the region that is used: bytes (k, m, g) or % of the device (50%)")
            .when(kGenerator),
        integer("workload.io_size", AT(workload.io_size), 0, 0, ~u64{0},
                "bytes to move, then the job ends", Type::Size)
            .zero("unlimited")
            .when(kWords),
        integer("workload.loops", AT(workload.loops), 0, 0, kU32,
                "times the bytes of the region to move, or times to replay the trace (unlimited: once), then the job ends")
            .zero("unlimited")
            .when(kLoops),
        integer("workload.number_ios", AT(workload.number_ios), 0, 0, kManyRequests,
                "reads, writes and trims (trimwrite: pairs), then the job ends")
            .zero("unlimited")
            .when(kWords),
        integer("workload.randseed", AT(workload.randseed), 0, 0, ~u64{0},
                "changes the job's random draws; 0: the seed of the run alone")
            .when(kGenerator),
        words("workload.random_distribution", AT(workload.random_distribution), "random",
              parse_distribution, [](const AddressRule& rule) { return rule.text; },
              "random, zipf:THETA, pareto:POWER, normal:DEVIATION or zoned:ACCESS/REGION:...")
            .when(kRandomAccess),
        flag("workload.norandommap", AT(workload.norandommap), true,
             "random blocks are independent; false: each is visited once before any comes again")
            .when(kUniform),
        words("workload.percentage_random", AT(workload.percentage_random), "100",
              parse_percentages, [](const Percentages& percent) { return percent.text; },
              "random requests in % (reads, writes, trims by comma); others follow the one "
              "before of their kind")
            .when(kRandomAccess),
        real("workload.random_read_percent", AT(workload.random_read_percent), -1, -1, 100,
             "reads that do not start where the request before, of any kind, ended; -1: not ruled")
            .when(kRandomAccess),
        real("workload.random_write_percent", AT(workload.random_write_percent), -1, -1, 100,
             "writes that do not start where the request before, of any kind, ended; -1: not ruled")
            .when(kRandomAccess),
        real("workload.rate_iops", AT(workload.rate_iops), 0, 0, 1e12,
             "open loop: arrivals a second, of a trace instead of its times; closed loop: not more")
            .zero("none")
            .when(kAnyRate),
        choice("workload.rate_process", AT(workload.rate_process), RateProcess::Linear,
               "arrivals at equal distances, or (open loop) a Poisson process or bursts")
            .when(kRated),
        real("workload.burst_requests", AT(workload.burst_requests), 10, 1, 1e9,
             "mean number of requests of a burst, geometric: after each request it ends with probability 1 / n")
            .when(kBursts),
        time("workload.burst_gap_us", AT(workload.burst_gap), kUs, 0, 0, 1e9,
             "mean time between arrivals in a burst, exponential; the time between bursts follows from rate_iops")
            .when(kBursts),
        integer("workload.flush_every", AT(workload.flush_every), 0, 0, kU32,
                "a FLUSH after each n-th write")
            .zero("never")
            .when(kHasWrites),
        integer("workload.trim_percent", AT(workload.trim_percent), 0, 0, 100,
                "share of the writes that are TRIMs instead, in %")
            .when(kMayTrim),
        flag("workload.fua", AT(workload.fua), false, "writes carry FUA").when(kHasWrites),
        integer("workload.locality_footprint", AT(workload.locality.footprint), 0, 0, u64{1} << 50,
                "bytes that are used at most; addresses then have locality (docs/explanation/locality.md), "
                "not fio's rules",
                Type::Size)
            .zero("none")
            .when(kGenerator),
        integer("workload.locality_block", AT(workload.locality.block), 4096, 512, 1u << 20,
                "bytes of a block, the unit of distances; a power of two", Type::Size)
            .when(kLocality),
        words("workload.locality_read_runs", AT(workload.locality.read_runs), "", parse_runs,
              [](const RunTypes& runs) { return runs.text; },
              "runs of sequential reads: SIZE/WEIGHT:SIZExREQUEST/WEIGHT:..., bytes of the run and of each request; SIZE+ "
              "covers a block more than it needs")
            .when(kLocality),
        words("workload.locality_write_runs", AT(workload.locality.write_runs), "", parse_runs,
              [](const RunTypes& runs) { return runs.text; }, "the same for writes")
            .when(kLocality),
        words("workload.locality_read_reuse", AT(workload.locality.read_reuse), "", parse_read_reuse,
              [](const Reuse& reuse) { return reuse.text; },
              "BLOCKS=new/WEIGHT:DISTANCE/WEIGHT:...,...: stack distances of reads, for runs of up to BLOCKS blocks")
            .when(kLocality),
        words("workload.locality_write_reuse", AT(workload.locality.write_reuse), "", parse_write_reuse,
              [](const Reuse& reuse) { return reuse.text; }, "the same for writes")
            .when(kLocality),
        integer("workload.launches", AT(workload.launch.launches), 0, 0, 1000000,
                "launches of applications instead of fio's words (docs/guides/launches.md): their number")
            .zero("none")
            .when(kNoTrace),
        integer("workload.launch_apps", AT(workload.launch.apps), 1, 1, 64,
                "applications, launched in turn, each with a sequence of its own")
            .when(kLaunch),
        integer("workload.launch_reads", AT(workload.launch.reads), 400, 1, 100000,
                "reads of a launch")
            .when(kLaunch),
        integer("workload.launch_metadata", AT(workload.launch.metadata), 20, 0, 100,
                "share of metadata reads of 4 KiB, on which the data reads after them depend, in %")
            .when(kLaunch),
        integer("workload.launch_bs", AT(workload.launch.bs), 16384, 512, u64{65536} * 512,
                "bytes of a data read, a multiple of 512", Type::Size)
            .when(kLaunch),
        time("workload.launch_cpu_ms", AT(workload.launch.cpu), kMs, 100, 0, 1e6,
             "CPU time of a launch, in bursts before, between and after its reads")
            .when(kLaunch),
        integer("workload.launch_noise", AT(workload.launch.noise), 0, 0, 100,
                "reads that go to another place in this launch, in %")
            .when(kLaunch),
        integer("workload.launch_detour", AT(workload.launch.detour), 0, 0, 1000000,
                "in each n-th launch of an application all reads behind its first 16 go elsewhere")
            .zero("never")
            .when(kLaunch),
        time("workload.launch_gap_ms", AT(workload.launch.gap), kMs, 10, 0, 1e6,
             "pause behind a launch")
            .when(kLaunch),
        choice("workload.launch_cache", AT(workload.launch.cache), LaunchCache::Cold,
               "the host's page cache when a launch begins: cold, nothing is in it; warm, everything")
            .when(kLaunch),
        choice("workload.launch_prefetch", AT(workload.launch.prefetch), LaunchPrefetch::None,
               "prefetcher on the host: baseline and two_phase work before the application starts, fast beside it")
            .when(kLaunch),
        integer("workload.launch_depth", AT(workload.launch.depth), 32, 1, 1024,
                "commands that the prefetcher keeps open")
            .when(kLaunchPrefetcher),
    };
}

} // namespace tlmssd::config
