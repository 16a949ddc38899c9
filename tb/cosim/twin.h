// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one stream of flash operations through the TLM controller and the RTL, each in a process of
// its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "models/replay/replay.h"
#include "models/replay/replay_compare.h"
#include "models/replay/replay_log.h"
#include "models/run/simulation.h"
#include "tb/support/child.h"

namespace tlmssd::tb {

/// Run `work` in a child, as the kernel elaborates once; false where it failed or threw.
inline bool apart(const std::function<bool()>& work) { return in_child(work).value_or(false); }

/// A recorded stream and its replays, in a directory that goes with it.
class Twin {
public:
    /// `device`: YAML. `sets`: of the recorded run and of all replays.
    Twin(std::string device, std::vector<std::string> sets)
        : device_(std::move(device)), sets_(std::move(sets)),
          folder_(testing::TempDir() + "tlmssd_twin_" + std::to_string(getpid()))
    {
        std::filesystem::create_directories(folder_);
    }
    ~Twin() { std::filesystem::remove_all(folder_); }
    Twin(const Twin&) = delete;
    Twin& operator=(const Twin&) = delete;

    /// Run the whole device and record what its controller gets.
    bool record(const std::vector<std::string>& more = {}) const
    {
        return apart([&] {
            run::RunOptions options;
            options.ops = ops();
            const config::Config device = config(more);
            run::Simulation simulation(device, options);
            return simulation.run() == run::RunStatus::Done;
        });
    }
    /// Replay it; nothing in the record where that fails.
    replay::ReplayRecord replay(const std::vector<std::string>& more,
                                const replay::ReplayOptions& options = {}) const
    {
        const std::string log = folder_ + "/replay.csv.zst";
        const bool done = apart([&] {
            const config::Config device = config(more);
            replay::Replay replay(device, ops(), options);
            const run::RunStatus status = replay.run();
            for (const std::string& failure : replay.failures()) {
                std::fprintf(stderr, "%s\n", failure.c_str());
            }
            replay::write_replay_log(log, replay.record());
            const auto& ecc = replay.ssd().data_path().ecc_statistics();
            std::ofstream(folder_ + "/ecc.txt")
                << ecc.retries << ' ' << ecc.corrected_bits << ' ' << ecc.uncorrectable_pages;
            return status == run::RunStatus::Done;
        });
        return done ? replay::read_replay_log(log, geometry()) : replay::ReplayRecord{};
    }
    /// What ECC has counted in the last replay.
    struct Ecc {
        u64 retries = 0, corrected_bits = 0, uncorrectable_pages = 0;
    };
    Ecc ecc() const
    {
        Ecc e;
        std::ifstream(folder_ + "/ecc.txt") >> e.retries >> e.corrected_bits >> e.uncorrectable_pages;
        return e;
    }
    config::Config config(const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> sets = sets_;
        sets.insert(sets.end(), more.begin(), more.end());
        return config::load_text(device_, "test", {sets});
    }
    Geometry geometry() const { return config().geometry; }
    std::string ops() const { return folder_ + "/ops.csv.zst"; }

private:
    std::string device_;
    std::vector<std::string> sets_;
    std::string folder_;
};

} // namespace tlmssd::tb
