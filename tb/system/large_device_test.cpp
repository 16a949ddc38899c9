// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a 256 GiB device (8 x 8 x 2 x 2) starts at once, and filled once it stays in 2 GiB.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace {

struct Outcome {
    int status = -1;
    double seconds = 0;     ///< whole process
    double cpu_seconds = 0; ///< its own and the kernel's for it
    double peak_mib = 0;    ///< resident, as the kernel counted it
    nlohmann::json results;
};

/// The program itself with one request of the large device; `arithmetic`: a fill writes only what it has to.
Outcome run_large(const char* fill, const char* arithmetic = "precondition.arithmetic=true")
{
    const std::filesystem::path out = std::filesystem::temp_directory_path() /
                                      ("tlmssd_large_" + std::to_string(getpid()));
    const std::string fill_key = std::string("precondition.fill=") + fill;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        execl(TLMSSD_BIN, TLMSSD_BIN, "run", "configs/ssd/device_256g.yaml", "--quiet", "--out",
              out.c_str(), "--set", "workload.requests=1", "--no-cache", "--set", fill_key.c_str(), "--set",
              arithmetic, static_cast<char*>(nullptr));
        _exit(127);
    }
    Outcome outcome;
    rusage usage{};
    int status = 0;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        return outcome;
    }
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto cpu = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
    outcome.cpu_seconds = cpu(usage.ru_utime) + cpu(usage.ru_stime);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
    std::ifstream in(out / "results.json");
    if (in) {
        outcome.results = nlohmann::json::parse(in);
    }
    std::filesystem::remove_all(out);
    return outcome;
}

void expect_run(const Outcome& o)
{
    ASSERT_EQ(o.status, 0);
    EXPECT_EQ(o.results["host"]["reads"]["count"], 1);
    const auto& g = o.results["config"]["geometry"];
    const double raw = g["channels"].get<double>() * g["ways"].get<double>() *
                       g["dies"].get<double>() * g["planes"].get<double>() *
                       g["blocks"].get<double>() * g["pages"].get<double>() * 8192;
    EXPECT_EQ(raw, 256.0 * 1024 * 1024 * 1024);
    EXPECT_NEAR(o.results["wall"]["peak_rss_mib"].get<double>(), o.peak_mib, 0.1 * o.peak_mib);
}

TEST(LargeDevice, StartsInTwoSecondsAndOneGibibyte)
{
    const Outcome o = run_large("0");
    expect_run(o);
    EXPECT_LT(o.seconds, 2.0);
    EXPECT_LT(o.peak_mib, 1024.0);
}

TEST(LargeDevice, FilledByArithmeticStartsInTwoSecondsAndOneGibibyte)
{
    const Outcome o = run_large("1");
    expect_run(o);
    EXPECT_LT(o.cpu_seconds, 2.0);
    EXPECT_LT(o.peak_mib, 1024.0);
}

TEST(LargeDevice, FilledOnceInAMinuteStaysInTwoGibibytes)
{
    const Outcome o = run_large("1", "precondition.arithmetic=false");
    expect_run(o);
    EXPECT_LT(o.cpu_seconds, 60.0); // of wall time on an idle core
    EXPECT_LT(o.peak_mib, 2048.0);
    EXPECT_GT(o.peak_mib, 31.0 * 32); // 31 million pages of 32 bytes each are really there
    RecordProperty("seconds", std::to_string(o.seconds));
    RecordProperty("peak_mib", std::to_string(o.peak_mib));
}

} // namespace
