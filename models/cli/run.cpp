// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `run`.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/config/keys/rtl_controllers.h"
#include "models/observe/output/format.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/write_file.h"
#include "models/run/interrupt.h"
#include "models/run/simulation.h"

namespace tlmssd::cli {

namespace {

struct RunArguments {
    DeviceArguments device;
    std::string out;
    probes::WaveArguments waves;
    TimelineArguments timeline;
    std::string log;
    std::string ops;
    std::string steps;
    std::string snapshot; ///< to begin with
    bool timed_mount = false;
    std::optional<u32> gdb;
    bool quiet = false;
};

/// "  name  what it does" for each line of a .def list.
std::string choices()
{
    std::string text = "Schedulers (--set scheduler=NAME):\n";
#define SCHED(id, name, mode, traits, words) text += "  " #name "  " words "\n";
#include "firmware/hal/sched.def"
#undef SCHED
    text += "Victims of garbage collection (--set ftl.gc.policy=NAME):\n";
#define GC_POLICY(id, name, words) text += "  " #name "  " words "\n";
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    text += "Buffer policies (--set buffer.policy=NAME):\n";
#define BUFFER_POLICY(id, name, words) text += "  " #name "  " words "\n";
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
    text += "RTL controllers of this build (--set controller.kind=rtl --set controller.rtl=NAME):\n";
    for (const config::RtlController& rtl : config::rtl_controllers()) {
        text += std::string("  ") + rtl.name + "  " + rtl.modes() + (*rtl.words ? ": " : "") + rtl.words + "\n";
    }
    return text;
}

int run_workload(const RunArguments& a)
{
    const config::Config config = load(a.device);
    run::RunOptions options;
    options.recordings.waves = probes::parse_wave_options(a.waves, config.geometry.channels);
    options.recordings.timeline = a.timeline.file;
    options.recordings.timeline_window = timeline_window(a.timeline);
    options.log = a.log;
    options.ops = a.ops;
    options.steps = a.steps;
    options.snapshot = a.snapshot;
    options.timed_mount = a.timed_mount;
    options.gdb_port = a.gdb;
    options.warnings = &std::cerr;
    options.progress = !a.quiet;
    run::Simulation simulation(config, options);
    run::catch_interrupts();
    const observe::OutputFolder folder(a.out, "results.json");
    const run::RunStatus status = simulation.run();
    const observe::Json results = simulation.results(status);
    if (!a.out.empty()) {
        observe::write_file((std::filesystem::path(a.out) / "results.json").string(),
                            observe::text_of(results));
    }
    if (!a.quiet) {
        std::cout << observe::table(results);
    }
    for (const std::string& failure : simulation.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    return run::exit_status(status);
}

} // namespace

Command add_run(CLI::App& app)
{
    const auto a = std::make_shared<RunArguments>();
    CLI::App* const command = app.add_subcommand("run", "simulate a workload and report");
    add_config_arguments(*command, a->device);
    command->add_option("--out", a->out, "directory for results.json");
    add_wave_arguments(*command, a->waves);
    add_timeline_arguments(*command, a->timeline);
    command->add_option("--log", a->log,
                        "write one row a request: FILE.csv, .csv.gz, .csv.xz or .csv.zst");
    command->add_option("--ops", a->ops,
                        "record flash operations for replay-ops: FILE.csv, .csv.gz, .csv.xz, .csv.zst");
    command->add_option("--steps", a->steps, "record the firmware's steps for replay");
    command->add_option("--snapshot", a->snapshot,
                        "begin with this device (snapshot save), mounted in no simulated time; precondition.* is "
                        "not done");
    command->add_flag("--timed-mount", a->timed_mount,
                      "mount it in simulated time; the workload begins when the device is ready");
    command
        ->add_option("--gdb", a->gdb,
                     "debug the firmware (cpu.model: iss): wait for gdb on this port of 127.0.0.1; 0: any")
        ->check(CLI::Range(0, 65535))
        ->option_text("PORT");
    command->add_flag("--quiet", a->quiet, "no table, no progress");
    command->footer(choices() +
                    "Examples:\n"
                    "  tlmssd run configs/ssd/default.yaml --workload mixed-70-30-4k --out out/a\n"
                    "  tlmssd run configs/ssd/default.yaml --set controller.kind=rtl --waves a.fst\n"
                    "  tlmssd run configs/ssd/default.yaml --workload randread-4k --timeline a.json.gz\n"
                    "  tlmssd run configs/ssd/default.yaml --set cpu.model=iss --gdb 1234");
    return {command, [command, a] {
                a->device.jobs = jobs_of(command->parse_order());
                return run_workload(*a);
            }};
}

} // namespace tlmssd::cli
