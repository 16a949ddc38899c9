// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: strict parsing: the whole text counts, nothing is clipped or guessed.
#include "models/config/keys/value.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace tlmssd::config {
namespace {

enum class Number { Good, Bad, Large };

Number parse_u64(const char* first, const char* last, u64& out)
{
    const auto [end, error] = std::from_chars(first, last, out);
    if (error == std::errc::result_out_of_range) {
        return Number::Large;
    }
    return error == std::errc() && end == last ? Number::Good : Number::Bad;
}

Number parse_real(const std::string& text, double& out)
{
    const char* first = text.data();
    const char* last = first + text.size();
    if (first != last && *first == '+') {
        ++first;
    }
    const auto [end, error] = std::from_chars(first, last, out);
    if (error == std::errc::result_out_of_range) {
        return Number::Large;
    }
    if (error != std::errc() || end != last || !std::isfinite(out)) {
        return Number::Bad;
    }
    return Number::Good;
}

bool is_negative_integer(const std::string& text)
{
    return text.size() > 1 && text[0] == '-' &&
           text.find_first_not_of("0123456789", 1) == std::string::npos;
}

/// "128k" to bytes.
Number parse_size(const std::string& text, u64& out)
{
    const char* last = text.data() + text.size();
    u32 shift = 0;
    if (!text.empty()) {
        switch (text.back()) {
        case 'k':
        case 'K':
            shift = 10;
            break;
        case 'm':
        case 'M':
            shift = 20;
            break;
        case 'g':
        case 'G':
            shift = 30;
            break;
        default:
            break;
        }
    }
    const Number result = parse_u64(text.data(), shift != 0 ? last - 1 : last, out);
    if (result == Number::Good && out > (std::numeric_limits<u64>::max() >> shift)) {
        return Number::Large;
    }
    out <<= shift;
    return result;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    return out;
}

[[noreturn]] void wrong_type(const Key& key, const char* expected, const std::string& text,
                             bool quoted, const Origin& origin)
{
    const std::string word = key.zero_word.empty() ? "" : " or " + key.zero_word;
    fail(origin, key.path, std::string("expected ") + expected + word + ", found " +
                               (quoted ? "the text " : "") + "'" + shown(text) + "'");
}

[[noreturn]] void out_of_range(const Key& key, const std::string& text, const Origin& origin)
{
    fail(origin, key.path, "'" + shown(text) + "' is out of range: " + range_text(key));
}

bool stands_for_zero(const Key& key, const std::string& text)
{
    return !key.zero_word.empty() && text == key.zero_word;
}

/// Where a word stands for 0.
void refuse_zero(const Key& key, const Origin& origin)
{
    if (!key.zero_word.empty()) {
        fail(origin, key.path, "0 is written '" + key.zero_word + "'");
    }
}

Value parse_choice(const Key& key, const std::string& text, bool quoted, const Origin& origin)
{
    if (quoted && key.numeric_choices) {
        wrong_type(key, "a number", text, quoted, origin);
    }
    double number = 0;
    const bool numeric = key.numeric_choices && parse_real(text, number) == Number::Good;
    for (std::size_t i = 0; i < key.choices.size(); ++i) {
        double choice = 0;
        if (key.choices[i] == text ||
            (numeric && parse_real(key.choices[i], choice) == Number::Good && choice == number)) {
            return {i, 0, key.choices[i]};
        }
    }
    const bool many = key.choices.size() > 12; // the nearest says enough
    fail(origin, key.path, "'" + shown(text) + "' is not " +
                               (many ? "one of its " + std::to_string(key.choices.size()) +
                                           " choices"
                                     : joined(key.choices)) +
                               did_you_mean(text, key.choices) +
                               (key.built_choices.empty() ? "" : " It may be " + key.built_choices));
}

Value parse_number(const Key& key, const std::string& text, bool quoted, const Origin& origin)
{
    Value value;
    if (stands_for_zero(key, text)) {
        return value;
    }
    Number result = Number::Bad;
    const char* expected = "an integer";
    if (key.type == Type::Size) {
        expected = "a size in bytes (4096, 4k, 1m)";
        result = parse_size(text, value.number);
    } else {
        result = parse_u64(text.data(), text.data() + text.size(), value.number);
    }
    if (quoted || (result == Number::Bad && !is_negative_integer(text))) {
        wrong_type(key, expected, text, quoted, origin);
    }
    if (result == Number::Good && value.number == 0) {
        refuse_zero(key, origin);
    }
    if (result != Number::Good || value.number < key.least || value.number > key.most) {
        out_of_range(key, text, origin);
    }
    return value;
}

} // namespace

Value parse_value(const Key& key, const std::string& text, bool quoted, const Origin& origin)
{
    switch (key.type) {
    case Type::Choice:
        return parse_choice(key, text, quoted, origin);
    case Type::Integer:
    case Type::Size:
        return parse_number(key, text, quoted, origin);
    case Type::Real: {
        Value value;
        if (stands_for_zero(key, text)) {
            return value;
        }
        const Number result = quoted ? Number::Bad : parse_real(text, value.real);
        if (result == Number::Bad) {
            wrong_type(key, "a number", text, quoted, origin);
        }
        if (result == Number::Good && value.real == 0) {
            refuse_zero(key, origin);
        }
        if (result == Number::Large || value.real < key.real_least || value.real > key.real_most ||
            (key.above_least && value.real == key.real_least)) {
            out_of_range(key, text, origin);
        }
        return value;
    }
    case Type::Bool:
        if (quoted || (text != "true" && text != "false")) {
            wrong_type(key, "true or false", text, quoted, origin);
        }
        return {text == "true", 0, ""};
    case Type::Text:
    case Type::File:
        if (key.check) {
            const std::string wrong = key.check(text);
            if (!wrong.empty()) {
                fail(origin, key.path, wrong);
            }
        }
        return {0, 0, text};
    }
    return {};
}

std::string format_real(double value)
{
    char text[64];
    const auto result = std::to_chars(text, text + sizeof text, value);
    return std::string(text, result.ptr);
}

std::string format_value(const Key& key, const Value& value)
{
    switch (key.type) {
    case Type::Choice:
        return key.choices[value.number];
    case Type::Integer:
    case Type::Size:
        return value.number == 0 && !key.zero_word.empty() ? key.zero_word : std::to_string(value.number);
    case Type::Real:
        return value.real == 0 && !key.zero_word.empty() ? key.zero_word : format_real(value.real);
    case Type::Bool:
        return value.number != 0 ? "true" : "false";
    case Type::Text:
    case Type::File:
        break;
    }
    std::string out = "\"";
    for (const char c : value.text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        if (c == '\n' || c == '\t' || c == '\r') {
            out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string range_text(const Key& key)
{
    const std::string word = key.zero_word.empty() ? "" : ", or " + key.zero_word;
    switch (key.type) {
    case Type::Choice:
        return key.built_choices.empty() ? joined(key.choices) : key.built_choices;
    case Type::Integer:
    case Type::Size:
        return std::to_string(key.least) + " to " + std::to_string(key.most) + word;
    case Type::Real:
        return (key.above_least ? "above " : "") + format_real(key.real_least) +
               (key.above_least ? ", at most " : " to ") + format_real(key.real_most) + word;
    case Type::Bool:
        return "true or false";
    case Type::Text:
        return "text";
    case Type::File:
        return "path";
    }
    return "";
}

} // namespace tlmssd::config
