// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of the key table: each builder binds a key to a member of Config.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "models/config/keys/key.h"
#include "models/config/keys/value.h"
#include "models/config/text/names.h"

/// How a row reaches a member of Config.
#define AT(member) [](auto& c) -> auto& { return c.member; }

/// The words of an enumeration, for rows of choice(); and to_string() of one that has it.
#define NAMES(E, ...)                                                                              \
    template <>                                                                                    \
    const std::vector<std::string>& names_of<E>()                                                  \
    {                                                                                              \
        static const std::vector<std::string> names{__VA_ARGS__};                                  \
        return names;                                                                              \
    }
#define TO_STRING(E)                                                                               \
    const char* to_string(E e) { return names_of<E>()[static_cast<std::size_t>(e)].c_str(); }

namespace tlmssd::config::rows {

inline constexpr double kNs = 1e3, kUs = 1e6, kMs = 1e9; ///< units of time(), in picoseconds

/// A row under construction; converts to Key.
struct Row : Key {
    double resolution = 0; ///< of a time: smallest value that is not rounded to 0
    /// Cannot change results: left out of the hash.
    Row cosmetic() &&
    {
        affects_results = false;
        return std::move(*this);
    }
    /// Of `workload`, but not of a job in workload.jobs.
    Row for_run() &&
    {
        of_run = true;
        return std::move(*this);
    }
    /// Other builds have other choices, in these words.
    Row of_build(const char* text) &&
    {
        built_choices = text;
        return std::move(*this);
    }
    /// Has an effect only under this condition.
    Row when(const Condition& only) &&
    {
        condition = &only;
        return std::move(*this);
    }
    /// `word` stands for 0, which is written no other way. `least` is the smallest number beside it.
    Row zero(const char* word, u64 smallest = 1) &&
    {
        zero_word = word;
        least = smallest;
        real_least = resolution; // a smaller number would become the 0 that the word stands for
        above_least = type == Type::Real && resolution == 0;
        if (fallback == "0") {
            fallback = word;
        }
        return std::move(*this);
    }
    /// Default that follows from other keys; the resolver fills it in.
    Row follows(const char* words) &&
    {
        fallback.clear();
        derived = words;
        return std::move(*this);
    }
};

inline Row row(const char* path, Type type, std::string fallback, const char* help)
{
    Row r;
    r.path = path;
    r.type = type;
    r.fallback = std::move(fallback);
    r.help = help;
    return r;
}

template <class Access>
Row integer(const char* path, Access at, u64 fallback, u64 least, u64 most, const char* help,
            Type type = Type::Integer)
{
    Row r = row(path, type, std::to_string(fallback), help);
    r.least = least;
    r.most = most;
    r.set = [at](Config& c, const Value& v) {
        at(c) = static_cast<std::decay_t<decltype(at(c))>>(v.number);
    };
    r.get = [at](const Config& c) { return Value{at(c), 0, ""}; };
    return r;
}

template <class Access>
Row real(const char* path, Access at, double fallback, double least, double most, const char* help)
{
    Row r = row(path, Type::Real, format_real(fallback), help);
    r.real_least = least;
    r.real_most = most;
    r.set = [at](Config& c, const Value& v) { at(c) = v.real; };
    r.get = [at](const Config& c) { return Value{0, at(c), ""}; };
    return r;
}

/// As real, but the least value itself is not allowed.
template <class Access>
Row real_above(const char* path, Access at, double fallback, double least, double most,
               const char* help)
{
    Row r = real(path, at, fallback, least, most, help);
    r.above_least = true;
    return r;
}

/// A time in units of `unit_ps` picoseconds.
template <class Access>
Row time(const char* path, Access at, double unit_ps, double fallback, double least, double most,
         const char* help)
{
    Row r = row(path, Type::Real, format_real(fallback), help);
    r.real_least = least;
    r.real_most = most;
    r.resolution = 1 / unit_ps;
    r.set = [at, unit_ps](Config& c, const Value& v) {
        at(c) = Picoseconds(static_cast<u64>(std::llround(v.real * unit_ps)));
    };
    r.get = [at, unit_ps](const Config& c) {
        return Value{0, static_cast<double>(at(c).value()) / unit_ps, ""};
    };
    return r;
}

template <class Access>
Row flag(const char* path, Access at, bool fallback, const char* help)
{
    Row r = row(path, Type::Bool, fallback ? "true" : "false", help);
    r.set = [at](Config& c, const Value& v) { at(c) = v.number != 0; };
    r.get = [at](const Config& c) { return Value{at(c), 0, ""}; };
    return r;
}

/// An enumeration; its words come from names_of.
template <class E, class Access>
Row choice(const char* path, Access at, E fallback, const char* help)
{
    Row r = row(path, Type::Choice, names_of<E>()[static_cast<std::size_t>(fallback)], help);
    r.choices = names_of<E>();
    r.set = [at](Config& c, const Value& v) { at(c) = static_cast<E>(v.number); };
    r.get = [at](const Config& c) { return Value{static_cast<u64>(at(c)), 0, ""}; };
    return r;
}

/// One of some words, kept as its number from 0. The first is the default.
template <class Access>
Row index(const char* path, Access at, std::vector<std::string> words, const char* help)
{
    Row r = row(path, Type::Choice, words.front(), help);
    r.choices = std::move(words);
    r.set = [at](Config& c, const Value& v) {
        at(c) = static_cast<std::decay_t<decltype(at(c))>>(v.number);
    };
    r.get = [at](const Config& c) { return Value{at(c), 0, ""}; };
    return r;
}

/// One of some words, kept as a string. The first is the default.
template <class Access>
Row word(const char* path, Access at, std::vector<std::string> words, const char* help)
{
    Row r = row(path, Type::Choice, words.front(), help);
    r.choices = std::move(words);
    r.set = [at](Config& c, const Value& v) { at(c) = v.text; };
    r.get = [at, all = r.choices](const Config& c) {
        u64 i = 0;
        while (i + 1 < all.size() && all[i] != at(c)) {
            ++i;
        }
        return Value{i, 0, all[i]};
    };
    return r;
}

template <class Access>
Row text(const char* path, Access at, const char* fallback, const char* help,
         Type type = Type::Text)
{
    Row r = row(path, type, fallback, help);
    r.set = [at](Config& c, const Value& v) { at(c) = v.text; };
    r.get = [at](const Config& c) { return Value{0, 0, at(c)}; };
    return r;
}

/// A text with a grammar: `parse` fills the member, or returns what is wrong; `show` gives the text
/// back.
template <class Access, class Parse, class Show>
Row words(const char* path, Access at, const char* fallback, Parse parse, Show show,
          const char* help)
{
    Row r = row(path, Type::Text, fallback, help);
    r.check = [at, parse](const std::string& given) {
        Config scratch;
        return parse(given, at(scratch));
    };
    r.set = [at, parse](Config& c, const Value& v) { parse(v.text, at(c)); };
    r.get = [at, show](const Config& c) { return Value{0, 0, show(at(c))}; };
    return r;
}

} // namespace tlmssd::config::rows
