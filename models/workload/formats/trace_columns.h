// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the description of a delimited text trace, workload.trace_columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/interfaces/request.h"

namespace tlmssd::workload {

/// One column of the file, with what to say when a line's field does not fit it.
struct TraceColumn {
    enum class Role : u8 { Skip, Time, Device, Lba, Size, Op };
    Role role = Role::Skip;
    int base = 10;         ///< Lba, Size
    u64 unit = 1;          ///< Lba, Size: bytes
    std::string complaint; ///< "column 4 (lba): not a number of sectors"
};

/// docs/reference/trace-formats.md has the grammar.
struct TraceColumns {
    static constexpr std::size_t kMost = 64;
    /// The meaning of a value of the op column; nothing: the row is left out.
    using Operation = std::pair<std::string, std::optional<Kind>>;

    std::vector<TraceColumn> columns;
    bool more = false;            ///< a line may have further columns
    char delimiter = 0;           ///< 0: found in the first line; ' ': blanks and tabs
    char comment = 0;             ///< lines that begin with it are ignored; 0: none
    u64 skip = 0;                 ///< header lines
    u64 tick_ps = 1000;           ///< of times
    unsigned digits = 0;          ///< decimals of a time that make it an integer of ticks
    std::vector<Operation> operations; ///< in lower case; empty: words such as read, w, FLUSH
    std::optional<Kind> fixed_kind;    ///< instead of an op column
    u64 fixed_bytes = 0;               ///< instead of a size column

    /// Throws InputError "workload.trace_columns: column 4: ..." with the nearest valid choice.
    static TraceColumns parse(const std::string& text);
};

/// A word of an op column that needs no description; in any case of letters.
struct KnownWord {
    std::string_view word; ///< in lower case
    Kind kind;
};
inline constexpr KnownWord kKnownWords[] = {
    {"r", Kind::Read},      {"read", Kind::Read},      {"rd", Kind::Read},
    {"w", Kind::Write},     {"write", Kind::Write},    {"wr", Kind::Write},
    {"f", Kind::Flush},     {"flush", Kind::Flush},    {"sync", Kind::Flush},
    {"fsync", Kind::Flush}, {"datasync", Kind::Flush}, {"t", Kind::Trim},
    {"trim", Kind::Trim},   {"d", Kind::Trim},         {"discard", Kind::Trim},
    {"unmap", Kind::Trim}};

} // namespace tlmssd::workload
