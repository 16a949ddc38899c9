// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommands of the program, one a file.
#pragma once

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace tlmssd::cli {

struct Command {
    CLI::App* options = nullptr; ///< parsed() where the user has named this command
    std::function<int()> run;    ///< the exit status; InputError, ModelError
};

// Each adds its subcommand to `app`, with options and help.
Command add_run(CLI::App& app);
Command add_describe(CLI::App& app);
std::vector<Command> add_snapshot(CLI::App& app); ///< save, info and load
Command add_powercut(CLI::App& app);
Command add_serve(CLI::App& app);
Command add_guest(CLI::App& app);
Command add_replay_ops(CLI::App& app);
Command add_list(CLI::App& app);
Command add_explain(CLI::App& app);

} // namespace tlmssd::cli
