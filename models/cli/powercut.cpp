// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `powercut`.
#include "models/powercut/power_cuts.h"

#include <memory>
#include <string>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/run/interrupt.h"

namespace tlmssd::cli {

namespace {

/// The command line without --cuts, --seed and --jobs: what repeats a failure begins with it.
std::string without_counts(int argc, const char* const* argv)
{
    std::string text = "tlmssd";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        bool left_out = false;
        for (const char* const name : {"--cuts", "--seed", "--jobs"}) {
            if (word == name) {
                ++i;
                left_out = true;
            } else if (word.rfind(std::string(name) + "=", 0) == 0) {
                left_out = true;
            }
        }
        const bool plain = word.find_first_of(" '\"$&;|<>()*?[]{}\\`!#~") == std::string::npos && !word.empty();
        if (!left_out) {
            text += " " + (plain ? word : "'" + word + "'");
        }
    }
    return text;
}

} // namespace

Command add_powercut(CLI::App& app, int argc, const char* const* argv)
{
    const auto device = std::make_shared<DeviceArguments>();
    const auto a = std::make_shared<powercut::PowerCutArguments>();
    CLI::App* const command = app.add_subcommand(
        "powercut", "cut the power at random instants, mount, and check what has survived");
    add_config_arguments(*command, *device);
    command->add_option("--cuts", a->cuts, "how many")->capture_default_str()->check(CLI::Range(1ull, 1000000000ull));
    command->add_option("--seed", a->seed, "of the first device; the next one has the next seed")->capture_default_str();
    command->add_option("--jobs", a->jobs, "processes at a time")->capture_default_str()->check(CLI::Range(1, 256));
    command->add_option("--lives", a->lives, "cuts of one device, then comes a new one")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    command->add_option("--within", a->within, "simulated time that a device works at most before the next cut")
        ->capture_default_str();
    command->add_flag("--quiet", a->quiet, "no table");
    command->footer(
        "Needs ftl.recovery: scan or journal. Each device is preconditioned, works, is cut, mounted in simulated time,\n"
        "read back and worked on, and so on. docs/explanation/power-loss.md. Exit status 3: something was lost, or the\n"
        "model is wrong. Example:\n"
        "  tlmssd powercut configs/ssd/powercut.yaml --cuts 200 --set scheduler=vaq");
    return {command, [=] {
                device->jobs = jobs_of(command->parse_order());
                a->command = without_counts(argc, argv);
                run::catch_interrupts();
                return powercut::power_cuts(*a, load(*device));
            }};
}

} // namespace tlmssd::cli
