// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: traces of huaicheng's replayer, also used by IODA: ms device offset size type.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// The replayer's README: milliseconds, bytes, 1 is a read. It opens the device for direct I/O, so
/// offsets and sizes are whole sectors; anything else is more likely one of the other formats with
/// five columns.
class Ioda final : public TraceFormat {
public:
    const char* name() const override { return "ioda"; }
    const char* fields() const override
    {
        return "ms device offset-in-bytes bytes 1=read|0=write (whole sectors)";
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        u64 offset = 0;
        u64 bytes = 0;
        u64 type = 0;
        c.skip_blanks();
        if (!c.decimal(row.time, 6)) {
            return broken(c, problem, "the time is not a number of ms");
        }
        if (!c.blanks() || !c.integer(row.device)) {
            return broken(c, problem, "the device is not a number");
        }
        if (!c.blanks() || !c.integer(offset) || offset % 512 != 0) {
            return broken(c, problem, "the offset is not a multiple of 512 bytes");
        }
        if (!c.blanks() || !c.integer(bytes) || bytes % 512 != 0) {
            return broken(c, problem, "the size is not a multiple of 512 bytes");
        }
        if (!c.blanks() || !c.integer(type) || type > 1) {
            return broken(c, problem, "the type is neither 0 nor 1");
        }
        row.kind = type == 1 ? Kind::Read : Kind::Write;
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the type");
        }
        take_bytes(row, offset, bytes);
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_ioda() { return std::make_unique<Ioda>(); }

} // namespace tlmssd::workload
