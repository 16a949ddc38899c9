// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command line.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include <CLI/CLI.hpp>

#include "models/common/error.h"
#include "models/observe/time_text.h"
#include "models/platform/describe.h"
#include "models/platform/simulation.h"

namespace {

using namespace tlmssd;

struct RunArguments {
    std::string config;
    std::vector<std::string> sets;
    std::string trace;
    std::string format;
    std::string workload;
    std::string out;
    platform::WaveArguments waves;
    std::string timeline;
    std::string timeline_from;
    std::string timeline_to;
    std::string steps;
    bool lenient = false;
    bool quiet = false;
};

/// "  name  what it does" for each line of a .def list.
std::string choices()
{
    std::string text = "Schedulers (--set scheduler=NAME):\n";
#define SCHED(id, name, mode, words) text += "  " #name "  " words "\n";
#include "firmware/hal/sched.def"
#undef SCHED
    text += "Buffer policies (--set buffer.policy=NAME):\n";
#define BUFFER_POLICY(id, name, words) text += "  " #name "  " words "\n";
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
    return text;
}

/// One line that no input can use to write control or direction characters to a terminal.
std::string printable(const std::string& text)
{
    static const char* const kHex = "0123456789abcdef";
    std::string out;
    for (const unsigned char c : text) {
        if (c >= 0x20 && c < 0x7f) {
            out += static_cast<char>(c);
        } else {
            out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
        }
    }
    return out;
}

config::Overrides overrides_of(const RunArguments& a)
{
    config::Overrides o;
    if (!a.workload.empty()) {
        o.sets.push_back("workload=" + a.workload);
    }
    if (!a.trace.empty()) {
        o.sets.push_back("workload.trace=" + a.trace);
    }
    if (!a.format.empty()) {
        o.sets.push_back("workload.format=" + a.format);
    }
    if (a.lenient) {
        o.sets.push_back("workload.lenient=true");
    }
    o.sets.insert(o.sets.end(), a.sets.begin(), a.sets.end());
    return o;
}

/// What --timeline-from and --timeline-to say; all of the run where neither is given.
observe::Timeline::Window timeline_window(const RunArguments& a)
{
    observe::Timeline::Window window;
    if (a.timeline.empty() && !(a.timeline_from.empty() && a.timeline_to.empty())) {
        throw InputError("--timeline-from and --timeline-to need --timeline");
    }
    if (!a.timeline_from.empty()) {
        window.from = observe::time_of(a.timeline_from, "--timeline-from");
    }
    if (!a.timeline_to.empty()) {
        window.to = observe::time_of(a.timeline_to, "--timeline-to");
    }
    if (window.to <= window.from) {
        throw InputError("--timeline-to: '" + a.timeline_to + "' is not after --timeline-from");
    }
    return window;
}

void on_interrupt(int)
{
    platform::request_interrupt();
    std::signal(SIGINT, SIG_DFL); // a second Ctrl-C ends the process at once
}

int run(const RunArguments& a)
{
    const config::Config config = config::load(a.config, overrides_of(a));
    platform::RunOptions options;
    options.waves = platform::parse_wave_options(a.waves, config.geometry.channels);
    options.timeline = a.timeline;
    options.timeline_window = timeline_window(a);
    options.steps = a.steps;
    options.warnings = &std::cerr;
    options.progress = !a.quiet;
    platform::Simulation simulation(config, options);
    std::signal(SIGINT, on_interrupt);
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
        std::cerr << "tlmssd: " << printable(failure) << '\n';
    }
    switch (status) {
    case platform::RunStatus::Done:
        return kExitDone;
    case platform::RunStatus::Interrupted:
        return kExitInterrupted;
    case platform::RunStatus::Failed:
        break;
    }
    return kExitModel;
}

int describe(const RunArguments& a)
{
    std::cout << platform::describe(config::load(a.config, overrides_of(a)));
    return kExitDone;
}

void add_config_arguments(CLI::App& command, RunArguments& a)
{
    command.add_option("CONFIG", a.config, "device file (YAML), for example configs/ssd/default.yaml")
        ->required();
    command.add_option("--set", a.sets, "override a key: --set host.queue_depth=8 (repeatable)")
        ->take_all()
        ->expected(1);
    command.add_option("--trace", a.trace, "block trace to replay; plain, gz, xz or zst");
    command.add_option("--format", a.format, "format of the trace, where it cannot be told by itself");
    command.add_option("--workload", a.workload, "name of a file in configs/workloads, or a path");
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

int dispatch(int argc, char** argv)
{
    CLI::App app("tlmssd: a SystemC/TLM-2.0 model of an SSD controller", "tlmssd");
    app.require_subcommand(1);
    app.footer("Examples:\n"
               "  tlmssd run configs/ssd/default.yaml --workload randread-4k --out out/first\n"
               "  tlmssd run configs/ssd/default.yaml --trace FILE.xz --format msr --set scheduler=vaq\n"
               "  tlmssd describe configs/ssd/mqsim_8x8.yaml\n"
               "Every key: configs/README.md. Exit status: 0 done, 2 wrong input, 3 the model or the\n"
               "device is wrong, 130 interrupted.");
    RunArguments arguments;
    CLI::App* run_command = app.add_subcommand("run", "simulate a workload and report");
    add_config_arguments(*run_command, arguments);
    run_command->add_option("--out", arguments.out, "directory for results.json");
    add_wave_arguments(*run_command, arguments.waves);
    run_command->add_option("--timeline", arguments.timeline,
                            "write trace events for ui.perfetto.dev: FILE.json.gz or FILE.json");
    run_command->add_option("--timeline-from", arguments.timeline_from,
                            "leave out what ends before this simulated time, such as 1.5ms");
    run_command->add_option("--timeline-to", arguments.timeline_to,
                            "leave out what starts at this time or later");
    run_command->add_option("--steps", arguments.steps, "record the firmware's steps for replay");
    run_command->add_flag("--quiet", arguments.quiet, "no table, no progress");
    run_command->footer(choices() +
                        "Examples:\n"
                        "  tlmssd run configs/ssd/default.yaml --workload mixed-70-30-4k --out out/a\n"
                        "  tlmssd run configs/ssd/default.yaml --set controller.kind=rtl --waves a.fst\n"
                        "  tlmssd run configs/ssd/default.yaml --workload randread-4k --timeline a.json.gz");
    CLI::App* describe_command =
        app.add_subcommand("describe", "show the resolved configuration, capacities and peak rates");
    add_config_arguments(*describe_command, arguments);
    describe_command->footer("Example:\n  tlmssd describe configs/ssd/default.yaml --set sata.gbps=3");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kExitDone : kExitInput;
    }
    try {
        return run_command->parsed() ? run(arguments) : describe(arguments);
    } catch (const InputError& e) {
        std::cerr << "tlmssd: " << printable(e.what()) << '\n';
        return kExitInput;
    } catch (const ModelError& e) {
        std::cerr << "tlmssd: " << printable(e.what()) << '\n';
        return kExitModel;
    }
}

} // namespace

int sc_main(int argc, char** argv) { return dispatch(argc, argv); }

int main(int argc, char** argv)
{
    // The kernel's banner is not part of our output.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    return sc_core::sc_elab_and_sim(argc, argv);
}
