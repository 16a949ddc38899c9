// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: all that the flash controller and its segment port have counted, and their parts of results.json.
#pragma once

#include <string>
#include <vector>

#include "models/flash/data_path.h"
#include "models/flash/o3/o3_core.h"
#include "models/flash/rtl/rtl_registers.h"
#include "models/flash/segment_port.h"
#include "models/observe/statistics.h"

namespace tlmssd::flash {

/// Of the channels and dies of a segment port.
struct SegmentStatistics {
    struct Channel {
        Picoseconds busy; ///< the bus carried a segment
        SegmentPort::ChannelStatistics counts;
    };
    std::vector<Channel> channels;
    std::vector<SegmentPort::DieStatistics> dies;

    SegmentPort::ChannelStatistics total() const; ///< over all channels
    /// The counts since `before`; an empty `before` is the start.
    SegmentStatistics since(const SegmentStatistics& before) const;
};

/// Up to `now`; a running segment counts with the part that has passed.
SegmentStatistics statistics_of(const SegmentPort& port, Picoseconds now);

/// `controller`.
struct ControllerReading {
    std::string mode;
    OrderStatistics order;
    const RtlCounters* registers; ///< null: the controller counts nothing itself
    SegmentPort::ChannelStatistics segments; ///< over all channels
    bool caches = false; ///< controller.cache_ops
};
const observe::Table<ControllerReading>& controller_statistics();

/// `flash.ops`, over all channels.
const observe::Table<SegmentPort::ChannelStatistics>& operation_statistics();
/// An element of `flash.channels`.
const observe::Table<SegmentStatistics::Channel>& channel_statistics();

/// The work of dies in `elapsed`: a part of `flash`.
struct DieReading {
    const std::vector<SegmentPort::DieStatistics>& dies;
    Picoseconds elapsed;
};
const observe::Table<DieReading>& die_statistics();

/// `ecc`.
const observe::Table<DataPath::EccStatistics>& ecc_statistics();

} // namespace tlmssd::flash
