// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: who speaks on an ONFI channel besides the channel itself.
#pragma once

#include "models/onfi/segment.h"

namespace tlmssd::onfi {

/// One CE#: the dies behind a chip enable. Sees a segment when its last cycle has passed.
class TargetIf {
public:
    virtual ~TargetIf() = default;
    /// Take a command segment, or fill segment.data for a burst out. Time is segment.end.
    virtual void on_segment(Segment& segment) = 0;
};

/// The controller's side of a channel.
class BusMasterIf {
public:
    virtual ~BusMasterIf() = default;
    /// The bus is free again and the die has seen the segment.
    virtual void on_segment_end(u32 channel, Segment& segment) = 0;
    /// R/B# of one LUN has changed (one ready line a LUN; sharing and polling: later issue).
    virtual void on_ready(u32 channel, u32 ce, u32 lun, bool ready) = 0;
};

/// Sees every segment when it has ended and every edge of R/B#; derives the rest itself.
class BusObserverIf {
public:
    virtual ~BusObserverIf() = default;
    virtual void on_observed(u32 channel, const Segment& segment) = 0;
    virtual void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) = 0;
};

} // namespace tlmssd::onfi
