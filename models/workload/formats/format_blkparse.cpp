// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: text output of blkparse: maj,min cpu seq seconds pid action rwbs [sector + count] ...
#include "models/workload/formats/formats.h"

#include "models/common/error.h"

namespace tlmssd::workload {
namespace {

/// blkparse(1), default output. One action is taken (D or Q), all others and messages are ignored.
/// rwbs: an F in front is a flush before the request (alone: a FLUSH), then R, W, D (discard) or N,
/// then F (FUA), S, M, A, B. Lines without a sector (plug, packet commands) hold no request.
class Blkparse final : public TraceFormat {
public:
    explicit Blkparse(char action) : action_(action) {}

    const char* name() const override { return "blkparse"; }
    const char* fields() const override
    {
        return "maj,min cpu sequence seconds pid action rwbs [sector + sectors] ...";
    }
    bool reorders() const override { return true; }
    std::string empty_hint() const override
    {
        return std::string("no event of action ") + action_ + "; see workload.blkparse_action";
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        c.skip_blanks();
        if (summary(c.rest())) {
            return LineKind::End;
        }
        u64 major = 0;
        u64 minor = 0;
        u64 number = 0;
        if (!c.integer(major) || !c.literal(',') || !c.integer(minor) || major >> 32 != 0 ||
            minor >> 32 != 0) {
            return broken(c, problem, "the device is not major,minor");
        }
        row.device = major << 32 | minor;
        if (!c.blanks() || !c.integer(number)) {
            return broken(c, problem, "the CPU is not a number");
        }
        if (!c.blanks() || !c.integer(number)) {
            return broken(c, problem, "the sequence is not a number");
        }
        if (!c.blanks() || !c.decimal(row.time, 9)) {
            return broken(c, problem, "the time is not a number of seconds");
        }
        if (!c.blanks() || !c.integer(number)) {
            return broken(c, problem, "the process is not a number");
        }
        std::string_view action;
        std::string_view rwbs;
        if (!c.blanks() || !c.word(action) || !letters(action)) {
            return broken(c, problem, "the action is not a word");
        }
        if (!c.blanks() || !c.word(rwbs) || !letters(rwbs)) {
            return broken(c, problem, "rwbs is not a word");
        }
        if (action.size() != 1 || action[0] != action_) {
            return LineKind::Ignored;
        }
        return request(c, rwbs, row, problem);
    }

private:
    static bool summary(std::string_view text)
    {
        return text.substr(0, 3) == "CPU" || text.substr(0, 5) == "Total";
    }
    static bool letters(std::string_view word)
    {
        for (const char c : word) {
            if ((c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) {
                return false;
            }
        }
        return true;
    }

    LineKind request(Cursor c, std::string_view rwbs, Row& row, Problem& problem) const
    {
        const bool flush = rwbs[0] == 'F';
        const char direction = flush ? (rwbs.size() > 1 ? rwbs[1] : 'N') : rwbs[0];
        const std::size_t flags = flush ? 2 : 1;
        c.skip_blanks();
        bool data = !c.at_end() && !c.at('[');
        if (data) {
            if (!c.integer(row.lba)) {
                return broken(c, problem, "the sector is not a number");
            }
            c.skip_blanks();
            if (c.literal('+')) {
                c.skip_blanks();
                if (!c.integer(row.sectors)) {
                    return broken(c, problem, "the count is not a number");
                }
            } else if (c.at_end() || c.at('[') || c.at('(')) {
                data = false; // a flush with its sector, or a packet command's length
            } else {
                return broken(c, problem, "no + before the count");
            }
        }
        if (flush && (!data || row.sectors == 0 || direction == 'N' || direction == 'F')) {
            row.kind = Kind::Flush;
            row.lba = 0;
            row.sectors = 0;
            return LineKind::Row;
        }
        if (!data || direction == 'N') {
            return LineKind::Ignored;
        }
        row.preflush = flush;
        if (direction == 'W') {
            row.kind = Kind::Write;
            row.fua = flags < rwbs.size() && rwbs.find('F', flags) != std::string_view::npos;
        } else if (direction == 'D') {
            row.kind = Kind::Trim;
        } else if (direction != 'R') {
            return broken(c, problem, "rwbs has none of R, W, D, N, F");
        }
        return LineKind::Row;
    }

    char action_;
};

} // namespace

std::unique_ptr<TraceFormat> make_blkparse(const std::string& action)
{
    if (action != "D" && action != "Q") {
        throw InputError("workload.blkparse_action: unknown action " + quoted(action) +
                         "; did you mean \"" + (action == "q" ? "Q" : "D") +
                         "\"? (D: dispatched, Q: queued)");
    }
    return std::make_unique<Blkparse>(action[0]);
}

} // namespace tlmssd::workload
