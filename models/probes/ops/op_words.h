// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the words for opcodes, flags and status bytes of flash operations, and rows of a text file
// that says which field of which line is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::probes {

struct Word {
    const char* text;
    u32 value;
};
/// read, program, erase, reset.
const std::vector<Word>& opcode_words();
/// fence, suspendable, meta, raw: bits of flash_op::flags beside the priority.
const std::vector<Word>& flag_words();
/// ok, fail, illegal, uncorrectable, timeout.
const std::vector<Word>& status_words();
/// The word for `value`; "unknown" where there is none.
const char* word_of(const std::vector<Word>& words, u32 value);

/// One line of comma-separated fields, read from left to right. Each getter takes the next field;
/// what it does not accept is an InputError "file:line: field `name`: ..." with the nearest choice.
class FieldReader {
public:
    FieldReader(const std::string& path, const std::vector<std::string>& columns)
        : path_(path), columns_(columns)
    {
    }
    /// The header: the columns in their order, and no others.
    void header(std::string_view line);
    /// Begin line `number`; it has as many fields as there are columns.
    void begin(std::string_view line, u64 number);

    u64 number(u64 least, u64 most, const char* of = "");
    /// Nanoseconds with at most three decimals.
    Picoseconds time() { return time_of(take()); }
    u32 word(const std::vector<Word>& words, const char* what);
    /// Words of bits joined by '+', or "-" for none.
    u32 bits(const std::vector<Word>& words, const char* what);
    /// `none` for `value`, else a number.
    u64 number_or_none(u64 none, u64 least, u64 most);
    /// Numbers joined by '/', at most `most_count` of them.
    std::vector<u64> list(u32 most_count, u64 most);
    std::string_view text() { return take(); }
    // About a part of the field that was taken last.
    Picoseconds time_of(std::string_view text) const;
    u32 word_in(std::string_view text, const std::vector<Word>& words, const char* what) const;
    /// About the field that was taken last.
    [[noreturn]] void fail(const std::string& message) const;

private:
    std::string_view take() { return fields_[next_++]; }
    u64 number_of(std::string_view text, u64 least, u64 most, const char* of) const;

    std::string path_;
    const std::vector<std::string>& columns_;
    std::vector<std::string_view> fields_;
    std::size_t next_ = 0;
    u64 line_ = 1;
};

} // namespace tlmssd::probes
