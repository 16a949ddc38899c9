// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the users of an ONFI channel: targets, masters, observers.
#pragma once

#include "models/onfi/bus/segment.h"

namespace tlmssd::onfi {

/// One target: the dies of a CE#. Sees a segment when its last cycle has passed.
class TargetIf {
public:
    virtual ~TargetIf() = default;
    /// Take a command segment, or fill segment.data for a burst out. Time is segment.end.
    virtual void on_segment(Segment& segment) = 0;
    /// WP# of the target, at model time now. Low (true): no program, no erase.
    virtual void on_write_protect(bool protect) = 0;
};

/// The controller's side of a channel.
class BusMasterIf {
public:
    static constexpr u32 kTargetLine = 0xff;

    virtual ~BusMasterIf() = default;
    /// The bus is free again and the die has seen the segment.
    virtual void on_segment_end(u32 channel, Segment& segment) = 0;
    /// R/B# has changed: of one LUN (`onfi.ready: lun`), or with lun = kTargetLine the line that
    /// all LUNs of the CE# pull (`target`). Never called with `status`, where no line is wired.
    virtual void on_ready(u32 channel, u32 ce, u32 lun, bool ready) = 0;
};

/// Sees every segment when it has ended and every edge of R/B# at each LUN's pad, whatever the
/// wiring; derives the rest itself.
class BusObserverIf {
public:
    virtual ~BusObserverIf() = default;
    /// The segment has taken the bus; start, end, timing and all of its cycles are set, a burst out
    /// has no data yet. For those who draw; the same segment comes again when it has ended.
    virtual void on_started(u32 channel, const Segment& segment)
    {
        static_cast<void>(channel);
        static_cast<void>(segment);
    }
    virtual void on_observed(u32 channel, const Segment& segment) = 0;
    virtual void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) = 0;
    /// The array of a LUN begins (`busy`) or ends its work of a cache operation, which R/B# does not show. For those who
    /// draw, as on_started().
    virtual void on_array_edge(u32 channel, u32 ce, u32 lun, bool busy, Picoseconds when)
    {
        static_cast<void>(channel);
        static_cast<void>(ce);
        static_cast<void>(lun);
        static_cast<void>(busy);
        static_cast<void>(when);
    }
};

} // namespace tlmssd::onfi
