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
        app.add_subcommand("serve", "serve a device as an NBD server for fio, nbdcopy or qemu");
    add_device_arguments(*command, *device);
    add_seed(*command, *device);
    command->add_option("--socket", a->socket, "Unix socket that clients connect to")->required()->option_text("FILE");
    command->add_option("--device", a->device,
                        "file that keeps the cells: made where it is missing, else mounted; requires ftl.recovery")
        ->option_text("FILE");
    command->add_option("--threads", a->threads, "requests of one connection that the device gets at the same time")
        ->capture_default_str()
        ->check(CLI::Range(1, 128));
    command->add_option("-o,--out", a->out, "directory for results.json, written at the end and at SIGUSR1")
        ->option_text("DIR");
    command->add_flag("-q,--quiet", a->quiet, "print no tables");
    command->footer("It sets data: full. A new device is empty; precondition.* counts only where --set gives it. SIGINT\n"
                    "and SIGTERM end it after a FLUSH; SIGUSR1 shows what has been measured so far.\n"
                    "docs/guides/nbd-server.md\nExample:\n"
                    "  tlmssd serve default --socket /tmp/ssd.sock &\n"
                    "  nbdcopy disk.img 'nbd+unix:///?socket=/tmp/ssd.sock'");
    return {command, [device, a] { return serve_device(*a, *device); }};
}

} // namespace tlmssd::cli
