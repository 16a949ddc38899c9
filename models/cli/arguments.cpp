// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: options that several subcommands have.
#include "models/cli/arguments.h"

#include <map>

#include "models/common/error.h"
#include "models/observe/output/time_text.h"

namespace tlmssd::cli {

void add_device_arguments(CLI::App& command, DeviceArguments& a)
{
    command.add_option("CONFIG", a.config, "device file (YAML), for example configs/ssd/default.yaml")
        ->required();
    command.add_option("--set", a.sets, "override a key: --set host.queue_depth=8 (repeatable)")
        ->take_all()
        ->expected(1);
}

void add_config_arguments(CLI::App& command, DeviceArguments& a)
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

void add_wave_arguments(CLI::App& command, probes::WaveArguments& a)
{
    command.add_option("--waves", a.file, "write signals of SystemC and RTL to this FST file");
    command.add_option("--waves-view", a.view,
                       "of each flash bus: decoded (default; phase, opcode, owner, dies), pins or both");
    command.add_option("--waves-from", a.from, "leave out what is earlier, such as 1.5ms");
    command.add_option("--waves-to", a.to, "leave out what is later");
    command.add_option("--waves-channels", a.channels,
                       "buses and dies of these channels only: 0,2-3");
}

void add_timeline_arguments(CLI::App& command, TimelineArguments& a)
{
    command.add_option("--timeline", a.file,
                       "write trace events for ui.perfetto.dev: FILE.json.gz or FILE.json");
    command.add_option("--timeline-from", a.from,
                       "leave out what ends before this simulated time, such as 1.5ms");
    command.add_option("--timeline-to", a.to, "leave out what starts at this time or later");
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
    o.sets.insert(o.sets.end(), a.sets.begin(), a.sets.end());
    return o;
}

config::Config load(const DeviceArguments& a) { return config::load(a.config, overrides_of(a)); }

observe::Timeline::Window timeline_window(const TimelineArguments& a)
{
    observe::Timeline::Window window;
    if (a.file.empty() && !(a.from.empty() && a.to.empty())) {
        throw InputError("--timeline-from and --timeline-to need --timeline");
    }
    if (!a.from.empty()) {
        window.from = observe::time_of(a.from, "--timeline-from");
    }
    if (!a.to.empty()) {
        window.to = observe::time_of(a.to, "--timeline-to");
    }
    if (window.to <= window.from) {
        throw InputError("--timeline-to: '" + a.to + "' is not after --timeline-from");
    }
    return window;
}

} // namespace tlmssd::cli
