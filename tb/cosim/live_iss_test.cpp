// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cpu.model: iss in a whole device: where time does not matter it does what the native CPU does.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/cpu/iss/iss_elf.h"
#include "models/cpu/steps/steps_replay.h"
#include "models/run/simulation.h"
#include "tb/cpu/iss_support.h"
#include "tb/support/devices.h"

namespace tlmssd::run {
namespace {

/// One command at a time, no background write-back: what happens does not depend on how long the CPU
/// takes. Garbage collection, partial pages, FLUSH and TRIM all occur.
const std::string kDevice = tb::tiny_flash() + R"(host: {kind: direct, queue_depth: 1}
ftl: {over_provisioning: 0.5}
buffer: {policy: lru, size_mib: 1}
precondition: {fill: 1.0, overwrite: 0.2}
workload: {rw: randrw, bs: 6144, rwmixread: 50, requests: 600, flush_every: 100, trim_percent: 5}
)";

struct Outcome {
    RunStatus status = RunStatus::Failed;
    observe::Json results;
    std::string failures;
};

Outcome run(const std::vector<std::string>& sets, const std::string& steps = "",
            const std::string& timeline = "")
{
    RunOptions options;
    options.steps = steps;
    options.recordings.timeline = timeline;
    const config::Config config = config::load_text(kDevice, "test", config::Overrides{sets});
    Simulation simulation(config, options);
    Outcome o;
    o.status = simulation.run();
    o.results = simulation.results(o.status);
    for (const std::string& failure : simulation.failures()) {
        o.failures += failure + "\n";
    }
    return o;
}

/// A process has one simulation: the native run leaves its results in a file.
Outcome run_in_child(const std::vector<std::string>& sets, const std::string& timeline = "")
{
    const std::string file = testing::TempDir() + "tlmssd_native_" + std::to_string(::getpid());
    const pid_t child = ::fork();
    if (child == 0) {
        const Outcome o = run(sets, "", timeline);
        std::ofstream(file) << o.results.dump();
        ::_exit(o.status == RunStatus::Done ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    Outcome o;
    o.status = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? RunStatus::Done : RunStatus::Failed;
    std::ifstream in(file);
    o.results = observe::Json::parse(std::string(std::istreambuf_iterator<char>(in), {}), nullptr, false);
    std::remove(file.c_str());
    return o;
}

/// What does not depend on time: operations, pages, hits, wear, what was read and written.
observe::Json timeless(const observe::Json& r)
{
    observe::Json out;
    out["flash"] = r["flash"]["ops"];
    out["ftl"] = r["ftl"];
    out["buffer"] = r["buffer"];
    out["sched"] = r["sched"]["multi_plane_ops"];
    for (const char* kind : {"reads", "writes"}) {
        out[kind]["count"] = r["host"][kind]["count"];
        out[kind]["bytes"] = r["host"][kind]["bytes"];
    }
    out["integrity"] = r["integrity"];
    return out;
}

std::vector<std::string> schedulers()
{
    return {
#define SCHED(id, name, mode, traits, text) #name,
#include "firmware/hal/sched.def"
#undef SCHED
    };
}

class LiveIss : public testing::TestWithParam<std::string> {};

TEST_P(LiveIss, DoesWhatTheNativeCpuDoes)
{
    TLMSSD_NEEDS_ISS();
    std::vector<std::string> sets{"scheduler=" + GetParam(), "cpu.mhz=100000"};
    const Outcome native = run_in_child(sets);
    ASSERT_EQ(native.status, RunStatus::Done);
    sets.push_back("cpu.model=iss");
    const Outcome iss = run(sets);
    ASSERT_EQ(iss.status, RunStatus::Done) << iss.failures;
    EXPECT_EQ(iss.results["integrity"]["mismatches"], 0);
    EXPECT_GT(iss.results["integrity"]["pages_checked"], 100);
    EXPECT_GT(iss.results["ftl"]["gc"]["blocks_erased"], 0);
    observe::Json executed = timeless(iss.results), linked = timeless(native.results);
    if (GetParam() == "hybrid") { // it collects while the host is quiet, which is a matter of time
        EXPECT_EQ(executed["ftl"]["host_pages_written"], linked["ftl"]["host_pages_written"]);
        for (const char* part : {"flash", "ftl", "sched"}) {
            executed[part] = linked[part];
        }
    }
    EXPECT_EQ(executed, linked);
}

INSTANTIATE_TEST_SUITE_P(Schedulers, LiveIss, testing::ValuesIn(schedulers()),
                         [](const auto& p) { return p.param; });

/// Wait states cost the same however the module counts them: all times are equal.
TEST(LiveIssWaits, AreThoseOfADocumentedUnicorn)
{
    TLMSSD_NEEDS_ISS();
    ::setenv("TLMSSD_ISS_PLAIN", "1", 1);
    Outcome plain = run_in_child({"cpu.model=iss", "host.queue_depth=32"});
    ::unsetenv("TLMSSD_ISS_PLAIN");
    ASSERT_EQ(plain.status, RunStatus::Done);
    Outcome inside = run({"cpu.model=iss", "host.queue_depth=32"});
    ASSERT_EQ(inside.status, RunStatus::Done) << inside.failures;
    plain.results.erase("wall");
    inside.results.erase("wall");
    EXPECT_GT(inside.results["cpu"]["iss"]["core_cycles"][0], 1000000);
    EXPECT_EQ(inside.results, plain.results);
}

class LiveIssDeep : public testing::TestWithParam<u32> {};

/// 32 commands at once on 1 to 4 cores, and the recorded steps are those of the native firmware.
TEST_P(LiveIssDeep, KeepsDataWholeAndStepsReplayNatively)
{
    TLMSSD_NEEDS_ISS();
    static const std::vector<std::vector<std::string>> kCores{
        {},
        {"cpu.core_of.sched=1"},
        {"cpu.core_of.ftl=1", "cpu.core_of.sched=2"},
        {"cpu.core_of.buffer=1", "cpu.core_of.ftl=2", "cpu.core_of.sched=3"}};
    const u32 cores = GetParam();
    std::vector<std::string> sets = kCores[cores - 1];
    sets.insert(sets.end(), {"cpu.model=iss", "cpu.cores=" + std::to_string(cores), "host.queue_depth=32"});
    const std::string steps = testing::TempDir() + "tlmssd_live_" + std::to_string(::getpid());
    const Outcome o = run(sets, steps);
    ASSERT_EQ(o.status, RunStatus::Done) << o.failures;
    EXPECT_EQ(o.results["integrity"]["mismatches"], 0);
    const cpu::ReplayReport native = cpu::replay_native(steps);
    EXPECT_TRUE(native.equal) << native.text();
    EXPECT_GT(native.steps, 1000u);
    std::remove(steps.c_str());

    const observe::Json& c = o.results["cpu"];
    ASSERT_EQ(c["iss"]["core_cycles"].size(), cores);
    u64 by_core = 0, by_function = 0, by_module = 0;
    for (const auto& core : c["iss"]["core_cycles"]) {
        EXPECT_GT(core.get<u64>(), 1000u);
        by_core += core.get<u64>();
    }
    for (const auto& function : c["iss"]["functions"]) {
        by_function += function["cycles"].get<u64>();
    }
    for (const char* module : {"hil", "buffer", "ftl", "sched"}) {
        EXPECT_GT(c["cycles"][module].get<u64>(), 1000u) << module;
        by_module += c["cycles"][module].get<u64>();
    }
    EXPECT_EQ(by_core, by_function); // each cycle has a core and a function
    EXPECT_LT(by_module, by_core);     // the event loop belongs to none of the modules
    EXPECT_GT(by_module, by_core / 2);
}

INSTANTIATE_TEST_SUITE_P(Cores, LiveIssDeep, testing::Values(1u, 2u, 3u, 4u));

TEST(LiveIssStages, AddUpWithASlowCpu)
{
    TLMSSD_NEEDS_ISS();
    const Outcome fast = run_in_child({"cpu.model=iss", "cpu.mhz=2000", "host.queue_depth=8"});
    const Outcome slow = run({"cpu.model=iss", "cpu.mhz=200", "host.queue_depth=8"});
    ASSERT_EQ(fast.status, RunStatus::Done);
    ASSERT_EQ(slow.status, RunStatus::Done) << slow.failures; // stages that do not add up are a failure
    EXPECT_GT(slow.results["stages"]["hil_us"]["mean"].get<double>(),
              2 * fast.results["stages"]["hil_us"]["mean"].get<double>());
    EXPECT_GT(slow.results["host"]["all"]["latency_us"]["mean"].get<double>(),
              fast.results["host"]["all"]["latency_us"]["mean"].get<double>());
}

TEST(LiveIssObserved, IsTheSameAsUnobserved)
{
    TLMSSD_NEEDS_ISS();
    const std::string file = testing::TempDir() + "tlmssd_seen_" + std::to_string(::getpid()) + ".json";
    Outcome seen = run_in_child({"cpu.model=iss", "host.queue_depth=16"}, file);
    Outcome unseen = run({"cpu.model=iss", "host.queue_depth=16", "observe.stages=false"});
    std::remove(file.c_str());
    ASSERT_EQ(seen.status, RunStatus::Done);
    ASSERT_EQ(unseen.status, RunStatus::Done) << unseen.failures;
    for (const char* key : {"sim", "cpu", "host", "flash", "ftl"}) {
        EXPECT_EQ(seen.results[key], unseen.results[key]) << key;
    }
}

/// The image with an illegal instruction at the beginning of `function`.
std::string broken_image(const std::string& function)
{
    std::ifstream in(cpu::test::rv32_image(), std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const cpu::ElfImage image = cpu::read_elf(cpu::test::rv32_image());
    const std::vector<u8>& code = image.segments.front().data;
    const u32 offset = image.find(function)->address - image.segments.front().address;
    const auto at = std::search(bytes.begin(), bytes.end(), code.begin(), code.end(),
                                [](char a, u8 b) { return static_cast<u8>(a) == b; });
    std::memset(&*at + offset, 0, 4);
    const std::string path = testing::TempDir() + "tlmssd_broken_" + std::to_string(::getpid());
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

TEST(LiveIssTrap, EndsTheRunWithAReport)
{
    TLMSSD_NEEDS_ISS();
    const std::string image = broken_image("fw_hil_command");
    const Outcome o = run({"cpu.model=iss", "cpu.firmware=" + image, "precondition.fill=0",
                           "precondition.overwrite=0"});
    std::remove(image.c_str());
    EXPECT_EQ(o.status, RunStatus::Failed);
    EXPECT_NE(o.failures.find("in fw_hil_command+0x0"), std::string::npos) << o.failures;
    EXPECT_NE(o.failures.find("registers:"), std::string::npos);
}

TEST(LiveIssWatchdog, EndsTheRun)
{
    TLMSSD_NEEDS_ISS();
    // The fill's first command takes more than 1,000 instructions.
    EXPECT_THROW(run({"cpu.model=iss", "cpu.watchdog_instructions=1000", "precondition.stand_in=false"}), ModelError);
}

/// Nothing counts the stand-in's instructions; the first step of the run is the ISS's.
TEST(LiveIssWatchdog, EndsTheRunAfterAStandIn)
{
    TLMSSD_NEEDS_ISS();
    if (cpu::find_x32_image().empty()) {
        GTEST_SKIP() << "no x32 firmware in this build: the compiler has no -mx32";
    }
    const Outcome o = run({"cpu.model=iss", "cpu.watchdog_instructions=1000"});
    EXPECT_EQ(o.status, RunStatus::Failed);
    EXPECT_NE(o.failures.find("watchdog: no wfi after 1000 instructions"), std::string::npos) << o.failures;
}

TEST(LiveIssInput, AnImageThatIsNoneIsTheUsersError)
{
    TLMSSD_NEEDS_ISS();
    EXPECT_THROW(run({"cpu.model=iss", "cpu.firmware=README.md"}), InputError);
}

TEST(LiveIssInput, ItsKeysNeedIt)
{
    EXPECT_THROW(config::load_text(kDevice, "test", config::Overrides{{"cpu.watchdog_instructions=5000"}}),
                 InputError);
}

} // namespace
} // namespace tlmssd::run
