// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rules of cores, DRAM, host port, buffer and workload that join several keys, each at its edge.
#include "tb/config/cases.h"

namespace tlmssd::config {
namespace {

const std::vector<std::string> kSetPolicies{"gating", "cave", "cawr", "cawr_block"};

TEST(Check, PoliciesThatEvictInSetsNameTheChannel)
{
    expect_all({
        {"buffer: {policy: $}", "", kSetPolicies},
        {"buffer: {policy: $}\nftl: {write_points: channel}", "", kSetPolicies},
        {"scheduler: sost\nbuffer: {policy: $}",
         "t.yaml:2:18: buffer.policy: $: scheduler sost chooses the dies of writes itself; use ccf_lru",
         kSetPolicies},
        {"buffer: {policy: $}\nftl: {placement: static}",
         "t.yaml:1:18: buffer.policy: $ says to which channel a page goes; needs ftl.placement: order", kSetPolicies},
        {"buffer: {policy: cave, cave_over: $}", "buffer.cave_over: $ does not evict pages it keeps one by one",
         {"none", "gating", "cave", "cawr", "cawr_block"}},
        {"buffer: {policy: cave, cave_over: lru}", ""},
        {"buffer: {policy: cave, cave_over: ccf_lr}", "did you mean 'ccf_lru'"},
        {"buffer: {cave_over: lru}", "has no effect because buffer.policy is lru"},
        {"buffer: {policy: cave, cawr_list: 8}", "has no effect because buffer.policy is cave"},
        {"buffer: {policy: cawr, cawr_list: 16, cawr_sequence: any_neighbour}", ""},
        {"buffer: {policy: cawr, cawr_list: 3}", "buffer.cawr_list"},
        {"buffer: {policy: cawr, cawr_list: 17}", "16"},
        {"buffer: {policy: gating, evict: on_demand}", "buffer.evict"},
        {"buffer: {policy: lru, evict: on_demand}", ""},
        {"buffer: {policy: lru, evict: on_demand_each}", ""},
        {"buffer: {policy: gating, write: through}", "nothing would be kept"},
        {"buffer: {policy: gating, reads: cached}", "policy gating keeps no page"},
        {"buffer: {policy: cawr, write: through}", ""},
        {"buffer: {policy: cawr, read_ahead: 4}", "buffer.read_ahead: policy cawr"},
        {"buffer: {policy: cave, cave_over: fab, block_pages: 32}", ""},
        {"buffer: {policy: cave, cave_over: lru, block_pages: 32}", "buffer.block_pages"},
        {"buffer: {policy: cawr_block, block_pages: 32, cawr_over: $}", "", {"fab", "bplru", "clc"}},
        {"buffer: {policy: cawr_block, cawr_over: $}",
         "t.yaml:1:41: buffer.cawr_over: $ does not evict blocks; use fab, bplru or clc",
         {"ref", "lru", "cave", "none", "cawr_block"}},
        {"buffer: {policy: cawr, cawr_over: fab}", "has no effect because buffer.policy is cawr"},
    });
}

TEST(Check, LaunchesHaveWordsOfTheirOwn)
{
    const std::string head = "workload: {launches: 4, ";
    expect_all(head, {
        {"launch_apps: 2, launch_reads: 100, launch_noise: 35, launch_detour: 2}", ""},
        {"launch_prefetch: two_phase, launch_depth: 8}", ""},
        {"$}", "has no effect because workload.launches is 4",
         {"rw: randread", "bs: 4096", "iodepth: 4", "thinktime_us: 5", "size: 50%", "fua: true"}},
        {"launch_depth: 8}", "has no effect because workload.launch_prefetch is none"},
        {"requests: 7}", "workload.requests: launches end by their number"},
        {"rate_iops: 7}", "workload.rate_iops: launches have a time of their own"},
        {"mode: open}", "workload.mode: launches issue a read when"},
        {"launch_apps: 5}", "5 applications are more than the 4 launches"},
        {"launch_prefetch: fats}", "did you mean 'fast'"},
        {"launch_bs: 1000}", "is not a multiple of 512"},
        {"launch_reads: 100000, launch_bs: 32m}", "more than half of the device"},
    });
    expect_all({
        {"workload: {launch_noise: 5}", "has no effect because workload.launches is none"},
        {"workload: {jobs: [{launches: 4}, {rw: randread, requests: 5}]}", ""},
    });
}

TEST(Check, PrefetchKeysNeedAModeAndAPolicy)
{
    expect_all({
        {"prefetch: {mode: fast, lead: 16, depth: 4, share: 0.1, yield: false}", ""},
        {"prefetch: {mode: none}", ""},
        {"prefetch: {match: 4}", "has no effect because prefetch.mode is none"},
        {"prefetch: {mode: baseline, depth: 4}", "has no effect because prefetch.mode is baseline"},
        {"prefetch: {mode: two_phase, lead: 4}", "has no effect because prefetch.mode is two_phase"},
        {"prefetch: {mode: fast}\nbuffer: {policy: none}", "has no effect because buffer.policy is none"},
        {"prefetch: {mode: two_phases}", "did you mean 'two_phase'"},
        {"prefetch: {mode: fast}\nbuffer: {policy: $}",
         "prefetch.mode: policy $ gives up no single page", kSetPolicies},
        {"prefetch: {mode: fast, share: 0.001}\nbuffer: {size_mib: 1}",
         "prefetch.share: 0.001 of 128 pages hold none"},
    });
}

TEST(Check, CoresExist)
{
    expect_all({
        {"cpu: {cores: 2, core_of: {ftl: 1}}", ""},
        {"cpu: {cores: 2, core_of: {ftl: 2}}", "t.yaml:1:32: cpu.core_of.ftl: there is no core 2; cpu.cores is 2"},
        {"cpu: {core_of: {$: 1}}", "cpu.core_of.$: there is no core 1", {"hil", "buffer", "sched"}},
    });
}

TEST(Check, CommandCyclesAreTheNativeCpus)
{
    expect_all({
        {"cpu: {command_cycles: 8400}", ""},
        {"cpu: {command_cycles: 0, model: iss}", ""},
        {"cpu: {command_cycles: 8400, model: iss}", "cpu.command_cycles: are charged by cpu.model: native only"},
        {"cpu: {command_cycles: 1000001}", "cpu.command_cycles"},
    });
}

TEST(Check, DeepQueuesOnSataNeedExtendedTags)
{
    expect_all({
        {"host: {queue_depth: 33}", "host.queue_depth: 33 is more than the 32 tags of NCQ"},
        {"host: {queue_depth: 33}\nsata: {extended_tags: true}", ""},
        {"host: {queue_depth: 256}\nsata: {extended_tags: true}", ""},
        {"host: {queue_depth: 257}\nsata: {extended_tags: true}",
         "host.queue_depth: 257 is more than the 256 of sata.extended_tags"},
        {"host: {queue_depth: 1024, kind: $}", "", {"direct", "nvme"}},
        {"host: {queue_depth: 1025, kind: $}", "out of range", {"direct", "nvme"}},
    });
}

TEST(Check, NvmeKeysNeedTheirHost)
{
    expect_all({
        {"host: {kind: nvme}\nnvme: {queues: 2, steer: round_robin}\npcie: {generation: 4}", ""},
        {"nvme: {queues: 2}", "nvme.queues: has no effect because host.kind is sata"},
        {"pcie: {lanes: 2}", "pcie.lanes: has no effect because host.kind is sata"},
        {"host: {kind: nvme}\nnvme: {steer: round_robin}", "nvme.steer: has no effect because nvme.queues is 1"},
        {"host: {kind: nvme}\nnvme: {queues: 2, high_weight: 9}",
         "nvme.high_weight: has no effect because nvme.arbitration is round_robin"},
    });
}

TEST(Check, NvmeClassesAreWords)
{
    const std::string head = "host: {kind: nvme}\nnvme: {queues: 2, arbitration: weighted, classes: ";
    EXPECT_EQ(from(head + "'urgent,high,medium,low'}").nvme.classes, "uhml");
    EXPECT_EQ(from(head + "low}").nvme.classes, "l");
    expect_all(head, {
        {"'high,,low'}", "'' is no class; urgent, high, medium or low"},
        {"hi}", "'hi' is no class"},
    });
}

TEST(Check, PcieSizesArePowersOfTwo)
{
    const std::string head = "host: {kind: nvme}\npcie: {";
    expect_all(head, {
        {"lanes: 3}", "pcie.lanes: 3 is not a power of two"},
        {"max_payload: 300}", "pcie.max_payload: 300 is not a power of two"},
        {"generation: 6}", "out of range"},
        {"read_request: 128, read_tags: 31}",
         "pcie.read_tags: 31 reads of 128 bytes do not get a host page; needs at least 32"},
        {"read_request: 128, read_tags: 32}", ""},
    });
}

TEST(Check, FreePagesAreAnEighthOfTheBufferAtMost)
{
    const std::string buffer = "nand: {page_bytes: 8192, spare_bytes: 448}\nbuffer: {size_mib: 2"; // 256 page buffers
    EXPECT_EQ(from(buffer + "}").buffer.free_pages, 32u);
    EXPECT_EQ(from(buffer + "0}").buffer.free_pages, 64u); // of 2560
    EXPECT_EQ(from(buffer + ", free_pages: 32}").buffer.free_pages, 32u);
    expect_all(buffer, {
        {", free_pages: 33}", "buffer.free_pages: 33 are more than an eighth of the buffer's 256 page buffers"},
        {", free_pages: 8, evict: on_demand}", "has no effect because buffer.evict is on_demand"},
        {", free_pages: 8, policy: none}", "has no effect because buffer.policy is none"},
    });
    EXPECT_EQ(from(buffer + "}\nftl: {mapping_unit: 4KiB}").buffer.free_pages, 64u); // 512 of 4 KiB
}

TEST(Check, QueuedTrimIsAFlagOffByDefault)
{
    EXPECT_FALSE(from("{}").sata.queued_trim);
    EXPECT_TRUE(from("sata: {queued_trim: true}").sata.queued_trim);
    expect_all({
        {"sata: {queued_trim: 2}", "t.yaml:1:21: sata.queued_trim: ..."},
        {"sata: {queud_trim: true}", "queued_trim"},
        {"host: {kind: direct}\nsata: {queued_trim: true}",
         "sata.queued_trim: has no effect because host.kind is direct"},
    });
}

TEST(Check, SataKeysThatNeedOthers)
{
    expect_all({
        {"sata: {ncq: false}", "host.queue_depth: 32 commands at once need NCQ; set it to 1"},
        {"sata: {ncq: false}\nhost: {queue_depth: 1}", ""},
        {"sata: {ncq: false, queued_trim: true}\nhost: {queue_depth: 1}", "sata.queued_trim: needs NCQ"},
        {"sata: {retries: 3}", "sata.retries: has no effect because sata.bit_error_rate is 0"},
        {"sata: {comreset_us: 3}", "sata.comreset_us: has no effect"},
        {"sata: {retries: 3, bit_error_rate: 1e-9, comreset_us: 500}", ""},
        {"sata: {bit_error_rate: 0.1}", "out of range"},
        {"sata: {fifo_kib: 7}", "out of range: 8 to 1024, or unlimited"},
        {"sata: {fifo_kib: 8}", ""},
        {"sata: {link: slow}", "sata.link: "},
    });
    EXPECT_EQ(from("sata: {link: full}").hash, from("{}").hash); // the same results
    EXPECT_NE(from("sata: {bit_error_rate: 1e-9}").hash, from("{}").hash);
}

TEST(Check, BufferHolds64PagesAndAtMost1024Mib)
{
    expect_all({
        {"buffer: {size_mib: 0.5}", ""}, // 64 x 8 KiB
        {"buffer: {size_mib: 0.49}", "buffer.size_mib: 0.489999"},
        {"buffer: {size_mib: 0.49}", "needs at least 0.5"},
        {"buffer: {size_mib: 1024}", ""},
        {"buffer: {size_mib: 1025}", "out of range"},
    });
}

TEST(Check, BufferKeysNeedTheirPolicy)
{
    expect_all({
        {"buffer: {write: through, flush_after_ms: 5}",
         "buffer.flush_after_ms: has no effect because buffer.write is through"},
        {"buffer: {$}", "", {"reads: cached", "write: through", "read_ahead: 4", "flush_after_ms: 5"}},
        {"buffer: {policy: none, $}", "has no effect because buffer.policy is none",
         {"reads: cached", "write: through", "read_ahead: 4", "flush_after_ms: 5"}},
        {"buffer: {$}", "has no effect because buffer.policy is lru",
         {"block_pages: 16", "victim_window: 0.5", "victim_blocks: 64", "page_padding: true", "hot_blocks: 0"}},
        {"buffer: {policy: $, block_pages: 16}", "", {"ref", "fab", "bplru", "clc"}},
        {"buffer: {policy: ref, $}", "", {"victim_window: 0.5", "victim_blocks: 64"}},
        {"buffer: {policy: bplru, page_padding: true}", ""},
        {"buffer: {policy: clc, hot_blocks: 0}", ""},
        {"buffer: {policy: ref, victim_window: 0}", "out of range"},
        {"buffer: {policy: ref, victim_blocks: 65}", "out of range"},
        {"buffer: {policy: fab, block_pages: 0}", "out of range"},
        {"buffer: {policy: fba}", "did you mean 'fab'?"},
        {"buffer: {write: trough}", "did you mean 'through'?"},
        {"scheduler: sost\nsost: {return_reads: 2}\nbuffer: {write: through}",
         "has no effect because buffer.write is through"},
    });
}

TEST(Check, WriteThroughKeepsSomething)
{
    expect_all({
        {"buffer: {write: through, reads: bypass}", "t.yaml:1:17: buffer.write: through: nothing would be kept..."},
        {"buffer: {write: through, policy: bplru}", "set buffer.reads: cached"},
        {"buffer: {write: through, policy: bplru, reads: cached}", ""},
    });
}

TEST(Check, ReadAheadIsAnEighthOfTheBufferAtMost)
{
    expect_all({
        {"buffer: {size_mib: 1, read_ahead: 16}", ""}, // 128 pages of 8 KiB
        {"buffer: {size_mib: 1, read_ahead: 17}",
         "t.yaml:1:35: buffer.read_ahead: 17 pages are more than an eighth of the buffer's 128"},
    });
}

TEST(Check, BlocksOfTheBufferFollowTheFlash)
{
    EXPECT_EQ(from("geometry: {pages: 96}").buffer.block_pages, 96u);
    EXPECT_EQ(from("buffer: {policy: clc, block_pages: 8}").buffer.block_pages, 8u);
    EXPECT_TRUE(from("buffer: {policy: clc}").buffer.reads_bypass());
    EXPECT_TRUE(from("buffer: {policy: bplru}").buffer.reads_bypass());
    EXPECT_FALSE(from("buffer: {policy: bplru, reads: cached}").buffer.reads_bypass());
    EXPECT_FALSE(from("buffer: {policy: fab}").buffer.reads_bypass());
    EXPECT_TRUE(from("buffer: {reads: bypass}").buffer.reads_bypass());
}

TEST(Check, GeneratorsEndAndFitTheDevice)
{
    expect_all({
        {"workload: {requests: unlimited}",
         "t.yaml:1:22: workload.requests: a generated workload needs a number, or an end by io_size, "
         "loops, number_ios or runtime_ms"},
        {"workload: {mode: open}", "workload.mode: open needs a trace"},
        {"workload: {bs: 1000}", "1000 is not a multiple of 512"},
        {"workload: {mode: open, rate_iops: 100}", ""},
        {"workload: {size: 2k}",
         "t.yaml:1:18: workload.size: a request of 4096 bytes does not fit into the 2048 bytes that are used"},
        {"workload: {requests: unlimited, runtime_ms: 5}", ""},
    });
}

TEST(Check, KeysWithoutEffectAreErrors)
{
    expect_all({
        {"workload: {rwmixread: 70}",
         "t.yaml:1:23: workload.rwmixread: has no effect because workload.rw is randread"},
        {"workload: {rw: randrw, rwmixread: 70}", ""},
        {"workload: {rw: read, random_distribution: 'zipf:1.2'}", "because workload.rw is read"},
        {"workload: {random_distribution: 'zipf:1.2', norandommap: false}",
         "because workload.random_distribution is \"zipf:1.2\""},
        {"workload: {bssplit: 4k/100, bs: 4k}", "workload.bs: has no effect because workload.bssplit is \"4k/100\""},
        {"workload: {rw: rw, reads: 1, writes: 1, rwmixread: 50}", "'rw' is not"},
        {"workload: {rw: randrw, reads: 1, writes: 1, rwmixread: 50}",
         "workload.rwmixread: has no effect because workload.reads is 1"},
        {"workload: {rate_process: poisson}", "because workload.rate_iops is none"},
        {"workload: {thinktime_blocks: 2}", "because workload.thinktime_us is 0"},
        {"workload: {mode: open, rate_iops: 5, thinktime_us: 2}", "because workload.mode is open"},
        {"workload: {rw: randread, $}",
         "because workload.rw is randread", {"fua: true", "flush_every: 3", "trim_percent: 5"}},
        {"workload: {rw: randwrite, $}", "", {"fua: true", "flush_every: 3", "trim_percent: 5"}},
        {"workload: {launches: 3, loops: 2}", "workload.loops: has no effect because workload.launches is 3"},
        {"workload: {locality_footprint: 64m, loops: 2}",
         "workload.loops: has no effect because workload.locality_footprint is "},
        {"workload: {rw: read, loops: 2}", ""},
        {"workload: {$}", "has no effect because workload.trace is not given",
         {"format: spc", "lenient: true", "devices: concat", "time_scale: 2", "blkparse_action: Q"}},
    });
}

TEST(Check, DramPart)
{
    const std::string timing = "dram: {model: banks, timing: {";
    expect_all(timing, {
        {"clock_ns: 1.5}}", ""},
        {"banks: 6}}", "dram.timing.banks: 6 is not a power of two"},
        {"row_bytes: 3000}}", "dram.timing.row_bytes: 3000 is not a power of two"},
        {"bus_bits: 24}}", "dram.timing.bus_bits: 24 is not a power of two"},
        {"burst: 1}}", "1 beats are not whole clocks of 2 beats"},
        {"row_bytes: 64, bus_bits: 128}}", "a row of 64 bytes holds no burst of 128"},
        {"t_refi_us: 0.3}}", "less than half its time"},
        {"t_refi_us: never}}", ""}, // no refresh
    });
    expect_all({
        {"dram: {timing: {banks: 8}}", "dram.model"},
        {"dram: {model: banks, mb_per_s: 800}", "dram.model"},
        {"dram: {model: bank}", "banks"},
    });
}

TEST(Check, DramArbitration)
{
    expect_all({
        {"dram: {arbitration: round_robin, grant_bytes: 512}", ""},
        {"dram: {arbitration: priority, priority: cpu_link_flash, passed_over: 3}", ""},
        {"dram: {arbitration: priorty}", "priority"},
        {"dram: {arbitration: priority, priority: link_flash}", "link_flash_cpu"},
        {"dram: {arbitration: round_robin, grant_bytes: 768}", "dram.grant_bytes: 768 is not a power of two"},
        {"dram: {arbitration: round_robin, grant_bytes: 128}", "dram.grant_bytes"},
        {"dram: {grant_bytes: 512}", "because dram.arbitration is fcfs"},
        {"dram: {arbitration: round_robin, passed_over: 4}", "because dram.arbitration is round_robin"},
        {"dram: {arbitration: priority}\nsata: {fifo_kib: 64}", "sata.fifo_kib: 64"},
        {"dram: {arbitration: priority}\ncontroller: {kind: rtl}", "controller.kind: rtl"},
    });
}

} // namespace
} // namespace tlmssd::config
