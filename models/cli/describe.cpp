// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `describe`.
#include <cstdio>
#include <iostream>
#include <memory>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/config/rules/named_files.h"
#include "models/observe/output/csv_file.h"
#include "models/observe/output/format.h"
#include "models/run/config_json.h"
#include "models/ssd/peak_rates.h"
#include "models/workload/detect/detect.h"
#include "models/workload/jobs.h"

namespace tlmssd::cli {

namespace {

/// The resolved configuration, then capacities and peak rates computed from it, and notes.
std::string description(const config::Config& c, const std::vector<std::string>& notes)
{
    const Geometry& g = c.geometry;
    const ssd::PeakRates p = ssd::peak_rates(c);
    std::string text = config::to_yaml(c);
    char line[160];
    const auto add = [&text, &line](const char* format, auto... values) {
        std::snprintf(line, sizeof line, format, values...);
        text += line;
    };
    text += "\n# capacities\n";
    add("# raw            %10.3f GiB in %u dies, %u planes, %llu pages of %u bytes\n",
        static_cast<double>(g.raw_bytes()) / (1u << 30), g.total_dies(), g.total_planes(),
        static_cast<unsigned long long>(g.total_pages()), g.page_bytes);
    add("# host sees      %10.3f GiB, %llu sectors of 512 bytes\n",
        static_cast<double>(c.logical_sectors()) * 512 / (1u << 30),
        static_cast<unsigned long long>(c.logical_sectors()));
    add("# buffer         %10.3f MiB in DRAM\n", static_cast<double>(c.buffer.bytes) / (1u << 20));
    text += "# peak rates of payload, each resource alone, MB/s (10^6 B/s)\n";
    if (p.link_to_host > 0) {
        add("# link           %10.1f\n", p.link_to_host);
    }
    if (c.onfi.timeless) {
        text += "# channels         no limit (onfi.timeless)\n";
    } else {
        add("# channels       %10.1f read  %10.1f program\n", p.channel_read, p.channel_program);
    }
    add("# dies           %10.1f read  %10.1f program (one plane at a time)\n", p.die_read,
        p.die_program);
    add("# dram           %10.1f\n", p.dram);
    text += "# config_hash    " + c.hash_text + "\n";
    for (const std::string& note : notes) {
        text += "# note           " + observe::printable(note) + "\n";
    }
    return text;
}

/// The same as JSON. `config` and `config_hash` are those of results.json.
observe::Json json_of(const config::Config& c, const std::vector<std::string>& notes)
{
    const Geometry& g = c.geometry;
    const ssd::PeakRates p = ssd::peak_rates(c);
    const auto rate = [](bool limited, double value) { return limited ? observe::Json(value) : observe::Json(); };
    observe::Json out{{"config_hash", c.hash_text}, {"config", run::config_json(c)}};
    out["capacities"] = {{"raw_bytes", g.raw_bytes()}, {"dies", g.total_dies()}, {"planes", g.total_planes()},
                         {"pages", g.total_pages()}, {"page_bytes", g.page_bytes},
                         {"logical_bytes", c.logical_sectors() * 512}, {"logical_sectors", c.logical_sectors()},
                         {"buffer_bytes", c.buffer.bytes}};
    const bool bus = !c.onfi.timeless;
    out["peak_mb_s"] = {{"link_to_host", rate(p.link_to_host > 0, p.link_to_host)},
                        {"channel_read", rate(bus, p.channel_read)}, {"channel_program", rate(bus, p.channel_program)},
                        {"die_read", p.die_read}, {"die_program", p.die_program}, {"dram", p.dram}};
    if (!notes.empty()) {
        out["notes"] = notes;
    }
    return out;
}

constexpr std::size_t kRowBytes = 128; // at most

const char* word_of(workload::Kind kind)
{
    switch (kind) {
    case workload::Kind::Read:
        return "read";
    case workload::Kind::Write:
        return "write";
    case workload::Kind::Flush:
        return "flush";
    case workload::Kind::Trim:
        return "trim";
    }
    return "";
}

void write_job(observe::CsvFile& file, u64 number, workload::Job& job)
{
    if (job.source->reactive() != nullptr) {
        throw InputError("--requests: launches depend on the device; use `tlmssd run --log`");
    }
    if (job.source->progress() < 0) {
        throw InputError("--requests: workload '" + job.rules.name +
                         "' has no end without a device; give workload.requests");
    }
    workload::Request request;
    while (job.source->next(request)) {
        char text[kRowBytes];
        char* at = observe::put_field(text, number);
        const auto next = [&at](auto value) {
            *at++ = ',';
            at = observe::put_field(at, value);
        };
        next(word_of(request.kind));
        next(request.lba);
        next(u64{request.sectors} * kSectorBytes);
        next(request.arrival);
        *at++ = '\n';
        file.add(text, static_cast<std::size_t>(at - text));
    }
}

/// The requests of all jobs, one job after the other.
void write_requests(const std::string& path, const std::vector<config::Workload>& workloads, const config::Config& c)
{
    observe::CsvFile file(path, "--requests");
    std::vector<workload::Job> jobs = workload::make_jobs(workloads, c.seed, c.logical_sectors(), &std::cerr);
    file.add("job,kind,lba,bytes,arrival_ns\n");
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        write_job(file, i, jobs[i]);
    }
    file.close();
}

} // namespace

Command add_describe(CLI::App& app)
{
    const auto a = std::make_shared<DeviceArguments>();
    CLI::App* const command =
        app.add_subcommand("describe", "the dry run: check a configuration without a simulation, and show every key, "
                                       "capacities and peak rates");
    const auto json = std::make_shared<bool>(false);
    add_config_arguments(*command, *a);
    add_seed(*command, *a);
    const auto requests = std::make_shared<std::string>();
    command->add_option("--requests", *requests,
                        "write the workload's requests, without a device, to FILE.csv, .csv.gz, .csv.xz or .csv.zst")
        ->option_text("FILE");
    command->add_flag("--json", *json, "print JSON on standard output: config, config_hash, capacities, peak_mb_s");
    command->footer("It takes the arguments of `tlmssd run` and reports the same errors in them.\n"
                    "Example:\n  tlmssd describe default --set sata.gbps=3");
    return {command, [command, a, json, requests] {
                a->jobs = jobs_of(command->parse_order());
                const config::Config config = config::load(config::device_file(a->config), overrides_of(*a));
                std::vector<std::string> notes = config.notes;
                std::vector<config::Workload> workloads = config.workloads();
                for (const std::string& note : workload::name_formats(workloads)) {
                    notes.push_back(note);
                }
                if (!requests->empty()) {
                    write_requests(*requests, workloads, config);
                }
                std::cout << (*json ? observe::text_of(json_of(config, notes)) : description(config, notes));
                return kExitDone;
            }};
}

} // namespace tlmssd::cli
