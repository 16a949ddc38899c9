// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads numbers and words out of one line of text, without allocation.
#pragma once

#include <charconv>
#include <limits>
#include <string_view>

#include "models/common/types.h"

namespace tlmssd::workload {

/// A position in a line. Each function moves on and returns true, or stays and returns false.
class Cursor {
public:
    explicit Cursor(std::string_view line) : p_(line.data()), end_(line.data() + line.size()) {}

    const char* position() const { return p_; }
    std::string_view rest() const { return {p_, static_cast<std::size_t>(end_ - p_)}; }
    bool at_end() const { return p_ == end_; }
    bool at(char c) const { return p_ != end_ && *p_ == c; }

    bool literal(char c)
    {
        if (!at(c)) {
            return false;
        }
        ++p_;
        return true;
    }
    void skip_blanks()
    {
        while (p_ != end_ && (*p_ == ' ' || *p_ == '\t')) {
            ++p_;
        }
    }
    /// At least one blank or tab.
    bool blanks()
    {
        const char* start = p_;
        skip_blanks();
        return p_ != start;
    }
    /// A comma, with white space behind it.
    bool comma()
    {
        if (!literal(',')) {
            return false;
        }
        skip_blanks();
        return true;
    }
    /// An unsigned number below 2^64, no sign.
    bool integer(u64& value, int base = 10)
    {
        const auto result = std::from_chars(p_, end_, value, base);
        if (result.ec != std::errc()) {
            return false;
        }
        p_ = result.ptr;
        return true;
    }
    /// These very characters.
    bool text(std::string_view wanted)
    {
        if (rest().substr(0, wanted.size()) != wanted) {
            return false;
        }
        p_ += wanted.size();
        return true;
    }
    /// Everything up to `stop` or the end; false when there is none of it.
    bool field(char stop, std::string_view& text) { return word_until(text, stop, stop); }
    /// Everything up to white space; false when there is none of it.
    bool word(std::string_view& text) { return word_until(text, ' ', '\t'); }

    /// A number with decimals as an integer in units of 10^-digits, rounded half up. Exact, but for
    /// the rare form with an exponent. No sign.
    bool decimal(u64& value, unsigned digits)
    {
        const char* start = p_;
        u64 whole = 0;
        if (p_ != end_ && digit(*p_) && !integer(whole)) {
            return false;
        }
        bool any = p_ != start;
        u64 scale = 1;
        u64 fraction = 0;
        unsigned seen = 0;
        bool up = false;
        if (literal('.')) {
            for (; p_ != end_ && digit(*p_); ++p_, ++seen) {
                const auto d = static_cast<u64>(*p_ - '0');
                if (seen < digits) {
                    fraction = fraction * 10 + d;
                } else if (seen == digits) {
                    up = d >= 5;
                }
                any = true;
            }
        }
        for (unsigned i = 0; i < digits; ++i) {
            scale *= 10;
            fraction *= i >= seen ? 10 : 1;
        }
        if (any && p_ != end_ && (*p_ == 'e' || *p_ == 'E')) {
            p_ = start;
            return exponential(value, static_cast<double>(scale));
        }
        constexpr u64 kMax = std::numeric_limits<u64>::max();
        if (!any || whole > (kMax - fraction - 1) / scale) {
            p_ = start;
            return false;
        }
        value = whole * scale + fraction + (up ? 1 : 0);
        return true;
    }

private:
    static bool digit(char c) { return c >= '0' && c <= '9'; }

    bool word_until(std::string_view& text, char a, char b)
    {
        const char* start = p_;
        while (p_ != end_ && *p_ != a && *p_ != b) {
            ++p_;
        }
        text = {start, static_cast<std::size_t>(p_ - start)};
        return p_ != start;
    }
    bool exponential(u64& value, double scale)
    {
        double number = 0;
        const auto result = std::from_chars(p_, end_, number);
        number *= scale;
        if (result.ec != std::errc() || !(number >= 0 && number < 1.8e19)) {
            return false;
        }
        p_ = result.ptr;
        value = static_cast<u64>(number + 0.5);
        return true;
    }

    const char* p_;
    const char* end_;
};

} // namespace tlmssd::workload
