// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CloudPhysics CSV: version,time,op,size,lbn, with a header line.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

/// Microseconds, the SCSI operation code in hexadecimal, bytes, sectors of 512 B. Codes other than
/// READ and WRITE (6, 10, 12, 16 bytes) and SYNCHRONIZE CACHE are left out.
class CloudPhysics final : public TraceFormat {
public:
    const char* name() const override { return "cloudphysics"; }
    const char* fields() const override
    {
        return "version,us,SCSI code in hexadecimal (28: read, 2a: write),bytes,sector";
    }
    u64 tick_ps() const override { return 1000000; }
    /// Without its header a row could also be of tencent.
    bool claims(const ReadState& state) const override { return state.phase == kHeaderSeen; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        c.skip_blanks();
        if (state.phase == 0) { // the first line
            const bool header = c.rest() == "version,time,op,size,lbn";
            state.phase = header ? kHeaderSeen : kNoHeader;
            if (header) {
                return LineKind::Ignored;
            }
        }
        u64 version = 0;
        u64 code = 0;
        u64 bytes = 0;
        if (!c.integer(version)) {
            return broken(c, problem, "the version is not a number");
        }
        if (!c.comma() || !c.integer(row.time)) {
            return broken(c, problem, "the time is not a number of us");
        }
        if (!c.comma() || !c.integer(code, 16) || code > 0xff) {
            return broken(c, problem, "the operation is not a byte in hexadecimal");
        }
        const Cursor after_code = c;
        if (!c.comma() || !c.integer(bytes)) {
            return broken(c, problem, "the size is not a number");
        }
        if (!c.comma() || !c.integer(row.lba)) {
            return broken(c, problem, "the sector is not a number");
        }
        c.skip_blanks();
        if (!c.at_end()) {
            return broken(c, problem, "text follows the sector");
        }
        row.sectors = bytes / 512 + (bytes % 512 != 0 ? 1 : 0);
        switch (code) {
        case 0x08:
        case 0x28:
        case 0xa8:
        case 0x88:
            return LineKind::Row;
        case 0x0a:
        case 0x2a:
        case 0xaa:
        case 0x8a:
            row.kind = Kind::Write;
            return LineKind::Row;
        case 0x35:
        case 0x91:
            row.kind = Kind::Flush;
            row.lba = 0;
            row.sectors = 0;
            return LineKind::Row;
        default:
            return left_out(after_code, problem, "the operation neither reads nor writes");
        }
    }

private:
    static constexpr u64 kNoHeader = 1;
    static constexpr u64 kHeaderSeen = 2;
};

} // namespace

std::unique_ptr<TraceFormat> make_cloudphysics() { return std::make_unique<CloudPhysics>(); }

} // namespace tlmssd::workload
