// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where a trace's addresses lie on the modelled device.
#include "models/workload/rows/placement.h"

#include <algorithm>
#include <map>

#include "models/common/error.h"

namespace tlmssd::workload {

Layout Layout::scan(const std::string& path, const TraceFormat& format, bool lenient)
{
    RowReader reader(path, format, lenient, nullptr);
    std::map<u64, u64> ends;
    Row row;
    u64* end = nullptr;
    u64 device = 0;
    while (reader.next(row)) {
        if (end == nullptr || row.device != device) {
            device = row.device;
            end = &ends[device];
            if (ends.size() > kMaxDevices) {
                throw InputError(path + ":" + std::to_string(row.line) + ": " + format.name() +
                                 ": more than 65536 devices; use workload.devices: overlay");
            }
        }
        *end = std::max(*end, row.lba + row.sectors);
    }
    Layout layout;
    u64 start = 0;
    for (const auto& [number, last] : ends) {
        layout.starts_.emplace_back(number, start);
        start += (last + kAlignSectors - 1) / kAlignSectors * kAlignSectors;
        if (start > kMaxRowLba) {
            throw InputError(path + ":" + std::to_string(row.line) + ": " + format.name() +
                             ": the devices laid end to end reach beyond 2^64 bytes; use "
                             "workload.devices: overlay");
        }
    }
    return layout;
}

const u64* Layout::start_of(u64 device) const
{
    const auto at =
        std::lower_bound(starts_.begin(), starts_.end(), std::make_pair(device, u64{0}));
    return at != starts_.end() && at->first == device ? &at->second : nullptr;
}

Placement::Placement(config::Beyond beyond, u64 device_sectors)
    : beyond_(beyond), device_sectors_(device_sectors),
      max_sectors_(beyond == config::Beyond::Fold ? std::min(kMaxRequestSectors, device_sectors)
                                                  : kMaxRequestSectors)
{
}

bool Placement::place(Request& request, SourceCounts& counts) const
{
    if (request.lba + request.sectors <= device_sectors_) {
        return true;
    }
    if (beyond_ == config::Beyond::Drop) {
        ++counts.dropped;
        return false;
    }
    ++counts.folded;
    request.lba = std::min(request.lba % device_sectors_, device_sectors_ - request.sectors);
    return true;
}

} // namespace tlmssd::workload
