// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// SNIA IOTTA, MSR Cambridge: times in Windows FILETIME ticks of 100 ns, offset and size in bytes.
/// An unaligned request covers all sectors that it touches. No header line.
class Msr final : public TraceFormat {
public:
    const char* name() const override { return "msr"; }
    const char* fields() const override
    {
        return "FILETIME,host,disk,Read|Write,offset in bytes,bytes,response time";
    }
    u64 tick_ps() const override { return 100000; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        u64 offset = 0;
        u64 bytes = 0;
        u64 response = 0;
        std::string_view text;
        if (!c.integer(row.time)) {
            return broken(c, problem, "the time is not a number of FILETIME ticks");
        }
        if (!c.comma() || !c.field(',', text)) {
            return broken(c, problem, "the host name is missing");
        }
        if (!c.comma() || !c.integer(row.device)) {
            return broken(c, problem, "the disk is not a number");
        }
        if (!c.comma()) {
            return broken(c, problem, "the type is missing");
        }
        const Cursor at_type = c;
        c.field(',', text);
        if (text == "Write") {
            row.kind = Kind::Write;
        } else if (text != "Read") {
            return broken(at_type, problem, "the type is neither Read nor Write");
        }
        if (!c.comma() || !c.integer(offset)) {
            return broken(c, problem, "the offset is not a number");
        }
        if (!c.comma() || !c.integer(bytes)) {
            return broken(c, problem, "the size is not a number");
        }
        if (!c.comma() || !c.integer(response)) {
            return broken(c, problem, "the response time is not a number");
        }
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the response time");
        }
        take_bytes(row, offset, bytes);
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_msr() { return std::make_unique<Msr>(); }

} // namespace tlmssd::workload
