// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: numbers and text as people read them.
#include "models/observe/output/format.h"

#include <charconv>
#include <sstream>

namespace tlmssd::observe {

std::string grouped(u64 value)
{
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string fixed(double value, int decimals)
{
    char buffer[400]; // the longest double has 309 digits before the point
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
    return std::string(buffer, end.ptr);
}

std::string printable(const std::string& text)
{
    static const char* const kHex = "0123456789abcdef";
    std::string out;
    for (const unsigned char c : text) {
        if (c >= 0x20 && c < 0x7f) {
            out += static_cast<char>(c);
        } else {
            out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
        }
    }
    return out;
}

void append_lines(const std::string& text, std::vector<std::string>& lines)
{
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
}

} // namespace tlmssd::observe
