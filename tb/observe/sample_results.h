// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a complete results document with made-up numbers, for tests of its readers.
#pragma once

#include "models/observe/results.h"
#include "models/observe/stages.h"

namespace tlmssd::tb {

/// 1 s simulated; 3 reads of 4 KiB and 1 write of 8 KiB; `empty`: nothing was counted at all.
inline observe::Results sample_results(bool empty = false)
{
    using observe::Histogram;
    using observe::Json;
    const auto n = [empty](u64 count) { return empty ? 0 : count; };
    Histogram reads;
    Histogram writes;
    if (!empty) {
        reads.record(microseconds(100));
        reads.record(microseconds(200));
        reads.record(microseconds(400));
        writes.record(microseconds(50));
    }
    Histogram all = reads;
    all.merge(writes);
    const double seconds = empty ? 0 : 1;

    observe::Results r;
    r.put("config_hash", "0123456789abcdef");
    r.put("seed", 7);
    r.put("calibrated", false);
    r.put("status", "done");
    r.put("wall.seconds", 0.5);
    r.put_ratio("wall.host_ios_per_s", 4, empty ? 0 : 0.5);
    r.put("wall.kernel_events", 11);
    r.put("wall.timer_callbacks", 12);
    r.put("wall.peak_rss_mib", 86.25);
    r.put("wall.git", "v0.1.0");
    r.put("wall.crc32", "01234567");
    r.put("wall.precondition_s", 0.25);
    r.put("wall.precondition_programs_per_s", empty ? Json(nullptr) : Json(2e6));
    r.put("config", Json{{"seed", 7}});
    r.put("precondition.filled", n(16));
    r.put("precondition.overwritten", n(4));
    r.put("precondition.pages_programmed", n(26));
    r.put("precondition.blocks_erased", n(1));
    r.put("precondition.windows", n(2));
    r.put_ratio("precondition.waf", 10, empty ? 0 : 4);
    r.put("sim.time_s", seconds);
    r.put("workload.name", "sample");
    r.put("workload.source_requests", n(4));
    r.put("workload.folded", 0);
    r.put("workload.dropped", 0);
    r.put("workload.skipped", 0);
    r.put("workload.deduplicated", 0);
    r.put_requests("host.all", n(20480), seconds, all, all);
    r.put_requests("host.reads", n(12288), seconds, reads, reads);
    r.put_requests("host.writes", n(8192), seconds, writes, writes);
    r.put("host.flushes.count", 0);
    r.put("host.trims.count", 0);
    r.put("host.errors.reads", n(1));
    r.put("host.errors.writes", 0);
    r.put("host.errors.others", 0);
    r.put_ratio("host.queue_wait_us.mean", 12, empty ? 0 : 4);
    r.put_ratio("host.queue_wait_us.mean_when_full", 0, 0);
    observe::Results job;
    job.put("name", "sample");
    job.put("workload", "randread-4k");
    job.put("mode", "closed");
    job.put("priority", 0);
    job.put("requests", n(4));
    job.put("start_s", 0.0);
    job.put_requests("all", n(20480), seconds, all, all);
    job.put_requests("reads", n(12288), seconds, reads, reads);
    job.put_requests("writes", n(8192), seconds, writes, writes);
    job.put("flushes", 0);
    job.put("trims", 0);
    job.put("errors", n(1));
    job.put_ratio("queue_wait_us.mean", 12, empty ? 0 : 4);
    job.put_ratio("queue_wait_us.mean_when_full", 0, 0);
    Json job_json = job.json();
    job_json.erase("schema");
    r.put("host.jobs", Json::array({job_json}));
    r.put("warmup.kind", "until_steady");
    r.put("warmup.requests", n(10));
    r.put("warmup.time_s", empty ? 0.0 : 0.25);
    r.put("warmup.steady", !empty);
    // Together 187.5 us: the mean latency of the four requests.
    const double stage_us[] = {10, 2, 3, 1, 4, 25, 12.5, 100, 25, 5};
    Json stages_us;
    for (const char* path : {"stages.", "stages.reads.", "stages.writes."}) {
        for (std::size_t s = 0; s < observe::kStages; ++s) {
            const char* const name = observe::to_string(static_cast<observe::Stage>(s));
            r.put_ratio(std::string(path) + name + "_us.mean", stage_us[s], empty ? 0 : 1);
            stages_us[name] = stage_us[s];
        }
    }
    r.put("ftl.host_pages_written", n(4));
    r.put("ftl.flash_pages_written", n(5));
    r.put_ratio("ftl.waf", 5, empty ? 0 : 4);
    r.put("ftl.table_pages_written", n(1));
    r.put("ftl.gc.runs", n(1));
    r.put("ftl.gc.pages_moved", n(1));
    r.put("ftl.gc.copybacks", n(1));
    r.put("ftl.gc.blocks_erased", n(1));
    r.put("ftl.gc.held", n(2));
    r.put("ftl.gc.held_us", n(150));
    r.put("ftl.free_blocks.start", 2.5);
    r.put("ftl.free_blocks.end", 2.25);
    r.put("ftl.wear.runs", n(1));
    r.put("ftl.wear.pages_moved", n(3));
    r.put("ftl.read_only", false);
    r.put("ftl.bad_blocks.factory", n(2));
    r.put("ftl.bad_blocks.retired", n(3));
    r.put("ftl.program_fails", n(4));
    r.put("ftl.erase_fails", n(5));
    r.put("ftl.read_errors", n(6));
    r.put("ftl.pages_lost", n(7));
    r.put("ftl.wear.min", 0);
    r.put("ftl.wear.max", 1);
    r.put("ftl.wear.mean", 0.25);
    r.put("ftl.wear.stddev", 0.4330127018922193);
    r.put("buffer.read_hits", n(1));
    r.put("buffer.read_misses", n(2));
    r.put("buffer.write_hits", 0);
    r.put("buffer.write_misses", n(1));
    r.put_ratio("buffer.hit_ratio", 1, empty ? 0 : 4);
    r.put("buffer.pages", n(4096));
    r.put("buffer.table_bytes", n(4096));
    r.put("sched.name", "vaq");
    r.put("sched.reordered", 0);
    r.put("sched.multi_plane_ops", n(2));
    r.put("controller.effective_mode", "inorder");
    r.put("controller.reordered", 0);
    r.put("controller.held", 0);
    r.put_ratio("controller.held_us.mean", 0, 0);
    r.put("controller.counters.cycles", n(200000000));
    r.put("controller.counters.ended", n(6));
    r.put("controller.counters.held", n(1));
    r.put("controller.counters.outstanding_max", n(3));
    r.put("controller.counters.channels", Json::array({{{"reads", n(1)},
                                                        {"programs", n(2)},
                                                        {"erases", n(1)},
                                                        {"resets", 0},
                                                        {"dependent", n(1)},
                                                        {"fenced", 0},
                                                        {"bus_busy_cycles", n(50000000)},
                                                        {"bus_starved_cycles", n(2000)},
                                                        {"blocked_cycles", 0},
                                                        {"lun_busy_cycles", n(60000000)}}}));
    r.put("controller.polls", n(3));
    r.put("controller.suspends", n(2));
    r.put("controller.resumes", n(1));
    r.put("flash.ops.read", n(2));
    r.put("flash.ops.program", n(5));
    r.put("flash.ops.erase", n(1));
    r.put("flash.ops.reset", 0);
    r.put("flash.die_operations", n(6));
    r.put("flash.channels", Json::array({{{"busy_s", empty ? 0.0 : 0.25},
                                          {"reads", n(1)},
                                          {"programs", n(2)},
                                          {"erases", n(1)},
                                          {"occupied_s", empty ? Json(nullptr) : Json(0.5)}},
                                         {{"busy_s", empty ? 0.0 : 0.75},
                                          {"reads", n(1)},
                                          {"programs", n(3)},
                                          {"erases", 0},
                                          {"occupied_s", empty ? Json(nullptr) : Json(0.75)}}}));
    r.put("flash.die_idle_s", 3.5);
    r.put("flash.contention_us", empty ? 0.0 : 12.5);
    r.put("flash.conflict_wait_us.channel", empty ? 0.0 : 250.0);
    r.put("flash.conflict_wait_us.package", empty ? Json(nullptr) : Json(500.0));
    r.put("flash.package_operations", empty ? Json(nullptr) : Json(5));
    if (empty) {
        r.put("flash.parallelism", nullptr);
        r.put("flash.breakdown", nullptr);
    } else {
        r.put("flash.parallelism.none", 40.0);
        r.put("flash.parallelism.die_interleaving", 20.0);
        r.put("flash.parallelism.plane_sharing", 40.0);
        r.put("flash.parallelism.die_and_plane", 0.0);
        r.put("flash.breakdown.bus", 10.0);
        r.put("flash.breakdown.cell", 20.0);
        r.put("flash.breakdown.wait_channel", 5.0);
        r.put("flash.breakdown.wait_die", 5.0);
        r.put("flash.breakdown.idle", 60.0);
    }
    r.put("nand.wear.min", 100);
    r.put("nand.wear.max", 101);
    r.put("nand.wear.mean", 100.25);
    r.put("nand.wear.stddev", 0.4330127018922193);
    r.put("nand.errors.bits_read", n(1000000));
    r.put("nand.errors.bit_errors", n(125));
    r.put_ratio("nand.errors.rber", 125, empty ? 0 : 1000000);
    r.put_ratio("nand.errors.rber_expected", 128, empty ? 0 : 1000000);
    r.put("nand.errors.program_fails", 0);
    r.put("nand.errors.erase_fails", 0);
    r.put("nand.errors.factory_bad_blocks", 2);
    r.put("ecc.codewords", n(256));
    r.put("ecc.corrected_bits", n(120));
    r.put("ecc.failed_codewords", n(1));
    r.put("ecc.retries", n(1));
    r.put("ecc.uncorrectable_pages", 0);
    r.put("energy_mj.read", empty ? 0.0 : 0.5);
    r.put("energy_mj.program", empty ? 0.0 : 1.5);
    r.put("energy_mj.erase", empty ? 0.0 : 0.25);
    r.put("energy_mj.array", empty ? 0.0 : 2.25);
    r.put("energy_mj.bus", empty ? 0.0 : 0.125);
    r.put("energy_mj.standby", 0.125);
    r.put("energy_mj.total", empty ? 0.125 : 2.5);
    r.put("cpu.model", "native");
    r.put("cpu.mhz", 800);
    r.put("cpu.busy_fraction", empty ? Json::array({nullptr}) : Json::array({0.125}));
    r.put("cpu.cycles.hil", n(100));
    r.put("cpu.cycles.buffer", n(200));
    r.put("cpu.cycles.ftl", n(300));
    r.put("cpu.cycles.sched", n(400));
    r.put("dram.busy_s", empty ? 0.0 : 0.5);
    for (const char* const master : {"link", "flash", "cpu"}) {
        const std::string at = std::string("dram.masters.") + master;
        r.put(at + ".transfers", n(4));
        r.put(at + ".bytes", n(32768));
        r.put(at + ".busy_s", empty ? 0.0 : 0.1);
        r.put(at + ".wait_us.mean", empty ? 0.0 : 0.5);
        r.put(at + ".wait_us.max", empty ? 0.0 : 1.5);
    }
    r.put("link.busy_to_host_s", empty ? 0.0 : 0.125);
    r.put("link.busy_to_device_s", 0.0);
    r.put("integrity.pages_checked", n(3));
    r.put("integrity.bytes_checked", n(3));
    r.put("integrity.mismatches", 0);
    r.put("checker.violations", 0);
    Json acted = Json::array();
    acted.push_back({{"mechanism", "read hits"}, {"key", "buffer.reads"}, {"chances", n(3)}, {"chance", "page reads of the host"},
                     {"acted", n(1)}, {"saved", n(1)}, {"saves", "waits of reads for flash"},
                     {"why", empty ? Json("the host read nothing") : Json(nullptr)}});
    for (const char* const name : {"write hits", "padding of blocks"}) {
        acted.push_back({{"mechanism", name}, {"key", "buffer.write"}, {"chances", nullptr}, {"chance", "page writes"},
                         {"acted", 0}, {"saved", nullptr}, {"saves", ""},
                         {"why", "none of 1 page writes met its page in the buffer"}});
    }
    r.put("acted", acted);
    r.put("bound.makespan_s", empty ? 0.0 : 0.875);
    r.put("bound.limiter", "channel");
    r.put_ratio("bound.fraction_of_bound", 0.875, seconds);
    r.put("series.interval_s", 0.5);
    Json points = Json::array();
    for (const double t_s : {0.0, 0.5}) {
        Json point;
        point["t_s"] = t_s;
        point["iops"] = 4.0;
        point["mb_s"] = 0.02048;
        point["reads"] = 1;
        point["writes"] = 1;
        point["latency_us"] = {{"mean", 125.0}, {"p99", 200.0}, {"max", 200.0}};
        point["queue_depth"] = 0.5;
        point["waf"] = 1.25;
        point["channels_busy"] = 0.5;
        point["dies_busy"] = 0.25;
        point["cores_busy"] = 0.125;
        points.push_back(point);
    }
    r.put("series.points", empty ? Json::array() : points);
    Json worst;
    worst["job"] = 0;
    worst["kind"] = "read";
    worst["lba"] = 4096;
    worst["bytes"] = 4096;
    worst["tag"] = 3;
    worst["arrival_us"] = 100.0;
    worst["issued_us"] = 101.5;
    worst["latency_us"] = 187.5;
    worst["response_us"] = 189.0;
    worst["hit"] = false;
    worst["flash_ops"] = 1;
    worst["stages_us"] = stages_us;
    worst["cause"] = "waited 25.0 us (13 %) for die 0/0/0, which was reading for the host";
    r.put("worst", empty ? Json::array() : Json::array({worst}));
    return r;
}

} // namespace tlmssd::tb
