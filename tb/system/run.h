// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whole devices for system tests: a configuration as text, and what every run must show.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/run/simulation.h"
#include "tb/support/devices.h"

namespace tlmssd::tb {

using Sets = std::vector<std::string>;

inline config::Config configured(const std::string& yaml, const Sets& sets = {})
{
    return config::load_text(yaml, "test", config::Overrides{sets});
}

/// The schedulers whose controller mode the RTL has: not `ooo`.
inline std::vector<const char*> in_order_schedulers()
{
    enum Mode { SERIAL, INORDER, OOO };
    std::vector<const char*> names;
    const std::pair<const char*, Mode> all[] = {
#define SCHED(id, name, mode, traits, text) {#name, mode},
#include "firmware/hal/sched.def"
#undef SCHED
    };
    for (const auto& [name, mode] : all) {
        if (mode != OOO) {
            names.push_back(name);
        }
    }
    return names;
}

/// One simulation of this process, run to its end.
class Device {
public:
    explicit Device(const config::Config& config) : config_(config), simulation_(config_, {})
    {
        status_ = simulation_.run();
        results_ = simulation_.results(status_);
    }
    explicit Device(const std::string& yaml, const Sets& sets = {})
        : Device(configured(yaml, sets))
    {
    }

    const config::Config& config() const { return config_; }
    const run::Simulation& simulation() const { return simulation_; }
    run::RunStatus status() const { return status_; }
    const observe::Json& results() const { return results_; }
    const fw_stats& firmware() const { return simulation_.ssd().firmware().stats; }
    const host::InitiatorStats& host() const { return simulation_.host_stats(); }
    u64 completed() const
    {
        return host().reads.count + host().writes.count + host().flushes + host().trims;
    }
    /// Payload of reads and writes over the makespan, 10^6 B/s.
    double mb_per_s() const { return results_["host"]["all"]["mb_s"]; }
    Picoseconds makespan() const { return host().last_completion - host().started; }
    std::string failure_text() const
    {
        std::string text;
        for (const std::string& failure : simulation_.failures()) {
            text += failure + '\n';
        }
        return text;
    }

    /// What holds for every run of a healthy device; call from the test body.
    void expect_clean() const
    {
        EXPECT_EQ(status_, run::RunStatus::Done) << failure_text();
        u64 requests = config_.jobs.empty() ? config_.workload.requests : 0;
        for (const config::Workload& job : config_.jobs) {
            requests += job.requests;
        }
        EXPECT_EQ(completed(), requests);
        EXPECT_EQ(host().mismatches, 0u);
        EXPECT_EQ(host().errors, 0u);
        EXPECT_EQ(simulation_.ssd().violations(), 0u);
        const observe::Json& fraction = results_["bound"]["fraction_of_bound"];
        ASSERT_TRUE(fraction.is_number()) << fraction;
        EXPECT_GT(fraction.get<double>(), 0.0);
        EXPECT_LE(fraction.get<double>(), 1.0);
    }

private:
    config::Config config_;
    run::Simulation simulation_;
    run::RunStatus status_;
    observe::Json results_;
};

} // namespace tlmssd::tb
