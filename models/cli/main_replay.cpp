// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command `replay-ops`, and what it shares with `run`.
#include "models/cli/main_replay.h"

#include <filesystem>
#include <iostream>

#include "models/common/error.h"
#include "models/observe/output/format.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/time_text.h"
#include "models/observe/output/write_file.h"
#include "models/replay/replay.h"
#include "models/replay/replay_compare.h"
#include "models/replay/replay_log.h"
#include "models/run/interrupt.h"

namespace tlmssd::cli {

observe::Timeline::Window timeline_window(const std::string& timeline, const std::string& from,
                                          const std::string& to)
{
    observe::Timeline::Window window;
    if (timeline.empty() && !(from.empty() && to.empty())) {
        throw InputError("--timeline-from and --timeline-to need --timeline");
    }
    if (!from.empty()) {
        window.from = observe::time_of(from, "--timeline-from");
    }
    if (!to.empty()) {
        window.to = observe::time_of(to, "--timeline-to");
    }
    if (window.to <= window.from) {
        throw InputError("--timeline-to: '" + to + "' is not after --timeline-from");
    }
    return window;
}

config::ControllerMode replay_mode(const std::string& word)
{
    const std::vector<std::string> names = {"serial", "inorder", "ooo"};
    for (const auto mode : {config::ControllerMode::Serial, config::ControllerMode::InOrder,
                            config::ControllerMode::Ooo}) {
        if (word == to_string(mode)) {
            return mode;
        }
    }
    throw InputError("--mode: '" + word + "' is not a controller mode; did you mean " +
                     nearest_of(word, names) + "?");
}

namespace {

std::string name_of_run(const config::Config& c)
{
    const bool rtl = config::is_rtl(c.controller.kind);
    return std::string("this replay (") + to_string(c.controller.kind) +
           (rtl ? " " + c.controller.rtl : "") + ", " + to_string(c.controller.mode) + ")";
}

} // namespace

int replay_ops(const ReplayArguments& a, const config::Config& config)
{
    replay::ReplayOptions options;
    options.closed = a.closed;
    options.rtl_latencies = a.rtl_latencies;
    options.recordings.waves = probes::parse_wave_options(a.waves, config.geometry.channels);
    options.recordings.timeline = a.timeline;
    options.recordings.timeline_window = timeline_window(a.timeline, a.timeline_from, a.timeline_to);
    if (a.tolerance && a.against.empty()) {
        throw InputError("--tolerance needs --against");
    }
    const Picoseconds tolerance =
        a.tolerance ? observe::time_of(*a.tolerance, "--tolerance") : Picoseconds();
    std::optional<replay::ReplayRecord> other;
    if (!a.against.empty()) {
        other = replay::read_replay_log(a.against, config.geometry);
    }
    replay::Replay replay(config, a.ops, options);
    run::catch_interrupts();
    const observe::OutputFolder folder(a.out, "replay.json");
    const run::RunStatus status = replay.run();
    const observe::Json results = replay.results(status);
    if (!a.out.empty()) {
        const std::filesystem::path out(a.out);
        replay::write_replay_log((out / replay::kReplayLog).string(), replay.record());
        observe::write_file((out / "replay.json").string(), observe::text_of(results));
    }
    if (!a.quiet) {
        std::cout << replay::replay_table(results);
    }
    if (other) {
        const replay::ReplayDifference d =
            replay::compare(replay.record(), *other, config.geometry, tolerance);
        std::cout << replay::text_of(d, replay.record(), *other, name_of_run(replay.config()), a.against,
                                     config.geometry);
    }
    for (const std::string& failure : replay.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    return run::exit_status(status);
}

} // namespace tlmssd::cli
