// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads the description of a delimited text trace, workload.trace_columns.
#include "models/workload/formats/trace_columns.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/workload/formats/cursor.h"
#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {
namespace {

using Role = TraceColumn::Role;

[[noreturn]] void refuse(const std::string& what)
{
    throw InputError("workload.trace_columns: " + what);
}

/// "; did you mean "b"? (a, b, c)"
std::string choices(const std::string& word, const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ", ") + name;
    }
    return "; did you mean \"" + nearest_of(word, names) + "\"? (" + list + ")";
}

std::string trimmed(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split(const std::string& text, char delimiter)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (;;) {
        const std::size_t end = text.find(delimiter, start);
        parts.push_back(trimmed(text.substr(start, end - start)));
        if (end == std::string::npos) {
            return parts;
        }
        start = end + 1;
    }
}

std::string lower(std::string text)
{
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

struct TimeUnit {
    const char* name;
    unsigned digits;
    u64 tick_ps;
};
constexpr TimeUnit kTimeUnits[] = {
    {"s", 9, 1000}, {"ms", 6, 1000}, {"us", 3, 1000}, {"ns", 0, 1000}, {"100ns", 0, 100000}};

struct ByteUnit {
    const char* name;
    u64 bytes;
};
constexpr ByteUnit kByteUnits[] = {{"bytes", 1},         {"sectors", 512},
                                   {"kib", 1024},        {"pages4k", 4096},
                                   {"pages8k", 8192},    {"pages16k", 16384},
                                   {"pages32k", 32768},  {"pages64k", 65536},
                                   {"pages128k", 131072}, {"pages1m", 1048576}};

template <class Units>
std::vector<std::string> names_of(const Units& units)
{
    std::vector<std::string> names;
    for (const auto& unit : units) {
        names.emplace_back(unit.name);
    }
    return names;
}

std::optional<Kind> meaning(const std::string& where, const std::string& word)
{
    static const std::vector<std::string> kWords{"read", "write", "flush", "trim", "ignore"};
    const auto at = std::find(kWords.begin(), kWords.end(), word);
    if (at == kWords.end()) {
        refuse(where + ": " + quoted(word) + " is no operation" + choices(word, kWords));
    }
    if (word == "ignore") {
        return std::nullopt;
    }
    return static_cast<Kind>(at - kWords.begin() + 1); // the enumerators are in this order
}

class Parser {
public:
    TraceColumns parse(const std::string& text)
    {
        if (trimmed(text).empty()) {
            refuse("the description is empty; an example: "
                   "time:us,device,lba:sectors,size:bytes,op");
        }
        for (const char c : text) {
            if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') {
                refuse("the description holds a character that does not print: " + quoted(text));
            }
        }
        for (const std::string& item : split(text, ',')) {
            const std::size_t equals = item.find('=');
            const std::size_t colon = item.find(':');
            if (equals != std::string::npos && (colon == std::string::npos || equals < colon)) {
                option(item.substr(0, equals), item.substr(equals + 1));
            } else {
                column(split(item, ':'));
            }
        }
        finish();
        return std::move(result_);
    }

private:
    void column(const std::vector<std::string>& words)
    {
        const std::string where = "column " + std::to_string(result_.columns.size() + 1);
        if (result_.more) {
            refuse(where + ": follows \"...\", which ends the list of columns");
        }
        if (words[0] == "..." && words.size() == 1) {
            result_.more = true;
            return;
        }
        if (result_.columns.size() == TraceColumns::kMost) {
            refuse(where + ": more than 64 columns; end the list with \"...\"");
        }
        static const std::vector<std::string> kRoles{"-", "time", "device", "lba", "size", "op"};
        const auto at = std::find(kRoles.begin(), kRoles.end(), words[0]);
        if (at == kRoles.end()) {
            refuse(where + ": unknown name " + quoted(words[0]) + choices(words[0], kRoles));
        }
        TraceColumn column;
        column.role = static_cast<Role>(at - kRoles.begin());
        if (column.role != Role::Skip) {
            for (const TraceColumn& other : result_.columns) {
                if (other.role == column.role) {
                    refuse(where + ": a second column " + words[0]);
                }
            }
        }
        column.complaint = where + " (" + words[0] + "): ";
        switch (column.role) {
        case Role::Time:
            time(where, words, column);
            break;
        case Role::Lba:
        case Role::Size:
            extent(where, words, column);
            break;
        case Role::Op:
            operations(where, words);
            column.complaint += "not an operation; name its values like op:0=read:1=write";
            break;
        case Role::Device:
            column.complaint += "empty";
            [[fallthrough]];
        case Role::Skip:
            if (words.size() > 1) {
                refuse(where + ": " + words[0] + " takes nothing behind a colon");
            }
            break;
        }
        result_.columns.push_back(std::move(column));
    }

    void time(const std::string& where, const std::vector<std::string>& words, TraceColumn& column)
    {
        if (words.size() < 2) {
            refuse(where + ": time needs a unit: time:s, time:ms, time:us, time:ns or time:100ns");
        }
        if (words.size() > 2) {
            refuse(where + ": time takes one unit");
        }
        for (const TimeUnit& unit : kTimeUnits) {
            if (words[1] == unit.name) {
                result_.digits = unit.digits;
                result_.tick_ps = unit.tick_ps;
                column.complaint += "not a number of " + words[1];
                return;
            }
        }
        refuse(where + ": unknown unit of time " + quoted(words[1]) +
               choices(words[1], names_of(kTimeUnits)));
    }

    static void extent(const std::string& where, const std::vector<std::string>& words,
                       TraceColumn& column)
    {
        const std::string& name = words[0];
        if (words.size() < 2) {
            refuse(where + ": " + name + " needs a unit: " + name + ":bytes, " + name +
                   ":sectors (of 512 bytes) or, for example, " + name + ":pages4k");
        }
        for (const ByteUnit& unit : kByteUnits) {
            column.unit = words[1] == unit.name ? unit.bytes : column.unit;
        }
        if (column.unit == 1 && words[1] != "bytes") {
            refuse(where + ": unknown unit " + quoted(words[1]) +
                   choices(words[1], names_of(kByteUnits)));
        }
        if (words.size() > 2) {
            if (words[2] != "hex" || words.size() > 3) {
                refuse(where + ": " + quoted(words[2] == "hex" ? words[3] : words[2]) +
                       " behind the unit; only \"hex\" may stand there");
            }
            column.base = 16;
        }
        column.complaint +=
            std::string("not a ") + (column.base == 16 ? "hexadecimal " : "") + "number of " +
            words[1];
    }

    void operations(const std::string& where, const std::vector<std::string>& words)
    {
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::size_t equals = words[i].find('=');
            if (equals == std::string::npos || equals == 0) {
                refuse(where + ": " + quoted(words[i]) + " is not like 1=read");
            }
            const std::string value = lower(trimmed(words[i].substr(0, equals)));
            for (const auto& [other, kind] : result_.operations) {
                if (other == value) {
                    refuse(where + ": a second meaning for " + quoted(value));
                }
            }
            const std::string word = trimmed(words[i].substr(equals + 1));
            result_.operations.emplace_back(value, meaning(where, word));
        }
        if (result_.operations.size() == 1) { // of 0 and 1, one settles the other
            const auto [value, kind] = result_.operations.front();
            if ((value == "0" || value == "1") && (kind == Kind::Read || kind == Kind::Write)) {
                result_.operations.emplace_back(value == "0" ? "1" : "0",
                                                kind == Kind::Read ? Kind::Write : Kind::Read);
            }
        }
    }

    void option(const std::string& name, const std::string& value)
    {
        static const std::vector<std::string> kOptions{"skip", "delimiter", "comment", "op",
                                                       "size"};
        if (std::find(kOptions.begin(), kOptions.end(), name) == kOptions.end()) {
            refuse("unknown option " + quoted(name) + choices(name, kOptions));
        }
        if (name == "skip") {
            result_.skip = number(name, value, 1000000);
        } else if (name == "delimiter") {
            delimiter(value);
        } else if (name == "comment") {
            if (value.size() != 1) {
                refuse("comment: " + quoted(value) + " is not one character");
            }
            result_.comment = value[0];
        } else if (name == "op") {
            result_.fixed_kind = meaning("op", value);
            if (!result_.fixed_kind || *result_.fixed_kind == Kind::Flush) {
                refuse("op: all rows can be read, write or trim, not " + value);
            }
        } else {
            result_.fixed_bytes = number(name, value, kMaxRowSectors * 512);
            if (result_.fixed_bytes == 0) {
                refuse("size: 0 bytes ask for nothing");
            }
        }
    }

    static u64 number(const std::string& name, const std::string& value, u64 most)
    {
        Cursor c(value);
        u64 result = 0;
        if (!c.integer(result) || !c.at_end() || result > most) {
            refuse(name + ": " + quoted(value) + " is not a number from 0 to " +
                   std::to_string(most));
        }
        return result;
    }

    void delimiter(const std::string& value)
    {
        static const std::vector<std::string> kNames{"comma", "semicolon", "tab", "blanks"};
        static const char kCharacters[] = {',', ';', '\t', ' '};
        const auto at = std::find(kNames.begin(), kNames.end(), value);
        if (at != kNames.end()) {
            result_.delimiter = kCharacters[at - kNames.begin()];
        } else if (value.size() == 1 && value[0] > ' ' && value[0] < 0x7f) {
            result_.delimiter = value[0];
        } else {
            refuse("delimiter: " + quoted(value) + " is neither one character nor a name" +
                   choices(value, kNames));
        }
    }

    bool has(Role role) const
    {
        return std::any_of(result_.columns.begin(), result_.columns.end(),
                           [&](const TraceColumn& column) { return column.role == role; });
    }

    void finish()
    {
        if (!has(Role::Lba)) {
            refuse("no column lba");
        }
        if (has(Role::Size) == (result_.fixed_bytes != 0)) {
            refuse(has(Role::Size) ? "both a column size and size=" : "neither a column size nor "
                                                                      "size=BYTES for all rows");
        }
        if (has(Role::Op) == result_.fixed_kind.has_value()) {
            refuse(has(Role::Op) ? "both a column op and op=" : "neither a column op nor op=read, "
                                                                "write or trim for all rows");
        }
    }

    TraceColumns result_;
};

} // namespace

TraceColumns TraceColumns::parse(const std::string& text) { return Parser().parse(text); }

} // namespace tlmssd::workload
