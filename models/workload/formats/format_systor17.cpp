// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SYSTOR '17 CSV: Timestamp,Response,IOType,LUN,Offset,Size, with a header line.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// SNIA IOTTA, SYSTOR '17 (Lee et al.): Unix seconds, bytes. The response may be empty, and so may
/// the type: such a row says not what to do and is left out.
class Systor17 final : public TraceFormat {
public:
    const char* name() const override { return "systor17"; }
    const char* fields() const override
    {
        return "seconds,[response],R|W,LUN,offset in bytes,bytes";
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        u64 response = 0;
        u64 offset = 0;
        u64 bytes = 0;
        c.skip_blanks();
        if (state.phase == 0) { // the first line
            state.phase = 1;
            if (c.rest() == "Timestamp,Response,IOType,LUN,Offset,Size") {
                return LineKind::Ignored;
            }
        }
        if (!c.decimal(row.time, 9)) {
            return broken(c, problem, "the time is not a number of seconds");
        }
        if (!c.comma() || (!c.at(',') && !c.decimal(response, 9))) {
            return broken(c, problem, "the response is not a number of seconds");
        }
        if (!c.comma()) {
            return broken(c, problem, "the type is missing");
        }
        const Cursor at_type = c;
        const bool typed = !c.at(',');
        if (c.literal('W')) {
            row.kind = Kind::Write;
        } else if (typed && !c.literal('R')) {
            return broken(c, problem, "the type is neither R nor W");
        }
        if (!c.comma() || !c.integer(row.device)) {
            return broken(c, problem, "the LUN is not a number");
        }
        if (!c.comma() || !c.integer(offset)) {
            return broken(c, problem, "the offset is not a number");
        }
        if (!c.comma() || !c.integer(bytes)) {
            return broken(c, problem, "the size is not a number");
        }
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the size");
        }
        take_bytes(row, offset, bytes);
        return typed ? LineKind::Row : left_out(at_type, problem, "the type is blank");
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_systor17() { return std::make_unique<Systor17>(); }

} // namespace tlmssd::workload
