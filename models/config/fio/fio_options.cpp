// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which options of fio job files have an effect, which cannot have one, which are wrong.
#include "models/config/fio/fio_options.h"

#include <algorithm>
#include <utility>

namespace tlmssd::config {
namespace {

using Words = std::vector<std::string>;

bool holds(const Words& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// fio's own options that would have an effect here but are not modelled, with what to do instead.
const std::vector<std::pair<std::string, std::string>>& refusals()
{
    static const std::vector<std::pair<std::string, std::string>> table{
        {"rate", "a cap of the bandwidth is not modelled; give rate_iops"},
        {"bsrange", "not modelled; give the sizes with bssplit"},
        {"ramp_time", "use workload.warmup and workload.warmup_ms of the configuration"},
        {"read_iolog", "use workload.trace of the configuration (format fio-iolog)"},
        {"verify", "not needed: every read is checked against what was written"},
        {"do_verify", "not needed: every read is checked against what was written"},
        {"sync_file_range", "not modelled; use fdatasync"},
        {"filesize", "the device has its size; use size and offset"},
        {"zonesize", "zoned devices are not modelled"},
    };
    return table;
}

/// An idle option that is so only with some values; the message for any other.
struct Limited {
    const char* option;
    Words good;
    const char* message;
};

const std::vector<Limited>& limits()
{
    static const std::vector<Limited> table{
        {"nrfiles", {"1"}, "the device is the only file"},
        {"zonemode", {"none"}, "zoned devices are not modelled"},
        {"thinktime_blocks_type", {"complete"}, "think time follows completions (complete)"},
        {"iodepth_batch", {"1"}, "requests are submitted one by one"},
        {"iodepth_batch_submit", {"1"}, "requests are submitted one by one"},
        {"iodepth_batch_complete", {"1"}, "completions are taken one by one"},
        {"iodepth_batch_complete_min", {"1"}, "completions are taken one by one"},
    };
    return table;
}

} // namespace

const Words& fio_known_options()
{
    static const Words table{
        "rw",          "bs",          "bssplit",       "rwmixread",         "rwmixwrite",
        "iodepth",     "numjobs",     "size",          "io_size",           "offset",
        "loops",       "runtime",     "time_based",    "offset_increment",  "number_ios",
        "rate_iops",   "fsync",       "rate_process",  "thinktime",         "thinktime_blocks",
        "fdatasync",   "sync",        "randseed",      "random_distribution", "norandommap",
        "prio",        "prioclass",   "startdelay",    "percentage_random", "kb_base",
        "ioengine"};
    return table;
}

const Words& fio_idle_options()
{
    static const Words table{
        // one device, no page cache, no file system
        "filename", "directory", "filename_format", "unique_filename", "opendir", "direct",
        "buffered", "atomic", "invalidate", "pre_read", "fallocate", "fadvise_hint", "overwrite",
        "create_serialize", "create_fsync", "create_on_open", "create_only", "allow_file_create",
        "allow_mounted_write", "file_service_type", "openfiles", "unlink", "unlink_each_loop",
        "nrfiles", "zonemode", "write_hint", "readonly",
        // data is tags or a pattern of its own
        "zero_buffers", "refill_buffers", "scramble_buffers", "buffer_pattern",
        "buffer_compress_percentage", "buffer_compress_chunk", "dedupe_percentage",
        // who submits, and with which memory
        "thread", "mem", "hugepage_size", "lockmem", "cpumask", "cpus_allowed",
        "cpus_allowed_policy", "numa_cpu_nodes", "numa_mem_policy", "nice", "uid", "gid", "cgroup",
        "cgroup_weight", "cgroup_nodelete", "hipri", "fixedbufs", "registerfiles", "sqthread_poll",
        "sqthread_poll_cpu", "nonvectored", "userspace_reap", "thinktime_spin", "iodepth_batch",
        "iodepth_batch_submit", "iodepth_batch_complete", "iodepth_batch_complete_min",
        "thinktime_blocks_type", "serialize_overlap", "io_submit_mode", "ioscheduler",
        // draws always repeat, by a hash of their own
        "randrepeat", "allrandrepeat", "random_generator", "softrandommap",
        // reports
        "name", "description", "group_reporting", "new_group", "per_job_logs", "write_bw_log",
        "write_lat_log", "write_iops_log", "write_hist_log", "write_iolog", "bwavgtime",
        "iopsavgtime", "log_avg_msec", "log_hist_msec", "log_hist_coarseness", "log_max_value",
        "log_offset", "log_prio", "log_compression", "log_compression_cpus", "log_store_compressed",
        "log_unix_epoch", "log_entries", "block_error_percentiles", "stats", "disable_lat",
        "disable_clat", "disable_slat", "disable_bw_measurement", "clat_percentiles",
        "lat_percentiles", "slat_percentiles", "percentile_list", "significant_figures",
        "disk_util", "gtod_reduce", "gtod_cpu", "clocksource", "unified_rw_reporting", "unit_base",
        "eta"};
    return table;
}

void check_fio_options(const FioSection& job, bool first_job)
{
    for (const auto& [word, option] : job.options) {
        if (word == "stonewall") {
            if (!first_job && option.value != "0") {
                fail(option.origin, word, "jobs that wait for others to end are not modelled; run "
                                          "each part on its own, or use startdelay");
            }
            continue;
        }
        for (const auto& [refused, instead] : refusals()) {
            if (word == refused) {
                fail(option.origin, word, instead);
            }
        }
        for (const Limited& limited : limits()) {
            if (word == limited.option && !holds(limited.good, option.value)) {
                fail(option.origin, word, limited.message);
            }
        }
        if (!holds(fio_known_options(), word) && !holds(fio_idle_options(), word)) {
            Words all = fio_known_options();
            all.insert(all.end(), fio_idle_options().begin(), fio_idle_options().end());
            fail(option.origin, shown(word), "the generator does not know this option" +
                                                 did_you_mean(word, all));
        }
    }
}

} // namespace tlmssd::config
