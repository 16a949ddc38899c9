// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: statistics, each declared once by its owner: key, unit, sentence, value, and when it exists.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

using Json = nlohmann::ordered_json;

enum class Unit : u8 {
    None, ///< of words, yes or no, a seed or a number of its own kind
    Count,
    Bytes,
    Bits,
    Sectors,
    Cycles,
    Seconds,
    Milliseconds,
    Microseconds,
    PerSecond,
    MegabytesPerSecond, ///< 10^6 bytes per second
    Mebibytes,
    Megahertz,
    Millijoules,
    Ratio,    ///< a quotient, or a mean of counts; 0 or more
    Fraction, ///< 0 to 1
    Percent   ///< 0 to 100
};
/// "count", "bytes", "s", "us", "MB/s", "%"; "": None
const char* to_string(Unit unit);

/// The form of a key's value.
enum class Form : u8 {
    Integer,
    Number,
    Flag,
    Text,
    Map,    ///< an object whose keys are declared elsewhere
    Object, ///< the rows of another table
    List,   ///< an array of plain values
    Objects ///< an array with an object of another table's rows for each element
};

struct TableInfo;

/// A row without its source: what schema and reference show.
struct StatisticInfo {
    std::string key; ///< below its table, dotted; "": the rows of `table` stand in its place
    Unit unit = Unit::None;
    std::string text; ///< one sentence without full stop, Markdown
    Form form = Form::Number;
    Form element = Form::Number; ///< of a List
    bool nullable = false;       ///< of a List: an element may be null
    bool never_empty = false;    ///< a List or Objects has an element at least
    std::string only;            ///< when the key exists, in words; "": always
    std::vector<std::string> words; ///< all texts that it may be; empty: any
    std::string pattern;            ///< that a text matches; "": any
    std::optional<u64> most;        ///< of an Integer
    std::shared_ptr<const TableInfo> table; ///< of an Object or Objects
};

/// How the reference shows a table that stands at several keys.
enum class Show : u8 {
    Rows,  ///< each of its rows, for neighbouring keys of this table together
    InOne, ///< one row for each key, with the sentence of that key
};

struct TableInfo {
    std::string name; ///< of the schema's definition; "": the table stands at one key only
    Show show = Show::Rows;
    std::vector<StatisticInfo> rows;
};

/// When a key exists: only where `when` says so, which `words` says to a reader: "with `dram.model: banks`".
template <class Source>
struct Only {
    const char* words;
    bool (*when)(const Source&);
};

namespace detail {

// JSON of a value. `path` is for messages: ModelError where a number is not finite.
Json json_of(const std::string& path, Unit unit, double value);
Json json_of(const std::string& path, Unit unit, Picoseconds value); ///< in the unit, the nearest double
inline Json json_of(const std::string&, Unit, u64 value) { return value; }
inline Json json_of(const std::string&, Unit, u32 value) { return value; }
inline Json json_of(const std::string&, Unit, bool value) { return value; }
inline Json json_of(const std::string&, Unit, const std::string& value) { return value; }
inline Json json_of(const std::string&, Unit, const Json& value) { return value; }
template <class T>
Json json_of(const std::string& path, Unit unit, const std::optional<T>& value)
{
    return value ? json_of(path, unit, *value) : Json(nullptr);
}
template <class T>
Json json_of(const std::string& path, Unit unit, const std::vector<T>& values)
{
    Json list = Json::array();
    for (const T& value : values) {
        list.push_back(json_of(path, unit, value));
    }
    return list;
}

/// The form that a C++ type gives to a key.
template <class T>
struct FormOf;
template <> struct FormOf<u64> { static constexpr Form form = Form::Integer; };
template <> struct FormOf<u32> { static constexpr Form form = Form::Integer; };
template <> struct FormOf<double> { static constexpr Form form = Form::Number; };
template <> struct FormOf<Picoseconds> { static constexpr Form form = Form::Number; };
template <> struct FormOf<bool> { static constexpr Form form = Form::Flag; };
template <> struct FormOf<std::string> { static constexpr Form form = Form::Text; };
template <> struct FormOf<Json> { static constexpr Form form = Form::Map; };

template <class T>
void describe(StatisticInfo& info, const T*)
{
    info.form = FormOf<T>::form;
}
template <class T>
void describe(StatisticInfo& info, const std::optional<T>*)
{
    info.form = FormOf<T>::form;
    info.nullable = true;
}
template <class T>
void describe(StatisticInfo& info, const std::vector<T>*)
{
    describe(info, static_cast<const T*>(nullptr));
    info.element = info.form;
    info.form = Form::List;
}

template <class T>
struct Same {
    using type = T;
};
template <class T>
using Fixed = typename Same<T>::type; ///< T, which is not deduced here

/// The place of a dotted key in `object`; missing objects on the way are made.
Json& place_of(Json& object, const std::string& key);

} // namespace detail

