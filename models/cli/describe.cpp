// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `describe`.
#include <cstdio>
#include <iostream>
#include <memory>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/ssd/peak_rates.h"

namespace tlmssd::cli {

namespace {

/// The resolved configuration, then capacities and peak rates computed from it.
std::string description(const config::Config& c)
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
    return text;
}

} // namespace

Command add_describe(CLI::App& app)
{
    const auto a = std::make_shared<DeviceArguments>();
    CLI::App* const command =
        app.add_subcommand("describe", "show the resolved configuration, capacities and peak rates");
    add_config_arguments(*command, *a);
    command->footer("Example:\n  tlmssd describe configs/ssd/default.yaml --set sata.gbps=3");
    return {command, [command, a] {
                a->jobs = jobs_of(command->parse_order());
                std::cout << description(load(*a));
                return kExitDone;
            }};
}

} // namespace tlmssd::cli
