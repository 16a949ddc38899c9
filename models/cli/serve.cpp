// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `serve`.
#include "models/serve/serve.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "models/cli/arguments.h"
#include "models/cli/command.h"

namespace tlmssd::cli {

namespace {

int serve_device(const serve::ServeArguments& a, DeviceArguments device)
{
    const bool filled = std::any_of(device.sets.begin(), device.sets.end(), [](const std::string& set) {
        return set.rfind("precondition.", 0) == 0;
    });
    device.sets.insert(device.sets.begin(), "data=full");
    config::Config config = load(device);
    if (!filled) { // what the file asks for is for runs: a new disk is empty
        config.precondition = config::Precondition();
    }
    return serve::serve(a, std::move(config));
}

} // namespace

Command add_serve(CLI::App& app)
{
    const auto device = std::make_shared<DeviceArguments>();
    const auto a = std::make_shared<serve::ServeArguments>();
    CLI::App* const command =
        app.add_subcommand("serve", "the device as an NBD server for fio, nbdcopy, qemu");
    add_device_arguments(*command, *device);
    command->add_option("--socket", a->socket, "Unix socket that clients connect to")->required();
    command->add_option("--device", a->device,
                        "file that keeps the cells: made where there is none, mounted where there is one; needs ftl.recovery");
    command->add_option("--threads", a->threads, "requests of one connection that the device gets at a time")
        ->capture_default_str()
        ->check(CLI::Range(1, 128));
    command->add_option("--out", a->out, "directory for results.json, at the end and at SIGUSR1");
    command->add_flag("--quiet", a->quiet, "no tables");
    command->footer("Sets data: full; a new device is empty, precondition.* counts only where --set gives it. Ends with\n"
                    "SIGINT or SIGTERM, after a FLUSH; SIGUSR1 shows what has been measured so far. docs/guides/nbd-server.md. Example:\n"
                    "  tlmssd serve configs/ssd/default.yaml --socket /tmp/ssd.sock &\n"
                    "  nbdcopy disk.img 'nbd+unix:///?socket=/tmp/ssd.sock'");
    return {command, [device, a] { return serve_device(*a, *device); }};
}

} // namespace tlmssd::cli
