// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: candidates for the last word of a command line, for the completion of shells (scripts/completion).
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tlmssd::cli {

/// Lines "CANDIDATE<tab>SENTENCE", and the line ":files" where a path can stand too. `words`: those after the
/// program, the last one as far as it is typed.
std::string completions(const CLI::App& app, const std::vector<std::string>& words);

} // namespace tlmssd::cli
