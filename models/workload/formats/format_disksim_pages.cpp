// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DiskSim ASCII as FlashSim's users write it: LBA in sectors, but size in 4 KiB pages.
#include "models/workload/formats/format_disksim.h"
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

class DisksimPages final : public TraceFormat {
public:
    const char* name() const override { return "disksim-pages"; }
    const char* fields() const override
    {
        return "ms device LBA 4-KiB-pages flags (bit 0: read)";
    }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState&) const override
    {
        const char* what = parse_disksim(c, row);
        if (what != nullptr) {
            return broken(c, problem, what);
        }
        constexpr u64 kSectorsPerPage = 4096 / 512;
        if (row.sectors > kMaxRowSectors / kSectorsPerPage) {
            return broken(c, problem, "size above 2 TiB");
        }
        row.sectors *= kSectorsPerPage;
        return LineKind::Row;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_disksim_pages() { return std::make_unique<DisksimPages>(); }

} // namespace tlmssd::workload
