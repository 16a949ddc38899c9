// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fio's I/O logs, versions 2 and 3, recognised by their first line.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kMaxMicroseconds = u64{1} << 62;

/// fio HOWTO, "Trace file format v2/v3", and fio's iolog.c. Offsets and lengths in bytes; each file
/// name is a device. Version 3: microseconds in front of each line. Version 2: no times, but `wait`
/// lines, whose number fio's code takes for milliseconds since the start, and fio's manual for
/// microseconds since the previous wait: `manual_waits` chooses.
/// ReadState: phase is the version, clock the time in us, columns[0] whether a wait was seen.
class FioIolog final : public TraceFormat {
public:
    explicit FioIolog(bool manual_waits) : manual_waits_(manual_waits) {}

    const char* name() const override { return manual_waits_ ? "fio-iolog-manual" : "fio-iolog"; }
    const char* fields() const override
    {
        return "\"fio version 2 iolog\" or 3 in line 1, then [us] file action [offset bytes]";
    }
    u64 tick_ps() const override { return 1000000; }
    /// The two readings differ in version 2 files with waits only.
    bool claims(const ReadState& state) const override
    {
        return state.phase != 0 && (!manual_waits_ || state.columns[0] != 0);
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        if (state.phase == 0) {
            return header(c, problem, state);
        }
        std::string_view file;
        std::string_view action;
        c.skip_blanks();
        if (state.phase == 3) {
            if (!c.integer(row.time)) {
                return broken(c, problem, "the time is not a number of us");
            }
            if (row.time > kMaxMicroseconds) {
                return broken(c, problem, "the time is above 2^62 us");
            }
        } else {
            row.time = state.clock;
        }
        if ((state.phase == 3 && !c.blanks()) || !c.word(file)) {
            return broken(c, problem, "the file name is missing");
        }
        row.device = device_number(file);
        const Cursor at_action = c;
        if (!c.blanks() || !c.word(action)) {
            return broken(c, problem, "the action is missing");
        }
        c.skip_blanks();
        if (action == "add" || action == "open" || action == "close" || action == "unlink") {
            return c.at_end() ? LineKind::Ignored
                              : broken(c, problem, "text follows the action");
        }
        if (action == "wait") {
            return state.phase == 2 ? wait(c, problem, state)
                                    : broken(at_action, problem, "version 3 has no wait");
        }
        if (action == "sync" || action == "datasync" || action == "sync_file_range") {
            row.kind = Kind::Flush;
            return c.at_end() ? LineKind::Row : extent(c, row, problem);
        }
        if (action == "write") {
            row.kind = Kind::Write;
        } else if (action == "trim") {
            row.kind = Kind::Trim;
        } else if (action != "read") {
            return broken(at_action, problem, "unknown action");
        }
        return extent(c, row, problem);
    }

private:
    static LineKind header(Cursor c, Problem& problem, ReadState& state)
    {
        const Cursor start = c;
        u64 version = 0;
        if (!c.text("fio version ") || !c.integer(version) || !c.text(" iolog")) {
            return broken(start, problem, "the first line is not \"fio version 2 iolog\" or 3");
        }
        c.skip_blanks();
        if (!c.at_end() || version < 2 || version > 3) {
            return broken(start, problem, "only versions 2 and 3 of fio's logs are read");
        }
        state.phase = version;
        return LineKind::Ignored;
    }

    static LineKind extent(Cursor c, Row& row, Problem& problem)
    {
        u64 offset = 0;
        u64 bytes = 0;
        if (!c.integer(offset)) {
            return broken(c, problem, "the offset is not a number");
        }
        if (!c.blanks() || !c.integer(bytes)) {
            return broken(c, problem, "the length is not a number");
        }
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the length");
        }
        if (row.kind != Kind::Flush) {
            take_bytes(row, offset, bytes);
        }
        return LineKind::Row;
    }

    /// fio's own reader wants a fourth field, which it ignores; the manual's grammar leaves it out.
    LineKind wait(Cursor c, Problem& problem, ReadState& state) const
    {
        u64 delay = 0;
        u64 ignored = 0;
        const Cursor at_delay = c;
        if (!c.integer(delay)) {
            return broken(c, problem, "the wait is not a number");
        }
        if (c.blanks() && !c.at_end() && !c.integer(ignored)) {
            return broken(c, problem, "the length is not a number");
        }
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the wait");
        }
        if (delay > kMaxMicroseconds / 1000 || state.clock > kMaxMicroseconds) {
            return broken(at_delay, problem, "the wait is too long");
        }
        state.columns[0] = 1;
        if (manual_waits_) {
            state.clock += delay;
        } else if (delay * 1000 > state.clock) {
            state.clock = delay * 1000;
        }
        return LineKind::Ignored;
    }

    bool manual_waits_;
};

} // namespace

std::unique_ptr<TraceFormat> make_fio_iolog() { return std::make_unique<FioIolog>(false); }
std::unique_ptr<TraceFormat> make_fio_iolog_manual() { return std::make_unique<FioIolog>(true); }

} // namespace tlmssd::workload