/// Where a value comes from: a member, or a function (a lambda that captures nothing). Its type decides the
/// form: std::optional may be null, std::vector is a list, Picoseconds are written in the row's unit.
template <class Source>
using Value = std::variant<u64 Source::*, u32 Source::*, double Source::*, bool Source::*, Picoseconds Source::*,
                           std::string Source::*, u64 (*)(const Source&), double (*)(const Source&),
                           bool (*)(const Source&), Picoseconds (*)(const Source&), std::string (*)(const Source&),
                           Json (*)(const Source&), std::optional<u64> (*)(const Source&),
                           std::optional<double> (*)(const Source&), std::optional<bool> (*)(const Source&),
                           std::optional<Picoseconds> (*)(const Source&), std::optional<std::string> (*)(const Source&),
                           std::vector<u64> (*)(const Source&), std::vector<std::string> (*)(const Source&),
                           std::vector<std::optional<double>> (*)(const Source&)>;

template <class Source>
class Table;

/// One row of a table.
template <class Source>
class Statistic {
public:
    template <class Part>
    using TableOf = const Table<Part>& (*)();

    Statistic(std::string key, Unit unit, std::string text, Value<Source> value, const Only<Source>* only = nullptr)
        : only_(only), value_(value)
    {
        describe_key(std::move(key), std::move(text));
        info_.unit = unit;
        std::visit([this](auto from) { describe_value(from); }, value);
    }
    /// An object at `key` with the rows of `table`. Key "": they stand in this row's place. Two rows may have one
    /// key: its object has the rows of both.
    template <class Part>
    Statistic(std::string key, std::string text, TableOf<Part> table, detail::Fixed<Part> (*part)(const Source&),
              const Only<Source>* only = nullptr)
        : only_(only), put_([table, part](Json& at, const std::string& path, const Source& source) {
              table().put(at, path, part(source));
          })
    {
        describe_table(std::move(key), std::move(text), table, Form::Object);
    }
    template <class Part>
    Statistic(std::string key, std::string text, TableOf<Part> table,
              const detail::Fixed<Part>& (*part)(const Source&), const Only<Source>* only = nullptr)
        : only_(only), put_([table, part](Json& at, const std::string& path, const Source& source) {
              table().put(at, path, part(source));
          })
    {
        describe_table(std::move(key), std::move(text), table, Form::Object);
        if constexpr (std::is_same_v<Part, Source>) {
            inner_ = table;
        }
    }
    /// As before; null where there is none.
    template <class Part>
    Statistic(std::string key, std::string text, TableOf<Part> table,
              std::optional<detail::Fixed<Part>> (*part)(const Source&), const Only<Source>* only = nullptr)
        : only_(only), put_([table, part](Json& at, const std::string& path, const Source& source) {
              if (const auto found = part(source)) {
                  table().put(at, path, *found);
              } else {
                  at = nullptr;
              }
          })
    {
        describe_table(std::move(key), std::move(text), table, Form::Object);
        info_.nullable = true;
    }
    /// An array: an object with the rows of `table` for each element.
    template <class Part>
    Statistic(std::string key, std::string text, TableOf<Part> table,
              std::vector<detail::Fixed<Part>> (*parts)(const Source&), const Only<Source>* only = nullptr)
        : only_(only), put_([table, parts](Json& at, const std::string& path, const Source& source) {
              at = Json::array();
              for (const auto& part : parts(source)) {
                  Json one;
                  table().put(one, path, part);
                  at.push_back(std::move(one));
              }
          })
    {
        describe_table(std::move(key), std::move(text), table, Form::Objects);
    }

