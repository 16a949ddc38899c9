// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one key of the configuration, as a row of the key table describes it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/config/keys/conditions.h"

namespace tlmssd::config {

enum class Type : u8 {
    Choice,  ///< one of `choices`
    Integer, ///< least..most
    Size,    ///< bytes, an integer that may end in k, m or g (powers of 1024)
    Real,    ///< real_least..real_most
    Bool,
    Text,
    File ///< a path, relative to the file that names it
};

/// A value of any type: `number` for Choice (index), Integer, Size, Bool.
struct Value {
    u64 number = 0;
    double real = 0;
    std::string text;
};

struct Key {
    std::string path; ///< "section.name", "section.sub.name" or "name"
    Type type = Type::Text;
    std::string fallback; ///< default as written in YAML
    std::string derived;  ///< not empty: the default follows from other keys, in words
    u64 least = 0, most = 0;
    double real_least = 0, real_most = 0;
    bool above_least = false; ///< real_least itself is outside
    /// Of a number: the word that stands for 0, which is written no other way; empty: 0 is a number.
    std::string zero_word;
    std::vector<std::string> choices;
    /// Of a text with a grammar: what is wrong with it, or "". Such a text may look like a number.
    std::function<std::string(const std::string&)> check;
    bool numeric_choices = false; ///< the choices are numbers (1.5, 3, 6)
    /// Not empty: the choices depend on the build; schema and reference say these words instead.
    std::string built_choices;
    std::string help;
    bool affects_results = true; ///< part of the configuration hash
    bool of_run = false; ///< a key of `workload` that no single job can have
    const Condition* condition = &kAlways; ///< under which it has an effect
    std::function<void(Config&, const Value&)> set;
    std::function<Value(const Config&)> get;

    /// "section.sub" of the path, "" at the top.
    std::string section() const
    {
        const std::size_t dot = path.rfind('.');
        return dot == std::string::npos ? "" : path.substr(0, dot);
    }
    /// Last word of the path.
    std::string name() const
    {
        const std::size_t dot = path.rfind('.');
        return dot == std::string::npos ? path : path.substr(dot + 1);
    }
};

/// A map of keys. `reference`: instead of the map a scalar may name a file that holds it.
struct Section {
    /// JobList: a list of jobs instead; FioFile: the path of a fio job file instead.
    enum class Reference : u8 { None, Path, Preset, JobList, FioFile };
    std::string path;
    std::string help;
    Reference reference = Reference::None;
};

} // namespace tlmssd::config
