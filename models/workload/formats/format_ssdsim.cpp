// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: SSDsim ASCII: time in ns, device, LBA, sectors, operation; integers.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// LBA and size in sectors of 512 B; 1 is a read. Blanks or tabs; some files carry a sixth field.
class Ssdsim final : public TraceFormat {
public:
    const char* name() const override { return "ssdsim"; }
    const char* fields() const override { return "ns device LBA sectors 1=read|0=write [any]"; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        c.skip_blanks();
        if (!c.integer(row.time)) {
            return broken(c, problem, "the time is not an integer");
        }
        if (!c.blanks() || !c.integer(row.device)) {
            return broken(c, problem, "the device is not a number");
        }
        if (!c.blanks() || !c.integer(row.lba)) {
            return broken(c, problem, "the LBA is not a number");
        }
        if (!c.blanks() || !c.integer(row.sectors)) {
            return broken(c, problem, "the size is not a number");
        }
        u64 operation = 0;
        if (!c.blanks() || !c.integer(operation) || operation > 1) {
            return broken(c, problem, "the operation is neither 0 nor 1");
        }
        row.kind = operation == 1 ? Kind::Read : Kind::Write;
        std::string_view sixth;
        if (c.blanks()) {
            c.word(sixth);
            c.skip_blanks();
        }
        if (!c.at_end()) {
            return broken(c, problem, "text follows the operation");
        }
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_ssdsim() { return std::make_unique<Ssdsim>(); }

} // namespace tlmssd::workload
