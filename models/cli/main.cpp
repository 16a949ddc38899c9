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
#include "models/common/error.h"
#include "models/common/huge_heap.h"
#include "models/observe/output/format.h"
#include "models/observe/output/standard_output.h"

namespace {

using namespace tlmssd;

int dispatch(int argc, char** argv)
{
    CLI::App app("tlmssd: a SystemC/TLM-2.0 model of an SSD controller", "tlmssd");
    app.require_subcommand(1);
    app.footer("Examples:\n"
               "  tlmssd run configs/ssd/default.yaml --workload randread-4k --out out/first\n"
               "  tlmssd run configs/ssd/default.yaml --trace FILE.xz --format msr --set scheduler=vaq\n"
               "  tlmssd run configs/ssd/default.yaml --trace A.csv --format msr --trace B.spc --quiet\n"
               "  tlmssd describe configs/ssd/mqsim_8x8.yaml\n"
               "  tlmssd replay-ops ops.csv.zst configs/ssd/default.yaml --set controller.kind=rtl\n"
               "Every key: configs/README.md. Exit status: 0 done, 2 wrong input, 3 the model or the\n"
               "device is wrong, 130 interrupted.");
    std::vector<cli::Command> commands{cli::add_run(app), cli::add_describe(app)};
    for (cli::Command& command : cli::add_snapshot(app)) {
        commands.push_back(std::move(command));
    }
    commands.push_back(cli::add_powercut(app, argc, argv));
    commands.push_back(cli::add_serve(app));
    commands.push_back(cli::add_replay_ops(app));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kExitDone : kExitInput;
    }
    try {
        for (const cli::Command& command : commands) {
            if (command.options->parsed()) {
                return command.run();
            }
        }
        throw ModelError("the command line has no command");
    } catch (const InputError& e) {
        std::cerr << "tlmssd: " << observe::printable(e.what()) << '\n';
        return kExitInput;
    } catch (const std::bad_alloc&) {
        std::cerr << "tlmssd: out of memory: this device needs more than the process may have\n";
        return kExitModel;
    } catch (const ModelError& e) {
        std::istringstream lines(e.what());
        for (std::string line; std::getline(lines, line);) {
            std::cerr << "tlmssd: " << observe::printable(line) << '\n';
        }
        return kExitModel;
    }
}

} // namespace

int sc_main(int argc, char** argv)
{
    observe::StandardOutput output;
    const int status = dispatch(argc, argv);
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
