// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Tencent cloud block storage CSV: Timestamp,Offset,Size,IOType,VolumeID.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kNsPerSecond = 1000000000;

/// SNIA IOTTA, Tencent CBS (Zhang et al., ATC 2020): Unix seconds, sectors of 512 B; 1 is a write,
/// the opposite of DiskSim. All requests of a second have one time: only their order is known.
/// A volume is a number or, in anonymised pieces, a word.
class Tencent final : public TraceFormat {
public:
    const char* name() const override { return "tencent"; }
    const char* fields() const override
    {
        return "seconds,sector,sectors,0=read|1=write,volume";
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        c.skip_blanks();
        if (!c.integer(row.time) || row.time > ~u64{0} / kNsPerSecond) {
            return broken(c, problem, "the time is not an integer of seconds");
        }
        row.time *= kNsPerSecond;
        if (!c.comma() || !c.integer(row.lba)) {
            return broken(c, problem, "the offset is not a number");
        }
        if (!c.comma() || !c.integer(row.sectors)) {
            return broken(c, problem, "the size is not a number");
        }
        u64 type = 0;
        if (!c.comma() || !c.integer(type) || type > 1) {
            return broken(c, problem, "the type is neither 0 nor 1");
        }
        row.kind = type == 1 ? Kind::Write : Kind::Read;
        std::string_view volume;
        if (!c.comma() || !c.word(volume) || volume.find(',') != std::string_view::npos) {
            return broken(c, problem, "the volume is not a word");
        }
        row.device = device_number(volume);
        c.skip_blanks();
        return c.at_end() ? LineKind::Row : broken(c, problem, "text follows the volume");
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_tencent() { return std::make_unique<Tencent>(); }

} // namespace tlmssd::workload
