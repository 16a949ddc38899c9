// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the form of help texts, and what an argument that is wrong may have meant.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace tlmssd::cli {

/// Help of at most 100 columns.
std::shared_ptr<CLI::FormatterBase> help_form();

/// The message for arguments that `app` does not take: its own, and the nearest verb or option.
std::string argument_message(const CLI::App& app, const CLI::ParseError& error);

} // namespace tlmssd::cli
