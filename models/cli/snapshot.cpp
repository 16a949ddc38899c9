// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `snapshot` with its own: save, info and load.
#include <cstdio>
#include <iostream>
#include <memory>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/observe/output/format.h"
#include "models/observe/output/write_file.h"
#include "models/powercut/snapshot_info.h"
#include "models/run/interrupt.h"
#include "models/run/simulation.h"

namespace tlmssd::cli {

namespace {

struct SaveArguments {
    DeviceArguments device;
    std::string file;
    bool after_workload = false;
};

int save(const SaveArguments& a)
{
    if (!a.after_workload && !(a.device.jobs.empty() && !a.device.lenient)) {
        throw InputError("snapshot save: --trace, --workload, --format, --trace-columns and --lenient need "
                         "--after-workload");
    }
    run::RunOptions options;
    options.warnings = &std::cerr;
    const config::Config config = load(a.device);
    run::Simulation simulation(config, options);
    std::remove(observe::prepare_file(a.file).c_str()); // said now, not when the device has aged
    run::catch_interrupts();
    const run::RunStatus status = simulation.save_snapshot(a.file, a.after_workload);
    for (const std::string& failure : simulation.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    return run::exit_status(status);
}

Command add_save(CLI::App& commands)
{
    const auto a = std::make_shared<SaveArguments>();
    CLI::App* const command = commands.add_subcommand(
        "save", "do what precondition.* says, then write what the flash holds to a file");
    add_config_arguments(*command, a->device);
    command->add_flag("--after-workload", a->after_workload,
                      "run the workload too; then FLUSH, and wait until the device rests");
    command->add_option("-o,--out", a->file, "the file")->required();
    command->footer("Needs ftl.recovery: scan or journal. Example:\n"
                    "  tlmssd snapshot save configs/ssd/default.yaml --set ftl.recovery=scan \\\n"
                    "      --set precondition.fill=1 -o aged.snapshot\n"
                    "  tlmssd run configs/ssd/default.yaml --set ftl.recovery=scan --snapshot aged.snapshot");
    return {command, [command, a] {
                a->device.jobs = jobs_of(command->parse_order());
                return save(*a);
            }};
}

Command add_info(CLI::App& commands)
{
    const auto file = std::make_shared<std::string>();
    CLI::App* const command = commands.add_subcommand("info", "check a file and say what is in it");
    command->add_option("FILE", *file, "the file")->required();
    return {command, [file] {
                std::cout << powercut::snapshot_info(*file);
                return kExitDone;
            }};
}

Command add_load(CLI::App& commands)
{
    const auto a = std::make_shared<DeviceArguments>();
    const auto file = std::make_shared<std::string>();
    CLI::App* const command = commands.add_subcommand(
        "load", "check that a device comes up from a file: mount it in simulated time and read all of it");
    command->add_option("FILE", *file, "the file")->required();
    add_device_arguments(*command, *a);
    command->footer("Status 2: the file does not fit the configuration. Status 3: the firmware does not find\n"
                    "what was written. To run a workload on it: tlmssd run --snapshot. Example:\n"
                    "  tlmssd snapshot load aged.snapshot configs/ssd/default.yaml --set ftl.recovery=scan");
    return {command, [a, file] { return powercut::snapshot_load(*file, load(*a)); }};
}

} // namespace

std::vector<Command> add_snapshot(CLI::App& app)
{
    CLI::App* const commands =
        app.add_subcommand("snapshot", "devices in files, to begin runs with (docs/guides/snapshots.md)");
    commands->require_subcommand(1);
    return {add_save(*commands), add_info(*commands), add_load(*commands)};
}

} // namespace tlmssd::cli
