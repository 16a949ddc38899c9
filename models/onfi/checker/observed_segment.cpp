// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts, neighbours and reports of the segment under judgement.
#include "models/onfi/checker/observed_segment.h"

namespace tlmssd::onfi {

Cycle ObservedSegment::burst() const
{
    const bool out = segment.direction == DataDirection::Out;
    const u64 turn = out && segment.trail != 0 ? minima.rhw : 0;
    return Cycle{out ? CycleKind::DataOut : CycleKind::DataIn, 0,
                 Picoseconds(end - segment.trail * minima.cycle - turn)};
}

Cycle ObservedSegment::previous() const
{
    if (in_burst ? segment.lead == 0 : at == 0) {
        return sequence.last;
    }
    const bool after_burst = !in_burst && at == segment.lead && segment.trail != 0 &&
                             segment.direction != DataDirection::None;
    return after_burst ? burst() : cycle(at - 1);
}

void ObservedSegment::report(Rule rule, Cycle first, Cycle second)
{
    broken_ = true;
    if (first.kind == CycleKind::None) { // nothing before: the selection set it up
        first = select();
    }
    const Picoseconds when = rule == Rule::BusOverlap ? segment.start : segment.end;
    sink_.on_violation({when, channel, segment.ce, sequence.lun, rule, first, second});
}

void ObservedSegment::remember()
{
    Cycle& last = sequence.last;
    last.at = segment.end;
    if (segment.trail == 0 && segment.direction != DataDirection::None) {
        last.kind =
            segment.direction == DataDirection::Out ? CycleKind::DataOut : CycleKind::DataIn;
        return;
    }
    const u32 cycles = u32{segment.lead} + segment.trail;
    if (cycles != 0) {
        last.kind = segment.is_command(cycles - 1) ? CycleKind::Command : CycleKind::Address;
        last.byte = segment.bytes[cycles - 1];
    }
}

} // namespace tlmssd::onfi
