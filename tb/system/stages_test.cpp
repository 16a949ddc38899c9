// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the stages of one request by hand (docs/stages.md has the same tables), and their sums under
// load. A request whose stages do not add up to its latency ends the run with status 3.
#include <cmath>
#include <map>
#include <tuple>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using observe::Json;

const char* const kStages[] = {"link",     "hil",      "buffer", "ftl",      "sched",
                               "wait_die", "wait_bus", "cell",   "transfer", "dram"};

// ---- one request, alone: the numbers of docs/latency.md ----

constexpr u64 kCycle = 1250; // ps, at 800 MHz
constexpr u64 STEP = 20, MESSAGE = 12, HIL_COMMAND = 40, HIL_PAGE = 15, HIL_DMA = 25;
constexpr u64 HIL_COMPLETE = 20, BUFFER_LOOKUP = 25, BUFFER_SLOT = 25, FTL_LOOKUP = 25;
constexpr u64 FTL_UPDATE = 45, FTL_ALLOCATE = 30, SCHED_ENQUEUE = 15, SCHED_DECIDE = 15;
constexpr u64 SCHED_SUBMIT = 35, SCHED_COMPLETE = 20;
constexpr u64 kToBuffer = STEP + HIL_COMMAND + HIL_PAGE + MESSAGE;
constexpr u64 kFromBuffer = BUFFER_LOOKUP + BUFFER_SLOT + MESSAGE;
constexpr u64 kDone = STEP + SCHED_COMPLETE + MESSAGE; // sched, after the flash operation
constexpr u64 kDram = 1380000;                         // 100 ns + 4096 B at 3200 MB/s
// 40 bits at 6 Gb/s with 2 ALIGN in 256 dwords: 6718.75 ps; 23 dwords of framing and handshake.
constexpr u64 frame(u64 dwords) { return ((dwords + 23) * 671875 + 99) / 100; }

std::string device(const std::string& nand)
{
    return "nand: {" + nand + R"(, t_read_us: 50, t_program_us: 900, array_variation: 0}
geometry: {channels: 1, ways: 1, dies: 2, chip_enables: 2, planes: 1, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
cpu: {mhz: 800}
controller: {ecc_us: 1}
dram: {mb_per_s: 3200, access_ns: 100}
sata: {gbps: 6, handshake_dwords: 20}
host: {queue_depth: 1}
ftl: {over_provisioning: 1.2}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 0.5}
)";
}

using Expected = std::map<std::string, u64>;

Expected read_stages(bool sata)
{
    return {
        {"link", sata ? frame(5) + frame(1025) + frame(2) : 0},
        {"hil", (kToBuffer + HIL_DMA) * kCycle},
        {"buffer", (kFromBuffer + MESSAGE) * kCycle},
        {"ftl", (FTL_LOOKUP + MESSAGE + MESSAGE) * kCycle},
        {"sched", (SCHED_ENQUEUE + SCHED_DECIDE + SCHED_SUBMIT + kDone) * kCycle},
        {"wait_die", 0},
        {"wait_bus", 0},
        {"cell", 50100000},               // tWB 100 ns + tR 50 us
        {"transfer", 330000 + 21660000},  // 00h..30h; data out
        {"dram", kDram + 1000000 + kDram} // flash DMA, ECC, host DMA
    };
}

Expected write_stages(bool sata)
{
    return {
        {"link", sata ? frame(5) + frame(7) + frame(1025) + frame(2) : 0},
        {"hil", (kToBuffer + HIL_DMA + STEP + MESSAGE + BUFFER_SLOT + HIL_COMPLETE) * kCycle},
        {"buffer", (kFromBuffer + MESSAGE + MESSAGE) * kCycle},
        {"ftl", (FTL_ALLOCATE + MESSAGE + FTL_UPDATE + MESSAGE + MESSAGE) * kCycle},
        {"sched", (SCHED_ENQUEUE + MESSAGE + SCHED_DECIDE + SCHED_SUBMIT + kDone) * kCycle},
        {"wait_die", 0},
        {"wait_bus", 0},
        {"cell", 900100000},             // tWB 100 ns + tPROG 900 us
        {"transfer", 22360000 + 215000}, // 80h, data, 10h; status
        {"dram", kDram}                  // host DMA
    };
}

