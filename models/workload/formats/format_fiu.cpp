// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FIU IODedup traces: ns pid process LBA sectors op major minor md5.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

constexpr std::size_t kMd5Digits = 32;
constexpr u64 kInPaxHeader = 1; ///< ReadState::phase

/// SNIA IOTTA, FIU (Koller and Rangaswami, FAST 2010): sectors of 512 B, R or W. Published in tar
/// files, of which some copies still carry the header and the padding as text.
class Fiu final : public TraceFormat {
public:
    const char* name() const override { return "fiu"; }
    const char* fields() const override
    {
        return "ns pid process LBA sectors R|W major minor md5";
    }
    bool claims(const ReadState& state) const override { return state.clock > 0; } // rows seen

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        const std::string_view line = c.rest();
        const std::size_t nul = line.rfind('\0');
        if (nul != std::string_view::npos) {
            return tar_block(c, nul, row, problem, state);
        }
        if (state.phase == kInPaxHeader && pax_record(line)) {
            return LineKind::Ignored;
        }
        state.phase = 0;
        const LineKind kind = request(c, row, problem);
        state.clock += kind == LineKind::Row ? 1 : 0;
        return kind;
    }

private:
    /// "length key=value"
    static bool pax_record(std::string_view line)
    {
        Cursor c(line);
        u64 length = 0;
        std::string_view key;
        return c.integer(length) && c.literal(' ') && c.field('=', key) && c.at('=') &&
               key.find(' ') == std::string_view::npos;
    }

    /// The tar header, or the padding behind the file. The text behind the last NUL may be the
    /// first record of a pax header or the file's own first line.
    static LineKind tar_block(Cursor c, std::size_t nul, Row& row, Problem& problem,
                              ReadState& state)
    {
        const std::string_view line = c.rest();
        const std::string_view tail = line.substr(nul + 1);
        if (line.find("ustar") == std::string_view::npos &&
            line.find_first_not_of('\0') != std::string_view::npos) {
            return broken(c, problem, "the line holds NUL characters, but is no tar header");
        }
        state.phase = 0;
        if (tail.empty()) {
            return LineKind::Ignored;
        }
        if (pax_record(tail)) {
            state.phase = kInPaxHeader;
            return LineKind::Ignored;
        }
        const LineKind kind = request(Cursor(tail), row, problem);
        return kind == LineKind::Row
                   ? left_out(c, problem, "the row shares its line with a tar header")
                   : kind;
    }

    static LineKind request(Cursor c, Row& row, Problem& problem)
    {
        u64 number = 0;
        std::string_view word;
        c.skip_blanks();
        if (!c.integer(row.time)) {
            return broken(c, problem, "the time is not a number of ns");
        }
        if (!c.blanks() || !c.integer(number)) {
            return broken(c, problem, "the pid is not a number");
        }
        if (!c.blanks() || !c.word(word)) {
            return broken(c, problem, "the process is missing");
        }
        // A process name may hold blanks: it ends where LBA, size and operation follow. When they
        // never do, the complaint is about the text behind the first word.
        Problem first;
        bool found = address(c, row, first);
        while (!found && c.blanks() && c.word(word)) {
            Problem other;
            found = address(c, row, other);
        }
        if (!found) {
            problem = first;
            return LineKind::Broken;
        }
        u64 major = 0;
        u64 minor = 0;
        if (!c.blanks() || !c.integer(major) || major >> 32 != 0) {
            return broken(c, problem, "the major number is not a number");
        }
        if (!c.blanks() || !c.integer(minor) || minor >> 32 != 0) {
            return broken(c, problem, "the minor number is not a number");
        }
        row.device = major << 32 | minor;
        if (!c.blanks() || !c.word(word) || !md5(word)) {
            return broken(c, problem, "the MD5 sum is not 32 hexadecimal digits");
        }
        c.skip_blanks();
        return c.at_end() ? LineKind::Row : broken(c, problem, "text follows the MD5 sum");
    }

    /// " LBA sectors R|W"; moves on only when all three are there.
    static bool address(Cursor& at, Row& row, Problem& problem)
    {
        Cursor c = at;
        if (!c.blanks() || !c.integer(row.lba)) {
            broken(c, problem, "the LBA is not a number");
            return false;
        }
        if (!c.blanks() || !c.integer(row.sectors)) {
            broken(c, problem, "the size is not a number");
            return false;
        }
        row.kind = Kind::Read;
        if (!c.blanks() || (!c.literal('R') && !c.literal('W'))) {
            broken(c, problem, "the operation is neither R nor W");
            return false;
        }
        row.kind = *(c.position() - 1) == 'W' ? Kind::Write : Kind::Read;
        at = c;
        return true;
    }

    static bool md5(std::string_view word)
    {
        return word.size() == kMd5Digits &&
               word.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_fiu() { return std::make_unique<Fiu>(); }

} // namespace tlmssd::workload