    Statistic&& one_of(std::vector<std::string> words) &&
    {
        info_.words = std::move(words);
        return std::move(*this);
    }
    Statistic&& matching(std::string pattern) &&
    {
        info_.pattern = std::move(pattern);
        return std::move(*this);
    }
    Statistic&& at_most(u64 most) &&
    {
        info_.most = most;
        return std::move(*this);
    }
    Statistic&& never_empty() &&
    {
        info_.never_empty = true;
        return std::move(*this);
    }

    StatisticInfo info() const
    {
        StatisticInfo info = info_;
        if (table_) {
            info.table = std::make_shared<const TableInfo>(table_());
        }
        return info;
    }
    /// Null where the row is no plain value.
    const Value<Source>* value() const { return value_ ? &*value_ : nullptr; }
    /// The rows of an object that come from the same source; null: they come from another.
    const Table<Source>* inner() const { return inner_ != nullptr ? &inner_() : nullptr; }
    bool exists(const Source& source) const { return only_ == nullptr || only_->when(source); }

    /// `path`: of the object, for messages.
    void put(Json& object, const std::string& path, const Source& source) const
    {
        if (!exists(source)) {
            return;
        }
        const std::string at = path.empty() || info_.key.empty() ? path + info_.key : path + '.' + info_.key;
        Json& place = info_.key.empty() ? object : detail::place_of(object, info_.key);
        if (value_) {
            place = std::visit([&](auto from) { return detail::json_of(at, info_.unit, of(source, from)); }, *value_);
        } else {
            put_(place, at, source);
        }
    }

private:
    template <class T>
    static T of(const Source& source, T Source::*member)
    {
        return source.*member;
    }
    template <class T>
    static T of(const Source& source, T (*function)(const Source&))
    {
        return function(source);
    }
    template <class T>
    void describe_value(T Source::*)
    {
        detail::describe(info_, static_cast<const T*>(nullptr));
    }
    template <class T>
    void describe_value(T (*)(const Source&))
    {
        detail::describe(info_, static_cast<const T*>(nullptr));
    }
    void describe_key(std::string key, std::string text)
    {
        info_.key = std::move(key);
        info_.text = std::move(text);
        info_.only = only_ != nullptr ? only_->words : "";
    }
    template <class Part>
    void describe_table(std::string key, std::string text, TableOf<Part> table, Form form)
    {
        describe_key(std::move(key), std::move(text));
        info_.form = form;
        table_ = [table] { return table().info(); };
    }

    StatisticInfo info_;
    const Only<Source>* only_;
    std::optional<Value<Source>> value_;
    std::function<void(Json&, const std::string&, const Source&)> put_;
    std::function<TableInfo()> table_;
    TableOf<Source> inner_ = nullptr;
};

/// The statistics of one owner, in the order of results.json.
template <class Source>
class Table {
public:
    using Row = Statistic<Source>;

    explicit Table(std::vector<Row> rows) : rows_(std::move(rows)) {}
    /// Of a table that stands at several keys.
    Table(std::string name, Show show, std::vector<Row> rows)
        : name_(std::move(name)), show_(show), rows_(std::move(rows))
    {
    }

    const std::vector<Row>& rows() const { return rows_; }
    TableInfo info() const
    {
        TableInfo info{name_, show_, {}};
        for (const Row& row : rows_) {
            info.rows.push_back(row.info());
        }
        return info;
    }
    void put(Json& object, const std::string& path, const Source& source) const
    {
        for (const Row& row : rows_) {
            row.put(object, path, source);
        }
    }

private:
    std::string name_;
    Show show_ = Show::Rows;
    std::vector<Row> rows_;
};

/// numerator / denominator; null where the denominator is 0 and nothing is defined.
inline std::optional<double> ratio(double numerator, double denominator)
{
    return denominator == 0 ? std::nullopt : std::optional<double>(numerator / denominator);
}
/// In picoseconds / 10^6: the double nearest to the exact decimal number.
inline double exact_microseconds(Picoseconds time) { return static_cast<double>(time.value()) / 1e6; }

} // namespace tlmssd::observe
