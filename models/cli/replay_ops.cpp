// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `replay-ops`.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/config/replay.h"
#include "models/config/rules/named_files.h"
#include "models/observe/output/format.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/time_text.h"
#include "models/observe/output/write_file.h"
#include "models/replay/replay.h"
#include "models/replay/replay_compare.h"
#include "models/replay/replay_log.h"

namespace tlmssd::cli {

namespace {

struct ReplayArguments {
    std::string ops;
    DeviceArguments device;
    std::optional<std::string> mode;
    bool closed = false;
    bool rtl_latencies = false;
    std::string out;
    std::string against;
    std::optional<std::string> tolerance;
    probes::WaveArguments waves;
    TimelineArguments timeline;
    OutputArguments output;
};

/// What --mode says. InputError.
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

std::string name_of_run(const config::Config& c)
{
    const bool rtl = config::is_rtl(c.controller.kind);
    return std::string("this replay (") + to_string(c.controller.kind) +
           (rtl ? " " + c.controller.rtl : "") + ", " + to_string(c.controller.mode) + ")";
}

int replay_ops(const ReplayArguments& a, const config::Config& config)
{
    catch_interrupts();
    replay::ReplayOptions options;
    options.closed = a.closed;
    options.rtl_latencies = a.rtl_latencies;
    options.recordings.waves = probes::parse_wave_options(a.waves, config.geometry.channels);
    options.recordings.timeline = a.timeline.file;
    options.recordings.timeline_window = timeline_window(a.timeline);
    if (a.tolerance && a.against.empty()) {
        throw InputError("--tolerance requires --against");
    }
    const Picoseconds tolerance =
        a.tolerance ? observe::time_of(*a.tolerance, "--tolerance") : Picoseconds();
    std::optional<replay::ReplayRecord> other;
    if (!a.against.empty()) {
        other = replay::read_replay_log(a.against, config.geometry);
    }
    replay::Replay replay(config, a.ops, options);
    const observe::OutputFolder folder(a.out, "replay.json");
    const run::RunStatus status = replay.run();
    const observe::Json results = replay.results(status);
    if (!a.out.empty()) {
        const std::filesystem::path out(a.out);
        replay::write_replay_log((out / replay::kReplayLog).string(), replay.record());
        observe::write_file((out / "replay.json").string(), observe::text_of(results));
    }
    if (a.output.json) {
        std::cout << observe::text_of(results);
    } else if (!a.output.quiet) {
        print_table(replay::replay_table(results));
    }
    if (other) {
        const replay::ReplayDifference d =
            replay::compare(replay.record(), *other, config.geometry, tolerance);
        (a.output.json ? std::cerr : std::cout) // JSON stands alone
            << replay::text_of(d, replay.record(), *other, name_of_run(replay.config()), a.against,
                                     config.geometry);
    }
    for (const std::string& failure : replay.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    return run::exit_status(status);
}

} // namespace

Command add_replay_ops(CLI::App& app)
{
    const auto a = std::make_shared<ReplayArguments>();
    CLI::App* const command = app.add_subcommand(
        "replay-ops", "replay recorded flash operations on a flash controller, without host and firmware");
    command->add_option("OPS", a->ops, "recording of `tlmssd run --ops`: FILE.csv, .csv.gz, .csv.xz or .csv.zst")
        ->required();
    add_device_arguments(*command, a->device);
    add_seed(*command, a->device);
    command->add_flag("--closed", a->closed,
                      "issue operations as fast as the controller takes them, instead of at the recorded times");
    command->add_option("--mode", a->mode,
                        "mode of the controller: serial, inorder or ooo, instead of what the scheduler needs")
        ->option_text("MODE");
    command->add_flag("--rtl-latencies", a->rtl_latencies,
                      "controller.kind=tlm: decisions take as many clock edges as in the RTL controller o3");
    command->add_option("-o,--out", a->out, "directory for replay.json and replay.csv.zst")->option_text("DIR");
    add_output_arguments(*command, a->output, "print no table");
    command->add_option("--against", a->against,
                        "show where an earlier replay differs: its --out directory or its replay.csv.zst")
        ->option_text("DIR|FILE");
    command->add_option("--tolerance", a->tolerance,
                        "times of --against that are no further apart are equal, such as 100ns")
        ->option_text("TIME");
    add_wave_arguments(*command, a->waves);
    add_timeline_arguments(*command, a->timeline);
    command->footer(
        "The device is DEVICE without host and firmware, in the state that its precondition leaves: give\n"
        "the configuration of the recorded run. docs/guides/replay-ops.md\n"
        "Examples:\n"
        "  tlmssd run default --set scheduler=host --ops ops.csv.zst\n"
        "  tlmssd replay-ops ops.csv.zst default --set scheduler=host --out out/tlm\n"
        "  tlmssd replay-ops ops.csv.zst default --set scheduler=host \\\n"
        "      --set controller.kind=rtl --against out/tlm --waves rtl.fst");
    return {command, [a] {
                std::optional<config::ControllerMode> mode;
                if (a->mode) {
                    mode = replay_mode(*a->mode);
                }
                const config::Config config = config::load_for_replay(config::device_file(a->device.config),
                                                                      overrides_of(a->device), mode);
                print_notes(config.notes);
                return replay_ops(*a, config);
            }};
}

} // namespace tlmssd::cli