void expect_stages(const config::Config& config, const Expected& expected, const char* kind)
{
    const Device run(config);
    run.expect_clean();
    const Json& stages = run.results()["stages"];
    u64 sum = 0;
    for (const auto& [name, ps] : expected) {
        EXPECT_EQ(std::llround(stages[name + "_us"]["mean"].get<double>() * 1e6), ps) << name;
        EXPECT_EQ(stages[kind][name + "_us"]["mean"], stages[name + "_us"]["mean"]) << name;
        sum += ps;
    }
    EXPECT_EQ(std::llround(run.results()["host"][kind]["latency_us"]["mean"].get<double>() * 1e6),
              sum);
    const Json& worst = run.results()["worst"];
    ASSERT_EQ(worst.size(), 1u);
    EXPECT_EQ(worst[0]["stages_us"]["cell"], stages["cell_us"]["mean"]);
    EXPECT_EQ(worst[0]["flash_ops"], 1);
    EXPECT_EQ(worst[0]["hit"], false);
}

config::Config one_read(const Sets& sets)
{
    return configured(device("page_bytes: 8192, spare_bytes: 448") +
                          "workload: {rw: randread, bs: 4096, size: 25%, requests: 1}",
                      sets);
}

config::Config one_write(const Sets& sets)
{
    return configured(device("page_bytes: 4096, spare_bytes: 224") +
                          "workload: {rw: randwrite, bs: 4096, requests: 1}",
                      sets);
}

TEST(StagesOfOneRequest, ReadOnTheDirectPort)
{
    expect_stages(one_read({"host.kind=direct"}), read_stages(false), "reads");
}

TEST(StagesOfOneRequest, ReadOverSata)
{
    expect_stages(one_read({"host.kind=sata"}), read_stages(true), "reads");
}

TEST(StagesOfOneRequest, WriteOnTheDirectPort)
{
    expect_stages(one_write({"host.kind=direct"}), write_stages(false), "writes");
}

TEST(StagesOfOneRequest, WriteOverSata)
{
    expect_stages(one_write({"host.kind=sata"}), write_stages(true), "writes");
}

TEST(StagesOfOneRequest, WriteIntoTheCacheNeverSeesFlash)
{
    const Device run(one_write({"host.kind=direct", "buffer.policy=lru", "precondition.fill=0"}));
    run.expect_clean();
    const Json& stages = run.results()["stages"];
    // Acknowledged by the buffer: 62 cycles before the data, one message after them.
    EXPECT_EQ(std::llround(stages["buffer_us"]["mean"].get<double>() * 1e6),
              (kFromBuffer + MESSAGE) * kCycle);
    for (const char* name : {"ftl", "sched", "wait_die", "wait_bus", "cell", "transfer"}) {
        EXPECT_EQ(stages[std::string(name) + "_us"]["mean"], 0.0) << name;
    }
    EXPECT_EQ(run.results()["worst"][0]["flash_ops"], 0);
}

TEST(StagesOfOneRequest, OffLeavesTheRestAsItIs)
{
    const Device run(one_read({"host.kind=direct", "observe.stages=false"}));
    run.expect_clean();
    EXPECT_TRUE(run.results()["stages"].is_null());
    EXPECT_TRUE(run.results()["worst"].empty());
    EXPECT_EQ(run.host().reads.latency.max().value(), 76290000u); // docs/latency.md
}

// ---- under load ----

/// Means of the stages against the mean latency, and the list of the slowest.
void expect_sums(const Device& run)
{
    const Json& results = run.results();
    for (const char* kind : {"", "reads", "writes"}) {
        const std::string name = kind;
        const Json& stages = name.empty() ? results["stages"] : results["stages"][name];
        const Json& host = results["host"][name.empty() ? "all" : name];
        if (host["count"] == 0) {
            EXPECT_TRUE(stages["cell_us"]["mean"].is_null());
            continue;
        }
        double sum = 0;
        for (const char* stage : kStages) {
            const double mean = stages[std::string(stage) + "_us"]["mean"];
            EXPECT_GE(mean, 0.0) << name << ' ' << stage;
            sum += mean;
        }
        const double mean = host["latency_us"]["mean"];
        EXPECT_NEAR(sum, mean, 1e-9 * mean) << name;
    }
    const Json& worst = results["worst"];
    const u64 requests = results["host"]["all"]["count"];
    ASSERT_EQ(worst.size(), std::min<u64>(100, requests));
    EXPECT_EQ(worst[0]["latency_us"], results["host"]["all"]["latency_us"]["max"]);
    double before = worst[0]["latency_us"];
    for (const Json& w : worst) {
        double sum = 0;
        for (const char* stage : kStages) {
            sum += w["stages_us"][stage].get<double>();
        }
        const double latency = w["latency_us"];
        EXPECT_LE(latency, before);
        EXPECT_NEAR(sum, latency, 1e-9 * latency);
        EXPECT_GT(w["cause"].get<std::string>().size(), 20u) << w["cause"];
        before = latency;
    }
    u64 reads = 0, writes = 0;
    for (const Json& point : results["series"]["points"]) {
        reads += point["reads"].get<u64>();
        writes += point["writes"].get<u64>();
    }
    EXPECT_EQ(reads, results["host"]["reads"]["count"]);
    EXPECT_EQ(writes, results["host"]["writes"]["count"]);
}

