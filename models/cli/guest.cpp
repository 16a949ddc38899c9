// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `guest`.
#include "models/guest/guest.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/config/rules/named_files.h"

namespace tlmssd::cli {

namespace {

/// The value of a word. InputError names the nearest.
template <class Value>
Value chosen(const char* option, const std::string& word, const std::map<std::string, Value>& values)
{
    const auto found = values.find(word);
    if (found != values.end()) {
        return found->second;
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : values) {
        names.push_back(name);
    }
    throw InputError(std::string("guest: ") + option + ": '" + word + "' is not known; did you mean '" +
                     nearest_of(word, names) + "'?");
}

/// What one way of running a guest has and the other lacks. InputError.
void check(const guest::GuestArguments& a, const CLI::Option& uml, const CLI::Option& qemu,
           const std::vector<CLI::Option*>& qemus)
{
    if (uml.empty() == qemu.empty()) {
        throw InputError(uml.empty() ? "guest: requires --uml FILE or --qemu free|paced"
                                     : "guest: --uml conflicts with --qemu: a guest runs in one of them");
    }
    if (qemu.empty()) {
        for (const CLI::Option* option : qemus) {
            if (!option->empty()) {
                throw InputError("guest: " + option->get_name() + " requires --qemu free|paced");
            }
        }
        if (a.init.empty()) {
            throw InputError("guest: --uml requires --init FILE");
        }
        return;
    }
    if (!a.init.empty()) {
        throw InputError("guest: --init requires --uml; QEMU takes --initrd FILE");
    }
    if (a.transport == guest::Transport::QemuFree && (a.cut_at_s > 0 || a.remove_at_s > 0)) {
        throw InputError(std::string("guest: ") + (a.cut_at_s > 0 ? "--cut-at" : "--remove-at") +
                         " requires --uml or --qemu paced: with free the time does not move while the device is idle");
    }
    for (const CLI::Option* option : qemus) {
        const bool file = !option->empty() && option->get_name() != "--machine";
        const std::string path = file ? option->as<std::string>() : "";
        if (!path.empty() && access(path.c_str(), R_OK) != 0) {
            throw InputError("guest: " + option->get_name() + " " + path + ": " + std::strerror(errno));
        }
    }
    if (a.memory.find_first_not_of("0123456789KMG") != std::string::npos) {
        throw InputError("guest: --memory " + a.memory + ": a number and K, M or G, such as 512M");
    }
}

} // namespace

Command add_guest(CLI::App& app)
{
    const auto device = std::make_shared<DeviceArguments>();
    const auto a = std::make_shared<guest::GuestArguments>();
    const auto timeline = std::make_shared<TimelineArguments>();
    const auto kernel = std::make_shared<std::string>(), time = std::make_shared<std::string>(),
               controller = std::make_shared<std::string>("nvme");
    CLI::App* const command = app.add_subcommand("guest", "let a Linux kernel drive the device by its registers");
    add_device_arguments(*command, *device);
    CLI::Option* const uml =
        command->add_option("--uml", a->kernel, "User-Mode Linux kernel, as scripts/setup --for linux makes it")
            ->option_text("FILE");
    command->add_option("--init", a->init, "with --uml: what the guest runs first; it sees the host's files, read-only")
        ->option_text("FILE");
    CLI::Option* const qemu =
        command->add_option("--qemu", *time,
                            "QEMU: free (simulated time runs as fast as it can) or paced (it is wall time)")
            ->option_text("TIME");
    const auto of_qemu = [command](const char* name, std::string& target, const char* words, const char* text) {
        return command->add_option(name, target, words)->option_text(text);
    };
    const std::vector<CLI::Option*> qemus{
        of_qemu("--machine", a->machine, "with --qemu: the PC, q35 (default) or pc, which U-Boot requires", "NAME"),
        of_qemu("--kernel", *kernel,
                "with --qemu: kernel that QEMU loads; without it the firmware boots from the disk", "FILE"),
        of_qemu("--initrd", a->initrd, "with --qemu: the kernel's first file system", "FILE"),
        of_qemu("--firmware", a->firmware, "with --qemu: firmware in place of SeaBIOS", "FILE"),
        of_qemu("--share", a->share, "with --qemu: folder that the guest sees read-only, by 9p with tag host", "DIR"),
        of_qemu("--input", a->input, "with --qemu: file of the console's input", "FILE"),
        of_qemu("--program", a->program, "with --qemu: QEMU (default: /usr/bin/qemu-system-x86_64)", "FILE")};
    command->add_option("--controller", *controller, "nvme (default) or ahci")->option_text("NAME");
    command->add_option("--memory", a->memory, "memory of the guest (default: 256M, with --qemu 512M)")
        ->option_text("SIZE");
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
    add_timeline_arguments(*command, *timeline);
    command->add_option("--log", a->observation.log,
                        "write one row per request, with its stages, to FILE.csv, .csv.gz, .csv.xz or .csv.zst")
        ->option_text("FILE");
    command->add_option("-o,--out", a->out, "directory for results.json")->option_text("DIR");
    command->add_flag("-q,--quiet", a->quiet, "print no summary");
    command->footer("With --uml the guest's clock is the simulation's: its time passes where it sleeps, waits or reads\n"
                    "the clock, and its CPU takes none. With --qemu the guest lives in wall time.\n"
                    "data is full and the disk empty; precondition.* counts only where --set gives it.\n"
                    "docs/explanation/linux.md, docs/explanation/qemu.md\nExamples:\n"
                    "  tlmssd guest default --uml linux --init ./init.sh --controller ahci\n"
                    "  tlmssd guest default --qemu free --kernel vmlinuz --initrd initrd --append console=ttyS0");
    return {command, [=] {
                using guest::Controller, guest::Transport;
                a->controller = chosen<Controller>("--controller", *controller,
                                                   {{"nvme", Controller::Nvme}, {"ahci", Controller::Ahci}});
                if (!qemu->empty()) {
                    a->transport = chosen<Transport>("--qemu", *time,
                                                     {{"free", Transport::QemuFree}, {"paced", Transport::QemuPaced}});
                }
                a->machine = chosen<std::string>("--machine", a->machine, {{"q35", "q35"}, {"pc", "pc"}});
                check(*a, *uml, *qemu, qemus);
                if (!qemu->empty()) {
                    a->kernel = *kernel;
                }
                config::Overrides overrides = overrides_of(*device);
                const observe::Timeline::Window window = timeline_window(*timeline);
                a->observation.timeline = timeline->file;
                a->observation.timeline_from_ps = window.from.value();
                a->observation.timeline_to_ps = window.to.value();
                a->config = config::device_file(device->config);
                a->sets = overrides.sets;
                a->sets.insert(a->sets.begin(), "precondition.fill=0");
                return guest::guest(*a);
            }};
}

} // namespace tlmssd::cli
