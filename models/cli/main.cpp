// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command line.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include <CLI/CLI.hpp>

#include "models/cli/describe.h"
#include "models/cli/main_replay.h"
#include "models/common/error.h"
#include "models/common/huge_heap.h"
#include "models/config/keys/rtl_controllers.h"
#include "models/config/replay.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/standard_output.h"
#include "models/powercut/power_cuts.h"
#include "models/powercut/snapshot_info.h"
#include "models/run/simulation.h"
#include "models/serve/serve.h"

namespace {

using namespace tlmssd;

struct RunArguments {
    std::string config;
    std::vector<std::string> sets;
    std::vector<std::string> traces;
    std::vector<std::string> formats;
    std::vector<std::string> columns;
    std::vector<std::string> workloads;
    std::vector<config::JobArguments> jobs; ///< the four above, in the order of the command line
    std::string out;
    platform::WaveArguments waves;
    std::string timeline;
    std::string timeline_from;
    std::string timeline_to;
    std::string log;
    std::string ops;
    std::string steps;
    std::string snapshot; ///< to begin with; of `snapshot save`: to write
    bool timed_mount = false;
    bool after_workload = false;
    std::optional<u32> gdb;
    bool lenient = false;
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

config::Overrides overrides_of(const RunArguments& a)
{
    config::Overrides o;
    if (a.jobs.size() == 1) { // the only job needs no list
        for (const auto& [key, value] : a.jobs.front().keys) {
            o.sets.push_back((key == "workload" ? key : "workload." + key) + "=" + value);
        }
    } else {
        o.jobs = a.jobs;
    }
    if (a.lenient) {
        o.sets.push_back("workload.lenient=true");
    }
    o.sets.insert(o.sets.end(), a.sets.begin(), a.sets.end());
    return o;
}

/// Each --trace and --workload begins a job; --format and --trace-columns belong to the trace before
/// them, or to the only job, in any order. `order`: the options as the command line has them.
std::vector<config::JobArguments> jobs_of(const std::vector<CLI::Option*>& order)
{
    std::vector<config::JobArguments> jobs;
    std::map<std::string, std::size_t> used; // values of each option
    config::JobArguments early;              // before the first --trace
    std::size_t trace = 0;                   // number of the last one's job + 1
    for (const CLI::Option* option : order) {
        const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
        const bool job = name == "trace" || name == "workload";
        if (!job && name != "format" && name != "trace-columns") {
            continue;
        }
        const std::string& value = option->results().at(used[name]++);
        const std::string shown = "--" + name + " " + value;
        if (job) {
            jobs.push_back({shown, {{name, value}}});
            trace = name == "trace" ? jobs.size() : trace;
            continue;
        }
        const std::string key = name == "format" ? "format" : "trace_columns";
        config::JobArguments& target = trace == 0 ? early : jobs[trace - 1];
        for (const auto& [other, given] : target.keys) {
            if (other == key) {
                throw InputError(shown + ": a second --" + name + " for the same trace");
            }
        }
        early.option = trace == 0 ? shown : early.option;
        target.keys.emplace_back(key, value);
    }
    if (jobs.size() > 1 && !early.keys.empty()) {
        throw InputError(early.option + ": with several jobs it belongs behind its --trace");
    }
    if (jobs.empty() && !early.keys.empty()) {
        jobs.emplace_back(); // the configuration names the trace
    }
    if (!early.keys.empty()) {
        jobs.front().keys.insert(jobs.front().keys.end(), early.keys.begin(), early.keys.end());
    }
    return jobs;
}

void on_interrupt(int)
{
    platform::request_interrupt();
    std::signal(SIGINT, SIG_DFL); // a second one ends the process at once
    std::signal(SIGTERM, SIG_DFL);
}

/// Ctrl-C, and what a batch system sends when time is up: what is there is kept.
void catch_interrupts()
{
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
}

int run(const RunArguments& a)
{
    const config::Config config = config::load(a.config, overrides_of(a));
    platform::RunOptions options;
    options.waves = platform::parse_wave_options(a.waves, config.geometry.channels);
    options.timeline = a.timeline;
    options.timeline_window =
        platform::timeline_window(a.timeline, a.timeline_from, a.timeline_to);
    options.log = a.log;
    options.ops = a.ops;
    options.steps = a.steps;
    options.snapshot = a.snapshot;
    options.timed_mount = a.timed_mount;
    options.gdb_port = a.gdb;
    options.warnings = &std::cerr;
    options.progress = !a.quiet;
    platform::Simulation simulation(config, options);
    catch_interrupts();
    const observe::OutputFolder folder(a.out, "results.json");
    const platform::RunStatus status = simulation.run();
    const observe::Json results = simulation.results(status);
    if (!a.out.empty()) {
        observe::write_file((std::filesystem::path(a.out) / "results.json").string(),
                            observe::text_of(results));
    }
    if (!a.quiet) {
        std::cout << observe::table(results);
    }
    for (const std::string& failure : simulation.failures()) {
        std::cerr << "tlmssd: " << platform::printable(failure) << '\n';
    }
    switch (status) {
    case platform::RunStatus::Done:
        return kExitDone;
    case platform::RunStatus::Interrupted:
        return kExitInterrupted;
    case platform::RunStatus::Running:
    case platform::RunStatus::Failed:
        break;
    }
    return kExitModel;
}

int save_snapshot(const RunArguments& a)
{
    if (!a.after_workload && !(a.jobs.empty() && !a.lenient)) {
        throw InputError("snapshot save: --trace, --workload, --format, --trace-columns and --lenient need "
                         "--after-workload");
    }
    platform::RunOptions options;
    options.warnings = &std::cerr;
    platform::Simulation simulation(config::load(a.config, overrides_of(a)), options);
    std::remove(observe::prepare_file(a.snapshot).c_str()); // said now, not when the device has aged
    catch_interrupts();
    const platform::RunStatus status = simulation.save_snapshot(a.snapshot, a.after_workload);
    for (const std::string& failure : simulation.failures()) {
        std::cerr << "tlmssd: " << platform::printable(failure) << '\n';
    }
    return status == platform::RunStatus::Done          ? kExitDone
           : status == platform::RunStatus::Interrupted ? kExitInterrupted
                                                        : kExitModel;
}

int serve(const platform::ServeArguments& a, RunArguments device)
{
    const bool filled = std::any_of(device.sets.begin(), device.sets.end(), [](const std::string& set) {
        return set.rfind("precondition.", 0) == 0;
    });
    device.sets.insert(device.sets.begin(), "data=full");
    config::Config config = config::load(device.config, overrides_of(device));
    if (!filled) { // what the file asks for is for runs: a new disk is empty
        config.precondition = config::Precondition();
    }
    return platform::serve(a, config);
}

int describe(const RunArguments& a)
{
    std::cout << platform::describe(config::load(a.config, overrides_of(a)));
    return kExitDone;
}

void add_device_arguments(CLI::App& command, RunArguments& a)
{
    command.add_option("CONFIG", a.config, "device file (YAML), for example configs/ssd/default.yaml")
        ->required();
    command.add_option("--set", a.sets, "override a key: --set host.queue_depth=8 (repeatable)")
        ->take_all()
        ->expected(1);
}

void add_config_arguments(CLI::App& command, RunArguments& a)
{
    add_device_arguments(command, a);
    const auto list = [&command](const char* name, std::vector<std::string>& values,
                                 const char* text) {
        command.add_option(name, values, text)->take_all()->expected(1);
    };
    list("--trace", a.traces,
         "block trace to replay; plain, gz, xz or zst (repeatable: each is a job beside the others)");
    list("--format", a.formats,
         "format of the trace before it, where it cannot be told by itself");
    list("--trace-columns", a.columns,
         "columns of the trace before it, a delimited text: time:us,device,-,lba:sectors,size:bytes,op");
    list("--workload", a.workloads,
         "name of a file in configs/workloads, a path or a fio job file (repeatable, as --trace)");
    command.add_flag("--lenient", a.lenient, "leave out broken trace lines and count them");
}

void add_wave_arguments(CLI::App& command, platform::WaveArguments& a)
{
    command.add_option("--waves", a.file, "write signals of SystemC and RTL to this FST file");
    command.add_option("--waves-view", a.view,
                       "of each flash bus: decoded (default; phase, opcode, owner, dies), pins or both");
    command.add_option("--waves-from", a.from, "leave out what is earlier, such as 1.5ms");
    command.add_option("--waves-to", a.to, "leave out what is later");
    command.add_option("--waves-channels", a.channels,
                       "buses and dies of these channels only: 0,2-3");
}

void add_timeline_arguments(CLI::App& command, std::string& file, std::string& from, std::string& to)
{
    command.add_option("--timeline", file,
                       "write trace events for ui.perfetto.dev: FILE.json.gz or FILE.json");
    command.add_option("--timeline-from", from,
                       "leave out what ends before this simulated time, such as 1.5ms");
    command.add_option("--timeline-to", to, "leave out what starts at this time or later");
}

CLI::App* add_power_command(CLI::App& app, RunArguments& device, platform::PowerCutArguments& a)
{
    CLI::App* const command = app.add_subcommand(
        "powercut", "cut the power at random instants, mount, and check what has survived");
    add_config_arguments(*command, device);
    command->add_option("--cuts", a.cuts, "how many")->capture_default_str()->check(CLI::Range(1ull, 1000000000ull));
    command->add_option("--seed", a.seed, "of the first device; the next one has the next seed")->capture_default_str();
    command->add_option("--jobs", a.jobs, "processes at a time")->capture_default_str()->check(CLI::Range(1, 256));
    command->add_option("--lives", a.lives, "cuts of one device, then comes a new one")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    command->add_option("--within", a.within, "simulated time that a device works at most before the next cut")
        ->capture_default_str();
    command->add_flag("--quiet", a.quiet, "no table");
    command->footer(
        "Needs ftl.recovery: scan or journal. Each device is preconditioned, works, is cut, mounted in simulated time,\n"
        "read back and worked on, and so on. docs/power-loss.md. Exit status 3: something was lost, or the\n"
        "model is wrong. Example:\n"
        "  tlmssd powercut configs/ssd/powercut.yaml --cuts 200 --set scheduler=vaq");
    return command;
}

CLI::App* add_serve_command(CLI::App& app, RunArguments& device, platform::ServeArguments& a)
{
    CLI::App* const command =
        app.add_subcommand("serve", "the device as a live disk: an NBD export for fio, nbdcopy, qemu");
    add_device_arguments(*command, device);
    command->add_option("--socket", a.socket, "Unix socket that clients connect to")->required();
    command->add_option("--device", a.device,
                        "file that keeps the cells: made where there is none, mounted where there is one; needs ftl.recovery");
    command->add_option("--threads", a.threads, "requests of one connection that the device gets at a time")
        ->capture_default_str()
        ->check(CLI::Range(1, 128));
    command->add_option("--out", a.out, "directory for results.json, at the end and at SIGUSR1");
    command->add_flag("--quiet", a.quiet, "no tables");
    command->footer("Sets data: full; a new device is empty, precondition.* counts only where --set gives it. Ends with\n"
                    "SIGINT or SIGTERM, after a FLUSH; SIGUSR1 shows what has been measured so far. docs/serve.md. Example:\n"
                    "  tlmssd serve configs/ssd/default.yaml --socket /tmp/ssd.sock &\n"
                    "  nbdcopy disk.img 'nbd+unix:///?socket=/tmp/ssd.sock'");
    return command;
}

/// The command line without --cuts, --seed and --jobs: what repeats a failure begins with it.
std::string without_counts(int argc, char** argv)
{
    std::string text = "tlmssd";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        bool left_out = false;
        for (const char* const name : {"--cuts", "--seed", "--jobs"}) {
            if (word == name) {
                ++i;
                left_out = true;
            } else if (word.rfind(std::string(name) + "=", 0) == 0) {
                left_out = true;
            }
        }
        const bool plain = word.find_first_of(" '\"$&;|<>()*?[]{}\\`!#~") == std::string::npos && !word.empty();
        if (!left_out) {
            text += " " + (plain ? word : "'" + word + "'");
        }
    }
    return text;
}

CLI::App* add_replay_command(CLI::App& app, RunArguments& device, platform::ReplayArguments& a,
                             std::optional<std::string>& mode)
{
    CLI::App* const command = app.add_subcommand(
        "replay-ops", "hand recorded flash operations straight to a controller");
    command->add_option("OPS", a.ops, "recording of tlmssd run --ops: FILE.csv, .csv.gz, .csv.xz, .csv.zst")
        ->required();
    add_device_arguments(*command, device);
    command->add_flag("--closed", a.closed,
                      "as fast as the controller takes them, instead of at the recorded times");
    command->add_option("--mode", mode,
                        "serial, inorder or ooo, instead of what the scheduler needs");
    command->add_flag("--rtl-latencies", a.rtl_latencies,
                      "controller.kind tlm: decisions take as many clock edges as in the RTL controller o3");
    command->add_option("--out", a.out, "directory for replay.json and replay.csv.zst");
    command->add_option("--against", a.against,
                        "say where an earlier replay differs: its --out directory or its replay.csv.zst");
    command->add_option("--tolerance", a.tolerance,
                        "of --against: times no further apart than this are equal, such as 100ns");
    add_wave_arguments(*command, a.waves);
    add_timeline_arguments(*command, a.timeline, a.timeline_from, a.timeline_to);
    command->add_flag("--quiet", a.quiet, "no table");
    command->footer(
        "The device is CONFIG without host and firmware, in the state that its precondition leaves: give\n"
        "the configuration of the recorded run. docs/replay-ops.md\n"
        "Examples:\n"
        "  tlmssd run configs/ssd/default.yaml --set scheduler=host --ops ops.csv.zst\n"
        "  tlmssd replay-ops ops.csv.zst configs/ssd/default.yaml --set scheduler=host --out out/tlm\n"
        "  tlmssd replay-ops ops.csv.zst configs/ssd/default.yaml --set scheduler=host \\\n"
        "      --set controller.kind=rtl --against out/tlm --waves rtl.fst");
    return command;
}

int dispatch(int argc, char** argv)
{
    CLI::App app("tlmssd: a SystemC/TLM-2.0 model of an SSD controller", "tlmssd");
    app.require_subcommand(1);
    app.footer("Examples:\n"
               "  tlmssd run configs/ssd/default.yaml --workload randread-4k --out out/first\n"
               "  tlmssd run configs/ssd/default.yaml --trace FILE.xz --format msr --set scheduler=vaq\n"
               "  tlmssd run configs/ssd/default.yaml --trace A.csv --format msr --trace B.spc --quiet\n"
               "  tlmssd describe configs/ssd/mqsim_8x8.yaml\n"
               "  tlmssd replay-ops ops.csv.zst configs/ssd/default.yaml --set controller.kind=rtl\n"
               "Every key: configs/README.md. Exit status: 0 done, 2 wrong input, 3 the model or the\n"
               "device is wrong, 130 interrupted.");
    RunArguments arguments;
    CLI::App* run_command = app.add_subcommand("run", "simulate a workload and report");
    add_config_arguments(*run_command, arguments);
    run_command->add_option("--out", arguments.out, "directory for results.json");
    add_wave_arguments(*run_command, arguments.waves);
    add_timeline_arguments(*run_command, arguments.timeline, arguments.timeline_from,
                           arguments.timeline_to);
    run_command->add_option("--log", arguments.log,
                            "write one row a request: FILE.csv, .csv.gz, .csv.xz or .csv.zst");
    run_command->add_option("--ops", arguments.ops,
                            "record flash operations for replay-ops: FILE.csv, .csv.gz, .csv.xz, .csv.zst");
    run_command->add_option("--steps", arguments.steps, "record the firmware's steps for replay");
    run_command->add_option("--snapshot", arguments.snapshot,
                            "begin with this device (snapshot save), mounted in no simulated time; precondition.* is "
                            "not done");
    run_command->add_flag("--timed-mount", arguments.timed_mount,
                          "mount it in simulated time; the workload begins when the device is ready");
    run_command
        ->add_option("--gdb", arguments.gdb,
                     "debug the firmware (cpu.model: iss): wait for gdb on this port of 127.0.0.1; 0: any")
        ->check(CLI::Range(0, 65535))
        ->option_text("PORT");
    run_command->add_flag("--quiet", arguments.quiet, "no table, no progress");
    run_command->footer(choices() +
                        "Examples:\n"
                        "  tlmssd run configs/ssd/default.yaml --workload mixed-70-30-4k --out out/a\n"
                        "  tlmssd run configs/ssd/default.yaml --set controller.kind=rtl --waves a.fst\n"
                        "  tlmssd run configs/ssd/default.yaml --workload randread-4k --timeline a.json.gz\n"
                        "  tlmssd run configs/ssd/default.yaml --set cpu.model=iss --gdb 1234");
    CLI::App* describe_command =
        app.add_subcommand("describe", "show the resolved configuration, capacities and peak rates");
    add_config_arguments(*describe_command, arguments);
    describe_command->footer("Example:\n  tlmssd describe configs/ssd/default.yaml --set sata.gbps=3");
    CLI::App* const snapshot_command =
        app.add_subcommand("snapshot", "devices in files, to begin runs with (docs/snapshot.md)");
    snapshot_command->require_subcommand(1);
    CLI::App* const save_command = snapshot_command->add_subcommand(
        "save", "do what precondition.* says, then write what the flash holds to a file");
    add_config_arguments(*save_command, arguments);
    save_command->add_flag("--after-workload", arguments.after_workload,
                           "run the workload too; then FLUSH, and wait until the device rests");
    save_command->add_option("-o,--out", arguments.snapshot, "the file")->required();
    save_command->footer("Needs ftl.recovery: scan or journal. Example:\n"
                         "  tlmssd snapshot save configs/ssd/default.yaml --set ftl.recovery=scan \\\n"
                         "      --set precondition.fill=1 -o aged.snapshot\n"
                         "  tlmssd run configs/ssd/default.yaml --set ftl.recovery=scan --snapshot aged.snapshot");
    CLI::App* const info_command =
        snapshot_command->add_subcommand("info", "check a file and say what is in it");
    info_command->add_option("FILE", arguments.snapshot, "the file")->required();
    CLI::App* const load_command = snapshot_command->add_subcommand(
        "load", "check that a device comes up from a file: mount it in simulated time and read all of it");
    load_command->add_option("FILE", arguments.snapshot, "the file")->required();
    add_device_arguments(*load_command, arguments);
    load_command->footer("Status 2: the file does not fit the configuration. Status 3: the firmware does not find\n"
                         "what was written. To run a workload on it: tlmssd run --snapshot. Example:\n"
                         "  tlmssd snapshot load aged.snapshot configs/ssd/default.yaml --set ftl.recovery=scan");
    platform::PowerCutArguments power_arguments;
    CLI::App* const power_command = add_power_command(app, arguments, power_arguments);
    platform::ServeArguments serve_arguments;
    CLI::App* const serve_command = add_serve_command(app, arguments, serve_arguments);
    platform::ReplayArguments replay_arguments;
    std::optional<std::string> mode;
    CLI::App* const replay_command = add_replay_command(app, arguments, replay_arguments, mode);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kExitDone : kExitInput;
    }
    try {
        if (save_command->parsed()) {
            arguments.jobs = jobs_of(save_command->parse_order());
            return save_snapshot(arguments);
        }
        if (info_command->parsed()) {
            std::cout << platform::snapshot_info(arguments.snapshot);
            return kExitDone;
        }
        if (load_command->parsed()) {
            return platform::snapshot_load(arguments.snapshot, config::load(arguments.config, overrides_of(arguments)));
        }
        if (serve_command->parsed()) {
            return serve(serve_arguments, arguments);
        }
        if (replay_command->parsed()) {
            std::optional<config::ControllerMode> controller_mode;
            if (mode) {
                controller_mode = platform::replay_mode(*mode);
            }
            return platform::replay_ops(replay_arguments,
                                        config::load_for_replay(arguments.config, overrides_of(arguments),
                                                                controller_mode));
        }
        arguments.jobs = jobs_of((run_command->parsed()     ? run_command
                                  : power_command->parsed() ? power_command
                                                            : describe_command)
                                     ->parse_order());
        if (power_command->parsed()) {
            power_arguments.command = without_counts(argc, argv);
            catch_interrupts();
            return platform::power_cuts(power_arguments, config::load(arguments.config, overrides_of(arguments)));
        }
        return run_command->parsed() ? run(arguments) : describe(arguments);
    } catch (const InputError& e) {
        std::cerr << "tlmssd: " << platform::printable(e.what()) << '\n';
        return kExitInput;
    } catch (const std::bad_alloc&) {
        std::cerr << "tlmssd: out of memory: this device needs more than the process may have\n";
        return kExitModel;
    } catch (const ModelError& e) {
        std::istringstream lines(e.what());
        for (std::string line; std::getline(lines, line);) {
            std::cerr << "tlmssd: " << platform::printable(line) << '\n';
        }
        return kExitModel;
    }
}

} // namespace

int sc_main(int argc, char** argv)
{
    observe::StandardOutput output;
    const int status = dispatch(argc, argv);
    const int error = output.finish();
    if (error == 0 || error == EPIPE || status != kExitDone) {
        return status;
    }
    std::cerr << "tlmssd: standard output: cannot write: " << std::strerror(error) << '\n';
    return kExitInput;
}

int main(int argc, char** argv)
{
    use_huge_heap();
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of its write, as on a full disk
    // The kernel's banner is not part of our output.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    return sc_core::sc_elab_and_sim(argc, argv);
}
