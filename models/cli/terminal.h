// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: colour on a terminal. Text that does not go to a terminal is the same without it.
#pragma once

#include <streambuf>
#include <string>

namespace tlmssd::cli {

/// Whether the stream of this number (1, 2) gets colour: a terminal, and neither NO_COLOR nor TERM=dumb is set.
/// FORCE_COLOR, not empty and not 0, wants it always.
bool has_colour(int stream);

/// The table of results with its heads bold, and in colour: the limiter, and what is wrong.
std::string coloured_table(const std::string& table);

/// While it lives, std::cerr shows the first word of a message ("tlmssd:", "warning:") in colour.
class ColouredMessages final : private std::streambuf {
public:
    ColouredMessages();
    ~ColouredMessages() override;
    ColouredMessages(const ColouredMessages&) = delete;
    ColouredMessages& operator=(const ColouredMessages&) = delete;

private:
    int_type overflow(int_type byte) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

    std::streambuf* before_ = nullptr; ///< null: no colour
    bool at_start_ = true; ///< of a line
};

} // namespace tlmssd::cli