std::string mix(u32 bytes, u32 requests)
{
    return tiny_device() + R"(
workload: {rw: randrw, rwmixread: 45, flush_every: 37, trim_percent: 6, bs: )" +
           std::to_string(bytes) + ", requests: " + std::to_string(requests) + "}\n";
}

using Parameters = std::tuple<const char*, const char*, const char*, u32, u32>;

class StagesUnderLoad : public testing::TestWithParam<Parameters> {};

TEST_P(StagesUnderLoad, AddUpToTheLatency)
{
    const auto [scheduler, policy, host, cores, bytes] = GetParam();
    Sets sets{std::string("scheduler=") + scheduler, std::string("buffer.policy=") + policy,
              std::string("host.kind=") + host};
    if (cores == 4) {
        for (const char* set : {"cpu.cores=4", "cpu.core_of.hil=3", "cpu.core_of.buffer=2",
                                "cpu.core_of.ftl=1", "cpu.core_of.sched=0"}) {
            sets.push_back(set);
        }
    }
    const Device run(mix(bytes, bytes < 8192 ? 4000 : 1500), sets);
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_runs, 0u);
    expect_sums(run);
}

std::string name_of_load(const testing::TestParamInfo<Parameters>& info)
{
    const auto [scheduler, policy, host, cores, bytes] = info.param;
    return std::string(scheduler) + "_" + policy + "_" + host + "_" + std::to_string(cores) +
           "cores_" + std::to_string(bytes) + "B";
}

INSTANTIATE_TEST_SUITE_P(
    System, StagesUnderLoad,
    testing::Combine(testing::Values("serial", "barrier", "inorder", "vaq", "host", "paq0", "paq2", "sost",
                                     "hybrid"),
                     testing::Values("none", "lru"), testing::Values("direct", "sata"),
                     testing::Values(1u, 4u), testing::Values(2048u, 20480u)),
    name_of_load);

class StagesWith : public testing::TestWithParam<std::pair<const char*, Sets>> {};

TEST_P(StagesWith, AddUpToTheLatency)
{
    Sets sets = GetParam().second;
    const Device run(mix(12288, 1500), sets);
    EXPECT_EQ(run.status(), platform::RunStatus::Done) << run.failure_text();
    const Json& fraction = run.results()["bound"]["fraction_of_bound"];
    EXPECT_GT(fraction.get<double>(), 0.0);
    EXPECT_LE(fraction.get<double>(), 1.0);
    expect_sums(run);
}

INSTANTIATE_TEST_SUITE_P(
    System, StagesWith,
    testing::Values(
        std::pair{"fua", Sets{"workload.fua=true", "buffer.policy=lru"}},
        std::pair{"whole_bytes", Sets{"data=full", "buffer.policy=lru"}},
        std::pair{"the_kernels_timers", Sets{"time.backend=kernel"}},
        std::pair{"one_line_a_chip_enable",
                  Sets{"onfi.ready=target", "geometry.chip_enables=1"}},
        std::pair{"status_polls", Sets{"onfi.ready=status", "onfi.poll_us=3"}},
        std::pair{"background_write_back", Sets{"buffer.policy=lru", "buffer.flush_after_ms=1"}},
        std::pair{"out_of_order",
                  Sets{"scheduler=host", "controller.streams=per_request",
                       "controller.priorities=reads_first"}},
        std::pair{"few_tags", Sets{"controller.tags=16"}},
        std::pair{"four_planes_joined",
                  Sets{"scheduler=vaq", "geometry.planes=4", "geometry.channels=1"}},
        std::pair{"bit_errors_and_retries",
                  Sets{"nand.errors.enabled=true", "nand.errors.e=2e-3", "nand.errors.a=0",
                       "nand.errors.b=0", "nand.errors.g=0", "controller.ecc_bits=12",
                       "nand.errors.retry_levels=4", "controller.read_retries=4"}},
        std::pair{"failing_programs",
                  Sets{"nand.errors.enabled=true", "nand.errors.e=0", "nand.errors.a=0",
                       "nand.errors.b=0", "nand.errors.g=0", "nand.errors.program_fail=0.001"}}),
    [](const auto& p) { return p.param.first; });

} // namespace
} // namespace tlmssd::tb
