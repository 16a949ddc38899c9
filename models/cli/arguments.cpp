// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: options that several subcommands have.
#include "models/cli/arguments.h"

#include <unistd.h>

#include <iostream>
#include <map>

#include "models/cli/terminal.h"
#include "models/common/error.h"
#include "models/config/rules/named_files.h"
#include "models/observe/output/format.h"
#include "models/observe/output/time_text.h"

namespace tlmssd::cli {

void add_device_arguments(CLI::App& command, DeviceArguments& a)
{
    command.add_option("DEVICE", a.config,
                       "the device: a name of `tlmssd list devices`, such as default, or the path of a YAML file")
        ->required();
    command.add_option("-s,--set", a.sets, "set a configuration key: --set host.queue_depth=8 (repeatable)")
        ->take_all()
        ->expected(1)
        ->option_text("KEY=VALUE");
}

void add_seed(CLI::App& command, DeviceArguments& a)
{
    command.add_option("--seed", a.seed, "seed of all random numbers, as --set seed=NUMBER")->option_text("NUMBER");
}

void add_config_arguments(CLI::App& command, DeviceArguments& a)
{
    add_device_arguments(command, a);
    const auto list = [&command](const char* name, std::vector<std::string>& values, const char* what,
                                 const char* text) {
        command.add_option(name, values, text)->take_all()->expected(1)->option_text(what);
    };
    list("-w,--workload", a.workloads, "NAME|FILE",
         "the workload: a name of `tlmssd list workloads`, the path of a YAML file or of a fio job file "
         "(repeatable: all run at the same time)");
    list("--trace", a.traces, "FILE",
         "replay a block trace; plain, gz, xz or zst (repeatable: all run at the same time)");
    list("--format", a.formats, "NAME",
         "format of the trace before it (`tlmssd list formats`); without it, the first 1,000 lines and the name of the file decide");
    list("--trace-columns", a.columns, "TEXT",
         "columns of the trace before it, a delimited text: time:us,device,-,lba:sectors,size:bytes,op");
    command.add_flag("--lenient", a.lenient, "leave broken rows of a trace out and count them");
}

void add_output_arguments(CLI::App& command, OutputArguments& a, const char* quiet)
{
    command.add_flag("--json", a.json, "print the results as JSON on standard output, instead of a table");
    command.add_flag("-q,--quiet", a.quiet, quiet);
}

void print_table(const std::string& table)
{
    std::cout << (has_colour(STDOUT_FILENO) ? coloured_table(table) : table);
}

void add_wave_arguments(CLI::App& command, probes::WaveArguments& a)
{
    command.add_option("--waves", a.file, "write signals of SystemC and RTL to this FST file")->option_text("FILE");
    command.add_option("--waves-view", a.view,
                       "what to write of each flash bus: decoded (default; phase, opcode, owner, dies), pins or both")
        ->option_text("VIEW");
    command.add_option("--waves-from", a.from, "leave out signals before this simulated time, such as 1.5ms")
        ->option_text("TIME");
    command.add_option("--waves-to", a.to, "leave out signals after this simulated time")->option_text("TIME");
    command.add_option("--waves-channels", a.channels,
                       "write only the buses and dies of some channels: 0,2-3")
        ->option_text("LIST");
}

void add_timeline_arguments(CLI::App& command, TimelineArguments& a)
{
    command.add_option("--timeline", a.file,
                       "write trace events for ui.perfetto.dev to FILE.json.gz or FILE.json")
        ->option_text("FILE");
    command.add_option("--timeline-from", a.from,
                       "leave out events that end before this simulated time, such as 1.5ms")
        ->option_text("TIME");
    command.add_option("--timeline-to", a.to, "leave out events that start at this time or later")
        ->option_text("TIME");
}

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
        throw InputError(early.option + ": with several jobs it must stand after its --trace");
    }
    if (jobs.empty() && !early.keys.empty()) {
        jobs.emplace_back(); // the configuration names the trace
    }
    if (!early.keys.empty()) {
        jobs.front().keys.insert(jobs.front().keys.end(), early.keys.begin(), early.keys.end());
    }
    return jobs;
}

config::Overrides overrides_of(const DeviceArguments& a)
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
    if (a.seed) {
        for (const std::string& set : a.sets) {
            if (set.rfind("seed=", 0) == 0) {
                throw InputError("--seed " + *a.seed + " conflicts with --set " + set + "; use one of them");
            }
        }
        o.sets.push_back("seed=" + *a.seed);
    }
    o.sets.insert(o.sets.end(), a.sets.begin(), a.sets.end());
    return o;
}

config::Config load(const DeviceArguments& a)
{
    config::Config config = config::load(config::device_file(a.config), overrides_of(a));
    print_notes(config.notes);
    return config;
}

void print_notes(const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) {
        std::cerr << "note: " << observe::printable(note) << '\n';
    }
}

observe::Timeline::Window timeline_window(const TimelineArguments& a)
{
    observe::Timeline::Window window;
    if (a.file.empty() && !(a.from.empty() && a.to.empty())) {
        throw InputError("--timeline-from and --timeline-to require --timeline");
    }
    if (!a.from.empty()) {
        window.from = observe::time_of(a.from, "--timeline-from");
    }
    if (!a.to.empty()) {
        window.to = observe::time_of(a.to, "--timeline-to");
    }
    if (window.to <= window.from) {
        throw InputError("--timeline-to: '" + a.to + "' must be after --timeline-from");
    }
    return window;
}

} // namespace tlmssd::cli
