// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command line.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include <CLI/CLI.hpp>

#include "models/cli/command.h"
#include "models/cli/complete.h"
#include "models/cli/help.h"
#include "models/cli/terminal.h"
#include "models/common/error.h"
#include "models/common/huge_heap.h"
#include "models/common/interrupt.h"
#include "models/observe/output/format.h"
#include "models/observe/output/process.h"
#include "models/observe/output/standard_output.h"

namespace {

using namespace tlmssd;

/// No argument can write control characters to a terminal.
std::string printable_lines(const std::string& text)
{
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        out += observe::printable(line) + "\n";
    }
    return out;
}

void describe_program(CLI::App& app)
{
    app.formatter(cli::help_form());
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "print this help; `tlmssd VERB --help` explains a verb");
    app.set_version_flag("--version", std::string("tlmssd ") + observe::version() + " (" + observe::git_describe() + ")",
                         "print version and revision");
    app.footer("Examples:\n"
               "  tlmssd list devices                 what there is\n"
               "  tlmssd describe default             the dry run: check a configuration and show it\n"
               "  tlmssd run default --workload randread-4k --out out/first\n"
               "  tlmssd explain scheduler            what a key means\n"
               "A device and a workload are named, or given as a file; a workload may also be a fio job file or a\n"
               "block trace (--trace). --set KEY=VALUE changes any key; configs/README.md lists all keys.\n\n"
               "Exit status: 0 done, 2 wrong input, 3 the model or the device is wrong, 130 interrupted.\n"
               "Environment: NO_COLOR turns colour off, FORCE_COLOR turns it on.");
}

std::vector<cli::Command> add_verbs(CLI::App& app)
{
    std::vector<cli::Command> commands{cli::add_run(app), cli::add_describe(app), cli::add_list(app),
                                       cli::add_explain(app), cli::add_replay_ops(app)};
    for (cli::Command& command : cli::add_snapshot(app)) {
        commands.push_back(std::move(command));
    }
    commands.push_back(cli::add_powercut(app));
    commands.push_back(cli::add_serve(app));
    commands.push_back(cli::add_guest(app));
    return commands;
}

int dispatch(int argc, char** argv)
{
    CLI::App app("tlmssd models an SSD: host link, DRAM buffer, firmware, flash controller and NAND.", "tlmssd");
    describe_program(app);
    const std::vector<cli::Command> commands = add_verbs(app);
    if (argc > 1 && std::string(argv[1]) == "complete") { // for the completion of shells
        std::cout << cli::completions(app, std::vector<std::string>(argv + 2, argv + argc));
        return kExitDone;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) { // --help, --version
            app.exit(e);
            return kExitDone;
        }
        std::cerr << "tlmssd: " << printable_lines(cli::argument_message(app, e));
        return kExitInput;
    }
    try {
        for (const cli::Command& command : commands) {
            if (command.options->parsed()) {
                return command.run();
            }
        }
        throw ModelError("the command line has no command");
    } catch (const Interrupted&) {
        std::cerr << "tlmssd: interrupted before there were results; nothing is written\n";
        return kExitInterrupted;
    } catch (const InputError& e) {
        std::cerr << "tlmssd: " << observe::printable(e.what()) << '\n';
        return kExitInput;
    } catch (const ModelError& e) {
        std::istringstream lines(e.what());
        for (std::string line; std::getline(lines, line);) {
            std::cerr << "tlmssd: " << observe::printable(line) << '\n';
        }
        return kExitModel;
    }
}

/// A lack of memory can come from anywhere, before the arguments are known too.
int dispatch_in_memory(int argc, char** argv)
{
    try {
        return dispatch(argc, argv);
    } catch (const std::bad_alloc&) {
        std::cerr << "tlmssd: out of memory: this device needs more than the process may have\n";
        return kExitModel;
    }
}

} // namespace

int sc_main(int argc, char** argv)
{
    observe::StandardOutput output;
    const cli::ColouredMessages messages;
    const int status = dispatch_in_memory(argc, argv);
    const int error = output.finish();
    if (error == 0 || error == EPIPE || status != kExitDone) {
        return status;
    }
    std::cerr << "tlmssd: standard output: cannot write: " << std::strerror(error) << '\n';
    return kExitInput;
}

int main(int argc, char** argv)
{
    use_huge_heap();
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of its write, as on a full disk
    // The kernel's banner is not part of our output.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    return sc_core::sc_elab_and_sim(argc, argv);
}
