// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fio's numbers: sizes with prefixes, times with units.
#include "models/config/text/fio_units.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace tlmssd::config {
namespace {

std::string lower(std::string text)
{
    for (char& c : text) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

/// The number that `text` starts with, and what stands behind it.
std::optional<u64> leading(const std::string& text, std::string& rest)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char* first = text.data() + (hex ? 2 : 0);
    const char* last = text.data() + text.size();
    u64 value = 0;
    const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
    if (error != std::errc()) {
        return std::nullopt;
    }
    rest = lower(std::string(end, last));
    return value;
}

std::optional<u64> times(u64 value, u64 factor)
{
    if (factor != 0 && value > std::numeric_limits<u64>::max() / factor) {
        return std::nullopt;
    }
    return value * factor;
}

} // namespace

std::optional<u64> parse_fio_size(const std::string& text, u32 kb_base)
{
    std::string unit;
    const std::optional<u64> number = leading(text, unit);
    if (!number) {
        return std::nullopt;
    }
    if (!unit.empty() && unit.back() == 'b') {
        unit.pop_back();
    }
    if (unit.empty()) {
        return number;
    }
    static const std::string kPrefixes = "kmgtp";
    const std::size_t power = kPrefixes.find(unit[0]);
    const bool with_i = unit.size() == 2 && unit[1] == 'i';
    if (power == std::string::npos || (unit.size() > 1 && !with_i)) {
        return std::nullopt;
    }
    const u64 base = (kb_base == 1024) != with_i ? 1024 : 1000;
    u64 factor = 1;
    for (std::size_t i = 0; i <= power; ++i) {
        factor *= base;
    }
    return times(*number, factor);
}

std::optional<u64> parse_fio_time(const std::string& text, u64 unit_us)
{
    std::string unit;
    const std::optional<u64> number = leading(text, unit);
    if (!number) {
        return std::nullopt;
    }
    struct Unit {
        const char* name;
        u64 us;
    };
    static constexpr Unit kUnits[] = {{"us", 1},          {"usec", 1},        {"ms", 1000},
                                      {"msec", 1000},     {"s", 1000000},     {"sec", 1000000},
                                      {"m", 60000000},    {"h", 3600000000u}, {"d", 86400000000u}};
    if (unit.empty()) {
        return times(*number, unit_us);
    }
    for (const Unit& known : kUnits) {
        if (unit == known.name) {
            return times(*number, known.us);
        }
    }
    return std::nullopt;
}

std::optional<double> parse_decimal(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                              std::chars_format::fixed);
    if (text.empty() || text[0] == '-' || error != std::errc() ||
        end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

std::optional<u32> parse_hundredths(const std::string& text, u32 most)
{
    const std::size_t dot = text.find('.');
    const std::size_t decimals = dot == std::string::npos ? 0 : text.size() - dot - 1;
    const std::optional<double> value = parse_decimal(text);
    if (!value || decimals > 2 || *value * 100 > static_cast<double>(most) + 0.5) {
        return std::nullopt;
    }
    return static_cast<u32>(std::lround(*value * 100));
}

std::vector<std::string> split_text(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string trimmed(const std::string& text)
{
    static constexpr char kBlank[] = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string::npos) {
        return "";
    }
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

} // namespace tlmssd::config
