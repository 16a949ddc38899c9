// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where a trace's addresses lie on the modelled device.
#pragma once

#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/workload/rows/row_reader.h"

namespace tlmssd::workload {

/// Where each device of a trace starts when they are laid end to end, in order of device number.
class Layout {
public:
    /// Each region is as long as the device's highest address, rounded up to 1 MiB so that
    /// alignment is kept.
    static constexpr u64 kAlignSectors = 2048;
    static constexpr std::size_t kMaxDevices = 65536;

    /// Reads the whole file once. Throws InputError on a broken line (unless lenient), and when the
    /// regions end beyond 2^64 bytes.
    static Layout scan(const std::string& path, const TraceFormat& format, bool lenient);

    /// First sector of a device; null when the scan has not seen it.
    const u64* start_of(u64 device) const;

private:
    std::vector<std::pair<u64, u64>> starts_; ///< (device, first sector), sorted
};

/// Puts requests into the device: fold or drop what reaches beyond its end.
class Placement {
public:
    Placement(config::Beyond beyond, u64 device_sectors);

    /// Longest request that place() takes, in sectors.
    u64 max_sectors() const { return max_sectors_; }
    /// Fold: LBA modulo the device, then moved down so that the request fits as one piece; counted
    /// as folded. Drop: false, counted as dropped.
    bool place(Request& request, SourceCounts& counts) const;

private:
    config::Beyond beyond_;
    u64 device_sectors_;
    u64 max_sectors_;
};

} // namespace tlmssd::workload
