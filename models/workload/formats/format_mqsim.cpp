// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: MQSim ASCII: time in ns, device, LBA, sectors, type; five items, one blank between.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// MQSim's Time_Unit is part of its XML file, not of the trace; its own traces use nanoseconds, the
/// only unit read here. LBA and size in sectors of 512 B; "1" is a read.
class Mqsim final : public TraceFormat {
public:
    const char* name() const override { return "mqsim"; }
    const char* fields() const override
    {
        return "ns device LBA sectors 1=read|0=write, one blank between";
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        if (!c.integer(row.time)) {
            return broken(c, problem, "the time is not an integer");
        }
        if (!c.literal(' ') || !c.integer(row.device)) {
            return broken(c, problem, "the device is not a number");
        }
        if (!c.literal(' ') || !c.integer(row.lba)) {
            return broken(c, problem, "the LBA is not a number");
        }
        if (!c.literal(' ') || !c.integer(row.sectors)) {
            return broken(c, problem, "the size is not a number");
        }
        if (!c.literal(' ')) {
            return broken(c, problem, "the type is missing");
        }
        if (c.literal('0')) {
            row.kind = Kind::Write;
        } else if (!c.literal('1')) {
            return broken(c, problem, "the type is neither 0 nor 1");
        }
        if (!c.at_end()) {
            return broken(c, problem, "text follows the type");
        }
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_mqsim() { return std::make_unique<Mqsim>(); }

} // namespace tlmssd::workload
