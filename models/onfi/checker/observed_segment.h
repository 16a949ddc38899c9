// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the segment under judgement: the times of its cycles, and the rules that it breaks.
#pragma once

#include "models/onfi/bus/segment.h"
#include "models/onfi/bus/violation.h"
#include "models/onfi/checker/bus_minima.h"
#include "models/onfi/checker/command_sequence.h"

namespace tlmssd::onfi {

/// A segment, the sequence that it goes on with, and the cycle that is looked at. Cycles are placed
/// by the minima from the segment's start, or back from its end after the burst.
class ObservedSegment {
public:
    /// All references outlive the judgement. `driven_row`: row of the MinimaTable, that of `least`.
    ObservedSegment(u32 bus_channel, const Segment& seen, const BusMinima& least, u8 driven_row,
                    CommandSequence& open_sequence, ViolationSink& violations)
        : segment(seen), minima(least), sequence(open_sequence), end(seen.end.value()),
          first_cycle(seen.start.value() + least.cs), channel(bus_channel), driven(driven_row),
          sink_(violations)
    {
    }

    /// Cycle `i` of the segment with the time of its end.
    Cycle cycle(u32 i) const
    {
        const u32 cycles = u32{segment.lead} + segment.trail;
        const bool from_end = i >= segment.lead || segment.direction == DataDirection::None;
        const u64 when = from_end ? end - (cycles - 1 - i) * minima.cycle
                                  : first_cycle + (i + 1) * minima.cycle;
        return Cycle{segment.is_command(i) ? CycleKind::Command : CycleKind::Address,
                     segment.bytes[i], Picoseconds(when)};
    }
    Cycle burst() const;
    Cycle current() const { return in_burst ? burst() : cycle(at); }
    /// The cycle before the current one on this CE#.
    Cycle previous() const;
    /// The command that acts now: a confirm, or one whose address or data are complete.
    Cycle acting() const
    {
        const bool command = !in_burst && segment.is_command(at);
        return command ? cycle(at) : sequence.opened;
    }
    /// CE# low.
    Cycle select() const { return Cycle{CycleKind::Select, 0, segment.start}; }

    /// A rule is broken: by the current cycle, or by `second`. Where `first` is no cycle, CE# low
    /// set the rule up. The LUN is the one that the bus talks to.
    void report(Rule rule, Cycle first) { report(rule, first, current()); }
    void report(Rule rule, Cycle first, Cycle second);
    bool broken() const { return broken_; }

    /// Keep the segment's last cycle in the sequence, for what the next one may break.
    void remember();

    const Segment& segment;
    const BusMinima& minima;
    CommandSequence& sequence;
    u64 end;
    u64 first_cycle; ///< start of the first cycle
    u32 channel;
    u32 at = 0;      ///< the cycle under judgement; lead: the burst where in_burst
    u8 driven;       ///< row of the MinimaTable that the segment is driven in
    bool in_burst = false;

private:
    bool broken_ = false;
    ViolationSink& sink_;
};

} // namespace tlmssd::onfi
