// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `powercut`.
#include "models/powercut/power_cuts.h"

#include <map>
#include <memory>
#include <string>

#include "models/cli/arguments.h"
#include "models/cli/command.h"
#include "models/common/interrupt.h"

namespace tlmssd::cli {

namespace {

/// A word as a shell takes it.
std::string quoted(const std::string& word)
{
    const bool plain = word.find_first_of(" '\"$&;|<>()*?[]{}\\`!#~") == std::string::npos && !word.empty();
    return plain ? word : "'" + word + "'";
}

/// The command line without --cuts, --seed and --jobs: what repeats a failure begins with it.
std::string without_counts(const CLI::App& command)
{
    std::string text = "tlmssd powercut";
    std::map<const CLI::Option*, std::size_t> used; // values of each option
    for (const CLI::Option* option : command.parse_order()) {
        const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
        const std::size_t number = used[option]++;
        if (name == "cuts" || name == "seed" || name == "jobs") {
            continue;
        }
        text += name.empty() ? "" : " --" + name;
        if (option->get_items_expected_max() > 0) {
            text += " " + quoted(option->results().at(number));
        }
    }
    return text;
}

} // namespace

Command add_powercut(CLI::App& app)
{
    const auto device = std::make_shared<DeviceArguments>();
    const auto a = std::make_shared<powercut::PowerCutArguments>();
    const auto output = std::make_shared<OutputArguments>();
    CLI::App* const command = app.add_subcommand(
        "powercut", "cut the power of a device at random instants, mount it, and check what has survived");
    add_config_arguments(*command, *device);
    command->add_option("--cuts", a->cuts, "number of cuts")->capture_default_str()->check(CLI::Range(1ull, 1000000000ull));
    command->add_option("--seed", a->seed, "seed of the first device; each further device has the next seed")
        ->capture_default_str();
    command->add_option("-j,--jobs", a->jobs, "processes at the same time")
        ->capture_default_str()
        ->check(CLI::Range(1, 256));
    command->add_option("--lives", a->lives, "cuts of one device; then a new one begins")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    command->add_option("--within", a->within, "longest simulated time that a device works before the next cut")
        ->capture_default_str();
    add_output_arguments(*command, *output, "print no table");
    command->footer(
        "It requires ftl.recovery: scan or journal. Each device is preconditioned, works, is cut, mounted in simulated time\n"
        "and read back; then it works on. docs/explanation/power-loss.md. Exit status 3: something was lost, or the\n"
        "model is wrong. Example:\n"
        "  tlmssd powercut powercut --cuts 200 --set scheduler=vaq");
    return {command, [=] {
                device->jobs = jobs_of(command->parse_order());
                a->command = without_counts(*command);
                a->quiet = output->quiet;
                a->json = output->json;
                catch_interrupts(SleepingCall::Fails);
                return powercut::power_cuts(*a, load(*device));
            }};
}

} // namespace tlmssd::cli
