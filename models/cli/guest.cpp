// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `guest`.
#include "models/guest/guest.h"

#include <map>
#include <memory>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/config/rules/named_files.h"

namespace tlmssd::cli {

Command add_guest(CLI::App& app)
{
    const auto device = std::make_shared<DeviceArguments>();
    const auto a = std::make_shared<guest::GuestArguments>();
    CLI::App* const command = app.add_subcommand("guest", "let a Linux kernel drive the device by its registers");
    add_device_arguments(*command, *device);
    command->add_option("--uml", a->kernel, "User-Mode Linux kernel, as scripts/setup --for linux makes it")
        ->required()
        ->option_text("FILE");
    command->add_option("--init", a->init, "what the guest runs first; it sees the host's files, read-only")
        ->required()
        ->option_text("FILE");
    command->add_option("--controller", a->controller, "nvme or ahci")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, guest::Controller>{{"nvme", guest::Controller::Nvme}, {"ahci", guest::Controller::Ahci}}))
        ->option_text("NAME");
    command->add_option("--memory", a->memory, "memory of the guest")->capture_default_str()->option_text("SIZE");
    command->add_option("--append", a->append, "a word of the kernel's command line; KEY=value is in the environment")
        ->option_text("WORD");
    command->add_option("--disk", a->disk,
                        "file that keeps the flash cells: made where it is missing, else mounted; requires ftl.recovery")
        ->option_text("FILE");
    command->add_option("--cut-at", a->cut_at_s, "cut the device's supply at this simulated time and end, in seconds")
        ->check(CLI::PositiveNumber)
        ->option_text("SECONDS");
    command->add_option("--remove-at", a->remove_at_s, "take the device away at this simulated time, in seconds; the guest goes on")
        ->check(CLI::PositiveNumber)
        ->option_text("SECONDS");
    command->add_option("--console", a->console, "file that gets the guest's console")->option_text("FILE");
    command->add_option("-o,--out", a->out, "directory for results.json")->option_text("DIR");
    command->add_flag("-q,--quiet", a->quiet, "print no summary");
    command->footer("The guest's clock is the simulation's: its time passes where it sleeps, waits or reads the clock, and\n"
                    "its CPU takes none. data is full and the disk empty; precondition.* counts only where --set gives it.\n"
                    "docs/explanation/linux.md\nExample:\n"
                    "  tlmssd guest default --uml linux --init ./init.sh --controller ahci");
    return {command, [device, a] {
                config::Overrides overrides = overrides_of(*device);
                a->config = config::device_file(device->config);
                a->sets = overrides.sets;
                a->sets.insert(a->sets.begin(), "precondition.fill=0");
                return guest::guest(*a);
            }};
}

} // namespace tlmssd::cli
