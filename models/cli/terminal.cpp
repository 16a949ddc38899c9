// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: colour on a terminal.
#include "models/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

namespace tlmssd::cli {

namespace {

const char kBold[] = "\033[1m";
const char kRed[] = "\033[1;31m";
const char kYellow[] = "\033[1;33m";
const char kPlain[] = "\033[0m";

bool starts_with(std::string_view text, std::string_view start)
{
    return text.substr(0, start.size()) == start;
}

std::string in(const char* colour, const std::string& text) { return colour + text + kPlain; }

/// `line` with what stands from `from` to `to` in `colour`.
std::string part_in(const char* colour, const std::string& line, std::size_t from, std::size_t to)
{
    if (from == std::string::npos || to == std::string::npos || from >= to) {
        return line;
    }
    return line.substr(0, from) + in(colour, line.substr(from, to - from)) + line.substr(to);
}

std::string after(const std::string& line, const std::string& words, const std::string& end, const char* colour)
{
    const std::size_t at = line.find(words);
    if (at == std::string::npos) {
        return line;
    }
    const std::size_t from = at + words.size();
    const std::size_t to = end.empty() ? line.size() : line.find(end, from);
    return part_in(colour, line, from, to);
}

/// The number before `words`, where it is not 0.
std::string wrong_count(const std::string& line, const std::string& words)
{
    const std::size_t at = line.find(words);
    if (at == std::string::npos || at == 0) {
        return line;
    }
    const std::size_t blank = line.rfind(' ', at - 1);
    const std::size_t from = blank == std::string::npos ? 0 : blank + 1;
    return line.substr(from, at - from) == "0" ? line : part_in(kRed, line, from, at + words.size());
}

std::string coloured_line(const std::string& line)
{
    if (starts_with(line, "run ")) {
        const std::size_t status = line.rfind(": ");
        const bool done = status == std::string::npos || line.substr(status) == ": done";
        return done ? line : part_in(kRed, line, status + 2, line.size());
    }
    if (starts_with(line, "bound ")) {
        return after(line, " by ", ";", kYellow);
    }
    if (starts_with(line, "checks ")) {
        return wrong_count(wrong_count(line, " protocol violations"), " mismatches");
    }
    if (starts_with(line, "note ")) {
        return in(kYellow, line);
    }
    return line.find("IOPS") != std::string::npos && starts_with(line, " ") ? in(kBold, line) : line;
}

} // namespace

bool has_colour(int stream)
{
    const auto set = [](const char* name) {
        const char* const value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    if (set("FORCE_COLOR") && std::string_view(std::getenv("FORCE_COLOR")) != "0") {
        return true;
    }
    const bool dumb = set("TERM") && std::string_view(std::getenv("TERM")) == "dumb";
    return isatty(stream) == 1 && !set("NO_COLOR") && !dumb;
}

std::string coloured_table(const std::string& table)
{
    std::istringstream lines(table);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        out += coloured_line(line) + "\n";
    }
    return out;
}

ColouredMessages::ColouredMessages()
{
    if (has_colour(STDERR_FILENO)) {
        before_ = std::cerr.rdbuf(this);
    }
}

ColouredMessages::~ColouredMessages()
{
    if (before_ != nullptr) {
        std::cerr.rdbuf(before_);
    }
}

ColouredMessages::int_type ColouredMessages::overflow(int_type byte)
{
    if (traits_type::eq_int_type(byte, traits_type::eof())) {
        return traits_type::not_eof(byte);
    }
    at_start_ = byte == '\n';
    return before_->sputc(traits_type::to_char_type(byte));
}

std::streamsize ColouredMessages::xsputn(const char* text, std::streamsize size)
{
    const std::string_view all(text, static_cast<std::size_t>(size));
    std::string shown(all);
    if (at_start_) {
        for (const auto& [word, colour] : {std::pair{"tlmssd:", kRed}, std::pair{"warning:", kYellow}}) {
            if (starts_with(all, word)) {
                shown = in(colour, word) + std::string(all.substr(std::string_view(word).size()));
            }
        }
    }
    at_start_ = !all.empty() && all.back() == '\n';
    const auto length = static_cast<std::streamsize>(shown.size());
    return before_->sputn(shown.data(), length) == length ? size : 0;
}

int ColouredMessages::sync() { return before_->pubsync(); }

} // namespace tlmssd::cli
