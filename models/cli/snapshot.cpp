// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `snapshot` with its own: save, info and load.
#include <cstdio>
#include <iostream>
#include <memory>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/observe/output/format.h"
#include "models/observe/output/write_file.h"
#include "models/powercut/snapshot_info.h"
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
        throw InputError("snapshot save: --trace, --workload, --format, --trace-columns and --lenient "
                         "require --after-workload");
    }
    catch_interrupts();
    run::RunOptions options;
    options.warnings = &std::cerr;
    const config::Config config = load(a.device);
    run::Simulation simulation(config, options);
    std::remove(observe::prepare_file(a.file).c_str()); // said now, not when the device has aged
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
        "save", "precondition a device, then write what its flash holds to a file");
    add_config_arguments(*command, a->device);
    add_seed(*command, a->device);
    command->add_flag("--after-workload", a->after_workload,
                      "also run the workload; then FLUSH, and wait until the device is idle");
    command->add_option("-o,--out", a->file, "the snapshot file")->required()->option_text("FILE");
    command->footer("It requires ftl.recovery: scan or journal. Example:\n"
                    "  tlmssd snapshot save default --set ftl.recovery=scan \\\n"
                    "      --set precondition.fill=1 -o aged.snapshot\n"
                    "  tlmssd run default --set ftl.recovery=scan --snapshot aged.snapshot");
    return {command, [command, a] {
                a->device.jobs = jobs_of(command->parse_order());
                return save(*a);
            }};
}

Command add_info(CLI::App& commands)
{
    const auto file = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    CLI::App* const command = commands.add_subcommand("info", "check a snapshot file and show what it holds");
    command->add_option("FILE", *file, "the snapshot file")->required();
    command->add_flag("--json", *json, "print JSON on standard output, instead of a table");
    command->footer("Example:\n  tlmssd snapshot info aged.snapshot");
    return {command, [file, json] {
                const observe::Json info = powercut::snapshot_info(*file);
                std::cout << (*json ? observe::text_of(info) : powercut::table_of_snapshot(info));
                return kExitDone;
            }};
}

Command add_load(CLI::App& commands)
{
    const auto a = std::make_shared<DeviceArguments>();
    const auto file = std::make_shared<std::string>();
    CLI::App* const command = commands.add_subcommand(
        "load", "check that a device mounts from a snapshot file: mount it in simulated time and read all of it");
    command->add_option("FILE", *file, "the snapshot file")->required();
    add_device_arguments(*command, *a);
    add_seed(*command, *a);
    command->footer("Status 2: the file does not fit the configuration. Status 3: the firmware does not find\n"
                    "what was written. `tlmssd run --snapshot FILE` runs a workload on the device. Example:\n"
                    "  tlmssd snapshot load aged.snapshot default --set ftl.recovery=scan");
    return {command, [a, file] { return powercut::snapshot_load(*file, load(*a)); }};
}

} // namespace

std::vector<Command> add_snapshot(CLI::App& app)
{
    CLI::App* const commands =
        app.add_subcommand("snapshot", "save devices in files, check them, and begin runs with them (docs/guides/snapshots.md)");
    commands->require_subcommand(1);
    return {add_save(*commands), add_info(*commands), add_load(*commands)};
}

} // namespace tlmssd::cli
