// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: options that several subcommands have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "models/config/config.h"
#include "models/observe/timeline.h"
#include "models/probes/waves/wave_options.h"

namespace tlmssd::cli {

/// A device and its workload.
struct DeviceArguments {
    std::string config; ///< name or path
    std::vector<std::string> sets;
    std::optional<std::string> seed;
    std::vector<std::string> traces;
    std::vector<std::string> formats;
    std::vector<std::string> columns;
    std::vector<std::string> workloads;
    std::vector<config::JobArguments> jobs; ///< the four above, in the order of the command line
    bool lenient = false;
};

/// The form of the results on standard output: a table, JSON or nothing.
struct OutputArguments {
    bool json = false;
    bool quiet = false;
};

struct TimelineArguments {
    std::string file;
    std::string from;
    std::string to;
};

/// DEVICE and --set.
void add_device_arguments(CLI::App& command, DeviceArguments& a);
/// --seed: the key of that name.
void add_seed(CLI::App& command, DeviceArguments& a);
/// The same, and what names the workload.
void add_config_arguments(CLI::App& command, DeviceArguments& a);
/// --json, --quiet.
void add_output_arguments(CLI::App& command, OutputArguments& a, const char* quiet);
/// A table on standard output, in colour where that is a terminal.
void print_table(const std::string& table);
void add_wave_arguments(CLI::App& command, probes::WaveArguments& a);
void add_timeline_arguments(CLI::App& command, TimelineArguments& a);

/// Each --trace and --workload begins a job; --format and --trace-columns belong to the trace before
/// them, or to the only job, in any order. `order`: the options as the command line has them. InputError.
std::vector<config::JobArguments> jobs_of(const std::vector<CLI::Option*>& order);

config::Overrides overrides_of(const DeviceArguments& a);
/// The configuration; its notes go to standard error. InputError.
config::Config load(const DeviceArguments& a);
/// A line "note: ..." on standard error for each.
void print_notes(const std::vector<std::string>& notes);
/// What --timeline-from and --timeline-to say; all of the run where neither is given. InputError.
observe::Timeline::Window timeline_window(const TimelineArguments& a);

} // namespace tlmssd::cli
