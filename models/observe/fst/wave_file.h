// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the file under Waves: declarations, the queue of changes ahead, the file's time.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/observe/fst/fst_writer.h"

namespace tlmssd::observe {

struct WaveFile {
    static constexpr u32 kNoEnum = FstWriter::kNoEnum;
    using EnumValue = std::pair<u64, std::string>;

    struct Signal {
        std::string name; ///< last part, without scopes
        u32 bits = 1;
        u32 enum_id = kNoEnum;
        u32 handle = 0; ///< in the file
        u64 shown = 0; ///< value in the file
        bool listed = false;
    };
    struct EnumType {
        std::string name;
        std::vector<EnumValue> values;
    };
    /// Signals and inner scopes of one scope, in the order of their first mention.
    struct Scope {
        std::string name;
        std::vector<u32> signals;
        std::vector<Scope> inner;

        Scope& at(const std::string& inner_name);
    };
    /// A change ahead of the file's time.
    struct Change {
        Picoseconds at;
        u64 sequence;
        u64 value;
        u32 id;
        /// Order of the heap: the earliest on top, of one time the one that came first.
        friend bool operator<(const Change& a, const Change& b)
        {
            return a.at == b.at ? a.sequence > b.sequence : a.at > b.at;
        }
    };

    std::string path;
    std::string temporary; ///< what is written, until it is whole
    std::vector<Signal> signals;
    std::vector<EnumType> enums;
    std::vector<FstWriter::Attach> models;
    Scope top;
    std::set<std::string> names;
    std::vector<u32> changed; ///< signals set since the last dump
    const u64* values = nullptr;
    FstWriter fst;
    bool first = true; ///< nothing is written yet
    bool was_open = false;

    Picoseconds now;
    Picoseconds from;
    Picoseconds to = kTimeNever;
    bool pending = false;        ///< the state at `now` is not written yet
    std::vector<Change> queue;   ///< heap
    u64 sequence = 0;
    std::vector<Picoseconds> holds; ///< by slot; kTimeNever: holds nothing
    bool lagging = false;

    /// Makes the file under its temporary name, with all that is declared. `current`: a value for each
    /// signal, which stays where it is. Throws InputError.
    void open(const std::vector<u64>& current);
    /// The file's time becomes `time`; the state before it is written.
    void step_to(Picoseconds time);
    Picoseconds horizon(Picoseconds time) const;
    /// Throws InputError where a write has failed; the file goes.
    void check_writes();
    /// The file is whole: closed, and under its name.
    void finish();

    /// All that is attached, and our signals that have changed, at `time`.
    void dump(Picoseconds time);

    void declare(const Scope& scope, const std::vector<u32>& tables);
    u32 declare_enum(u32 enum_id);
};

} // namespace tlmssd::observe
