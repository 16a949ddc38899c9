// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DiskSim ASCII: time in ms, device, block, sectors, flags.
#include "models/workload/formats/format_disksim.h"

#include "models/workload/formats/formats.h"

namespace tlmssd::workload {

const char* parse_disksim(Cursor& c, Row& row)
{
    c.skip_blanks();
    if (!c.decimal(row.time, 6)) {
        return "the time is not a number of ms";
    }
    if (!c.blanks() || !c.integer(row.device)) {
        return "the device is not a number";
    }
    if (!c.blanks() || !c.integer(row.lba)) {
        return "the block is not a number";
    }
    if (!c.blanks() || !c.integer(row.sectors)) {
        return "the size is not a number";
    }
    u64 flags = 0;
    if (!c.blanks() || !c.integer(flags, 16)) {
        return "the flags are not a hexadecimal number";
    }
    row.kind = (flags & 1) != 0 ? Kind::Read : Kind::Write;
    c.skip_blanks();
    return c.at_end() ? nullptr : "text follows the flags";
}

namespace {

/// DiskSim 4.0 reference manual, "ASCII" traces: blocks and sizes in sectors of 512 B.
class Disksim final : public TraceFormat {
public:
    const char* name() const override { return "disksim"; }
    const char* fields() const override { return "ms device LBA sectors flags (bit 0: read)"; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        const char* what = parse_disksim(c, row);
        return what == nullptr ? LineKind::Row : broken(c, problem, what);
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_disksim() { return std::make_unique<Disksim>(); }

} // namespace tlmssd::workload
