// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the stages of one request by hand (docs/explanation/latency.md has the same tables), and their sums under
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

// ---- one request, alone: the numbers of docs/explanation/latency.md ----

constexpr u64 kCycle = 1250; // ps, at 800 MHz
#define COST(id, cycles, text) constexpr u64 id [[maybe_unused]] = cycles;
#include "firmware/hal/costs.def"
#undef COST
constexpr u64 kWake = STEP + EVENT;
// A page is in the next module when the message has been sent; taking it is that module's.
constexpr u64 kToBuffer = kWake + HIL_COMMAND + HIL_ASK + HIL_PAGE + MESSAGE_LOCAL;
constexpr u64 kToHost = MESSAGE_TAKE + HIL_READY + HIL_DMA;
constexpr u64 kFound = MESSAGE_TAKE + BUFFER_LOOKUP + BUFFER_TAKE + BUFFER_SERVE;
constexpr u64 kGranted = kFound + BUFFER_WRITE + MESSAGE_LOCAL;
constexpr u64 kReceived = MESSAGE_TAKE + BUFFER_RECEIVED + BUFFER_DIRTY;
constexpr u64 kEnqueued = MESSAGE_TAKE + SCHED_MESSAGE + SCHED_ENQUEUE;
constexpr u64 kSubmitted = SCHED_LOOK + SCHED_PLANE + SCHED_SUBMIT;
constexpr u64 kDone = kWake + SCHED_COMPLETE + SCHED_DONE + MESSAGE_LOCAL; // after the flash operation
constexpr u64 kFtlDone = MESSAGE_TAKE + FTL_DONE + MESSAGE_LOCAL;
constexpr u64 kDram = 1380000;                         // 100 ns + 4096 B at 3200 MB/s
// 40 bits at 6 Gb/s with 2 ALIGN in 256 dwords: 6718.75 ps; 23 dwords of framing and handshake.
constexpr u64 frame(u64 dwords) { return ((dwords + 23) * 671875 + 99) / 100; }

using Expected = std::map<std::string, u64>;

Expected read_stages(bool sata)
{
    return {
        {"link", sata ? frame(5) + frame(1025) + frame(2) : 0},
        {"hil", (kToBuffer + kToHost) * kCycle},
        // The buffer notes that the request waits when the message to the FTL has been sent already.
        {"buffer", (kFound + BUFFER_LOAD + BUFFER_OP + MESSAGE_LOCAL + BUFFER_WAIT +
                    MESSAGE_TAKE + BUFFER_OP_DONE + BUFFER_LOADED + BUFFER_SETTLE + BUFFER_WAITED +
                    BUFFER_SERVE + BUFFER_READ + MESSAGE_LOCAL) * kCycle},
        {"ftl", (MESSAGE_TAKE + FTL_LOOKUP + FTL_ADDRESS + FTL_ROW + MESSAGE_LOCAL +
                 kFtlDone) * kCycle},
        {"sched", (kEnqueued + kSubmitted + kDone) * kCycle},
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
        // The core frees the page buffer before it closes the command.
        {"hil", (kToBuffer + kToHost + kWake + HIL_DMA_DONE + MESSAGE_LOCAL + BUFFER_SETTLE +
                 BUFFER_GIVE + MESSAGE_TAKE + HIL_PAGE_DONE + HIL_COMPLETE + HIL_STATUS) * kCycle},
        {"buffer", (kGranted + kReceived + BUFFER_PROGRAM + BUFFER_OP + MESSAGE_LOCAL + MESSAGE_TAKE +
                    BUFFER_OP_DONE + BUFFER_PROGRAMMED + BUFFER_DIRTY + MESSAGE_LOCAL) * kCycle},
        {"ftl", (MESSAGE_TAKE + FTL_ALLOCATE + FTL_PROMISE + FTL_ADDRESS + MESSAGE_LOCAL +
                 MESSAGE_TAKE + FTL_WRITE_POINT + FTL_ASSIGN + FTL_ROW + FTL_UPDATE + FTL_INVALIDATE +
                 6 * GC_INDEX + // of 24 blocks, whose page it replaces: up to the root of 32
                 MESSAGE_LOCAL + kFtlDone) * kCycle},
        {"sched", (kEnqueued + MESSAGE_LOCAL + MESSAGE_TAKE + SCHED_MESSAGE + SCHED_OOB + kSubmitted +
                   kDone) * kCycle},
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
    return configured(one_command_device("page_bytes: 8192, spare_bytes: 448") +
                          "workload: {rw: randread, bs: 4096, size: 25%, requests: 1}",
                      sets);
}

config::Config one_write(const Sets& sets)
{
    return configured(one_command_device("page_bytes: 4096, spare_bytes: 224") +
                          "workload: {rw: randwrite, bs: 4096, size: 25%, requests: 1}",
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
    // Acknowledged by the buffer once the data have come.
    EXPECT_EQ(std::llround(stages["buffer_us"]["mean"].get<double>() * 1e6),
              (kGranted + kReceived + MESSAGE_LOCAL) * kCycle);
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
    u64 sum = 0;
    for (const auto& [name, ps] : read_stages(false)) {
        sum += ps;
    }
    EXPECT_EQ(run.host().reads.latency.max().value(), sum);
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
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
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
