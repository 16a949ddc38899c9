// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the file under Waves: declarations, the queue of changes ahead, the file's time.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <verilated_fst_c.h>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

struct WaveFile {
    static constexpr u32 kNoEnum = 0;
    using EnumValue = std::pair<u64, std::string>;

    struct Signal {
        std::string name; ///< last part, without scopes
        u32 bits = 1;
        u32 enum_id = kNoEnum;
        u32 code = 0;  ///< index into Verilator's store of old values, relative to ours
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
    std::vector<std::function<void(VerilatedFstC&)>> models;
    Scope top;
    std::set<std::string> names;
    std::vector<u32> changed; ///< signals set since the last dump
    const u64* values = nullptr;
    VerilatedFstC fst;
    u32 base = 0; ///< our first code in Verilator's store
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

    void declare(VerilatedFst* trace, const Scope& scope, u32& code);
    void declare_enum(VerilatedFst* trace, u32 enum_id) const;
    void write(VerilatedFst::Buffer* buffer, Signal& signal, u64 value) const;

    // Callbacks of the trace object: declare all, write all, write what changed.
    static void on_init(void* self, VerilatedFst* trace, uint32_t code);
    static void on_full(void* self, VerilatedFst::Buffer* buffer);
    static void on_change(void* self, VerilatedFst::Buffer* buffer);
};

} // namespace tlmssd::observe
