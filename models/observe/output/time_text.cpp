// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading times.
#include "models/observe/output/time_text.h"

#include <limits>

#include "models/common/error.h"
#include "models/common/types.h"

namespace tlmssd::observe {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Decimal digits from the picosecond up to one of the unit; -1: no such unit.
int digits_of(const std::string& unit)
{
    static constexpr struct {
        const char* name;
        int digits;
    } kUnits[] = {{"ps", 0}, {"ns", 3}, {"us", 6}, {"ms", 9}, {"s", 12}};
    for (const auto& u : kUnits) {
        if (unit == u.name) {
            return u.digits;
        }
    }
    return -1;
}

} // namespace

Picoseconds time_of(const std::string& text, const std::string& option)
{
    const auto fail = [&](const std::string& why) -> InputError {
        return InputError(option + ": '" + text + "' " + why);
    };
    std::string digits;
    int decimals = 0;
    bool point = false;
    std::size_t at = 0;
    for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
        if (text[at] == '.') {
            point = true;
        } else {
            digits += text[at];
            decimals += point;
        }
    }
    while (at < text.size() && text[at] == ' ') {
        ++at;
    }
    int missing = digits_of(text.substr(at));
    if (digits.empty() || missing < 0) {
        throw fail("is not a time such as 1.5ms; units are ps, ns, us, ms and s");
    }
    for (missing -= decimals; missing > 0; --missing) {
        digits += '0';
    }
    for (; missing < 0; ++missing) {
        if (digits.back() != '0') {
            throw fail("has a part below one picosecond");
        }
        digits.pop_back();
    }
    u64 ps = 0;
    for (const char c : digits) {
        const u64 digit = static_cast<u64>(c - '0');
        if (ps > (std::numeric_limits<u64>::max() - digit) / 10) {
            throw fail("is beyond the longest simulation (213 days)");
        }
        ps = ps * 10 + digit;
    }
    return Picoseconds(ps);
}

} // namespace tlmssd::observe
