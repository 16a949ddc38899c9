// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SPC trace files: ASU,LBA,size,opcode,timestamp[,optional fields].
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// SPC trace file format 1.0.1: LBA in blocks of 512 B within the ASU, size in bytes (rounded up to
/// sectors here), opcode in either case, seconds. White space may follow a comma.
class Spc final : public TraceFormat {
public:
    const char* name() const override { return "spc"; }
    const char* fields() const override { return "ASU,LBA,bytes,R|W,seconds[,...]"; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        u64 bytes = 0;
        c.skip_blanks();
        if (!c.integer(row.device)) {
            return broken(c, problem, "the ASU is not a number");
        }
        if (!c.comma() || !c.integer(row.lba)) {
            return broken(c, problem, "the LBA is not a number");
        }
        if (!c.comma() || !c.integer(bytes)) {
            return broken(c, problem, "the size is not a number");
        }
        row.sectors = bytes / 512 + (bytes % 512 != 0 ? 1 : 0);
        if (!c.comma()) {
            return broken(c, problem, "the opcode is missing");
        }
        if (c.literal('W') || c.literal('w')) {
            row.kind = Kind::Write;
        } else if (!c.literal('R') && !c.literal('r')) {
            return broken(c, problem, "the opcode is neither R nor W");
        }
        if (!c.comma() || !c.decimal(row.time, 9)) {
            return broken(c, problem, "the time is not a number of seconds");
        }
        c.skip_blanks();
        if (!c.at_end() && !c.at(',')) {
            return broken(c, problem, "text follows the time");
        }
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_spc() { return std::make_unique<Spc>(); }

} // namespace tlmssd::workload
