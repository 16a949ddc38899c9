// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blkreplay's .load files: start ; sector ; length ; op ; replay_delay ; replay_duration.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kRows = 1; ///< ReadState::phase

/// Schoebel-Theuer's blkreplay: text up to the line that begins "start ;", then seconds, sectors of
/// 512 B, R or W. Made from blktrace, whose other words (RA: readahead) are left out.
class Blkreplay final : public TraceFormat {
public:
    const char* name() const override { return "blkreplay"; }
    const char* fields() const override { return "seconds ; sector ; sectors ; R|W [; ...]"; }
    std::string empty_hint() const override
    {
        return "rows come after the line that begins \"start ;\"";
    }
    bool claims(const ReadState& state) const override { return state.phase == kRows; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        c.skip_blanks();
        if (state.phase != kRows) {
            if (c.text("start")) {
                c.skip_blanks();
                state.phase = c.at(';') ? kRows : 0;
            }
            return LineKind::Ignored;
        }
        if (!c.decimal(row.time, 9)) {
            return broken(c, problem, "the start is not a number of seconds");
        }
        if (!semicolon(c) || !c.integer(row.lba)) {
            return broken(c, problem, "the sector is not a number");
        }
        if (!semicolon(c) || !c.integer(row.sectors)) {
            return broken(c, problem, "the length is not a number");
        }
        std::string_view operation;
        if (!semicolon(c) || !letters(c, operation)) {
            return broken(c, problem, "the operation is not a word");
        }
        c.skip_blanks();
        if (!c.at_end() && !c.at(';')) {
            return broken(c, problem, "text follows the operation");
        }
        if (operation == "W") {
            row.kind = Kind::Write;
        } else if (operation != "R") {
            return left_out(c, problem, "the operation is neither R nor W");
        }
        return LineKind::Row;
    }

private:
    static bool semicolon(Cursor& c)
    {
        c.skip_blanks();
        if (!c.literal(';')) {
            return false;
        }
        c.skip_blanks();
        return true;
    }
    static bool letters(Cursor& c, std::string_view& word)
    {
        const std::string_view rest = c.rest();
        std::size_t n = 0;
        while (n < rest.size() && rest[n] >= 'A' && rest[n] <= 'Z') {
            ++n;
        }
        word = rest.substr(0, n);
        return c.text(word) && n > 0;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_blkreplay() { return std::make_unique<Blkreplay>(); }

} // namespace tlmssd::workload
