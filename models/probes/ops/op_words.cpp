// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: words and fields of the files about flash operations.
#include "models/probes/ops/op_words.h"

#include <charconv>

#include "models/common/error.h"

namespace tlmssd::probes {

const std::vector<Word>& opcode_words()
{
    static const std::vector<Word> words = {{"read", FLASH_OP_READ},
                                            {"program", FLASH_OP_PROGRAM},
                                            {"erase", FLASH_OP_ERASE},
                                            {"reset", FLASH_OP_RESET}};
    return words;
}

const std::vector<Word>& flag_words()
{
    static const std::vector<Word> words = {{"fence", FLASH_FLAG_FENCE},
                                            {"suspendable", FLASH_FLAG_SUSPENDABLE},
                                            {"meta", FLASH_FLAG_META},
                                            {"raw", FLASH_FLAG_RAW}};
    return words;
}

const std::vector<Word>& status_words()
{
    static const std::vector<Word> words = {{"ok", FLASH_STATUS_OK},
                                            {"fail", FLASH_STATUS_FAIL},
                                            {"illegal", FLASH_STATUS_ILLEGAL},
                                            {"uncorrectable", FLASH_STATUS_UNCORRECTABLE},
                                            {"timeout", FLASH_STATUS_TIMEOUT},
                                            {"aborted", FLASH_STATUS_ABORTED}};
    return words;
}

const char* word_of(const std::vector<Word>& words, u32 value)
{
    for (const Word& w : words) {
        if (w.value == value) {
            return w.text;
        }
    }
    return "unknown";
}

namespace {

std::vector<std::string_view> split(std::string_view line, char separator)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = line.find(separator, begin);
        parts.push_back(line.substr(begin, end - begin));
        if (end == std::string_view::npos) {
            return parts;
        }
        begin = end + 1;
    }
}

std::string quoted(std::string_view text)
{
    constexpr std::size_t kShown = 40;
    return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

} // namespace

void FieldReader::fail(const std::string& message) const
{
    std::string where = path_ + ":" + std::to_string(line_) + ": ";
    if (next_ != 0) {
        where += "field `" + columns_[next_ - 1] + "`: ";
    }
    throw InputError(where + message);
}

void FieldReader::header(std::string_view line)
{
    line_ = 1;
    next_ = 0;
    const std::vector<std::string_view> names = split(line, ',');
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i < columns_.size() && names[i] == columns_[i]) {
            continue;
        }
        const std::string at = "column " + std::to_string(i + 1) + " is " + quoted(names[i]);
        if (i >= columns_.size()) {
            fail(at + "; there are " + std::to_string(columns_.size()));
        }
        fail(at + " and must be " + columns_[i]);
    }
    if (names.size() < columns_.size()) {
        fail("column " + std::to_string(names.size() + 1) + " is missing: " +
             columns_[names.size()]);
    }
}

void FieldReader::begin(std::string_view line, u64 number)
{
    line_ = number;
    next_ = 0;
    fields_ = split(line, ',');
    if (fields_.size() != columns_.size()) {
        fail(std::to_string(fields_.size()) + " fields instead of " +
             std::to_string(columns_.size()));
    }
}

u64 FieldReader::number_of(std::string_view text, u64 least, u64 most, const char* of) const
{
    u64 value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || stop != end || (error != std::errc() && error != std::errc::result_out_of_range)) {
        fail(quoted(text) + " is not a whole number");
    }
    if (error != std::errc() || value < least || value > most) {
        const u64 nearest = error == std::errc() && value < least ? least : most;
        fail(quoted(text) + " is out of range" + of + ": " + std::to_string(least) + " to " +
             std::to_string(most) + "; nearest: " + std::to_string(nearest));
    }
    return value;
}

u64 FieldReader::number(u64 least, u64 most, const char* of)
{
    const std::string_view field = take();
    return number_of(field, least, most, of);
}

Picoseconds FieldReader::time_of(std::string_view field) const
{
    constexpr u64 kMostNs = u64{1} << 53; // 104 days
    const std::size_t point = field.find('.');
    const u64 whole = number_of(field.substr(0, point), 0, kMostNs, "");
    u64 rest = 0;
    if (point != std::string_view::npos) {
        const std::string_view digits = field.substr(point + 1);
        if (digits.empty() || digits.size() > 3) {
            fail(quoted(field) + " has not one to three decimals");
        }
        rest = number_of(digits, 0, 999, "");
        for (std::size_t i = digits.size(); i < 3; ++i) {
            rest *= 10;
        }
    }
    return Picoseconds(whole * 1000 + rest);
}

u32 FieldReader::word_in(std::string_view text, const std::vector<Word>& words,
                         const char* what) const
{
    std::vector<std::string> choices;
    for (const Word& w : words) {
        if (text == w.text) {
            return w.value;
        }
        choices.emplace_back(w.text);
    }
    fail(quoted(text) + " is not " + what + "; did you mean " +
         nearest_of(std::string(text.substr(0, 40)), choices) + "?");
}

u32 FieldReader::word(const std::vector<Word>& words, const char* what)
{
    const std::string_view field = take();
    return word_in(field, words, what);
}

u32 FieldReader::bits(const std::vector<Word>& words, const char* what)
{
    const std::string_view field = take();
    u32 value = 0;
    if (field != "-") {
        for (const std::string_view part : split(field, '+')) {
            value |= word_in(part, words, what);
        }
    }
    return value;
}

u64 FieldReader::number_or_none(u64 none, u64 least, u64 most)
{
    const std::string_view field = take();
    return field == "none" ? none : number_of(field, least, most, "");
}

std::vector<u64> FieldReader::list(u32 most_count, u64 most)
{
    const std::vector<std::string_view> parts = split(take(), '/');
    if (parts.size() > most_count) {
        fail(std::to_string(parts.size()) + " planes; an operation has at most " +
             std::to_string(most_count));
    }
    std::vector<u64> values;
    for (const std::string_view part : parts) {
        values.push_back(number_of(part, 0, most, ""));
    }
    return values;
}

} // namespace tlmssd::probes
