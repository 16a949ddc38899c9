// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Alibaba block traces of 2020: device_id,opcode,offset,length,timestamp.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// github.com/alibaba/block-traces (Li et al., IISWC 2020): bytes, microseconds, R or W.
class Alibaba final : public TraceFormat {
public:
    const char* name() const override { return "alibaba"; }
    const char* fields() const override { return "device,R|W,offset in bytes,bytes,us"; }
    u64 tick_ps() const override { return 1000000; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        u64 offset = 0;
        u64 bytes = 0;
        c.skip_blanks();
        if (!c.integer(row.device)) {
            return broken(c, problem, "the device is not a number");
        }
        if (!c.comma()) {
            return broken(c, problem, "the opcode is missing");
        }
        if (c.literal('W')) {
            row.kind = Kind::Write;
        } else if (!c.literal('R')) {
            return broken(c, problem, "the opcode is neither R nor W");
        }
        if (!c.comma() || !c.integer(offset)) {
            return broken(c, problem, "the offset is not a number");
        }
        if (!c.comma() || !c.integer(bytes)) {
            return broken(c, problem, "the length is not a number");
        }
        if (!c.comma() || !c.integer(row.time)) {
            return broken(c, problem, "the time is not a number of us");
        }
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the time");
        }
        take_bytes(row, offset, bytes);
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_alibaba() { return std::make_unique<Alibaba>(); }

} // namespace tlmssd::workload
