// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sums of minima over the cycles and the burst of a segment.
#include "models/onfi/checker/bus_timing_check.h"

#include <array>
#include <initializer_list>

namespace tlmssd::onfi {

namespace {

/// What a burst waits for when the cycles before it were in an earlier segment.
enum class Gap : u8 { None, Whr, Ccs, Adl };

constexpr std::array<Gap, 256> make_gaps()
{
    std::array<Gap, 256> gaps{};
    for (const u8 byte : std::initializer_list<u8>{0x00, 0x70, 0x78, 0x90}) {
        gaps[byte] = Gap::Whr;
    }
    gaps[0xe0] = gaps[0x85] = Gap::Ccs;
    for (const u8 byte : std::initializer_list<u8>{0x80, 0xef, 0xd5}) {
        gaps[byte] = Gap::Adl;
    }
    return gaps;
}

constexpr std::array<Gap, 256> kGaps = make_gaps();

u64 gap_time(Gap gap, const BusMinima& m)
{
    switch (gap) {
    case Gap::None:
        return 0;
    case Gap::Whr:
        return m.whr;
    case Gap::Ccs:
        return m.ccs;
    case Gap::Adl:
        return m.adl;
    }
    return 0;
}

/// Index of the last command cycle before the burst, or -1.
int last_command(const Segment& segment)
{
    const u64 commands = segment.command_mask & ((u64{1} << segment.lead) - 1);
    return commands == 0 ? -1 : 63 - __builtin_clzll(commands);
}

} // namespace

/// Earliest legal end; `t`: earliest end of the cycles before a burst.
u64 BusTimingCheck::least_end(ObservedSegment& seen, u64 t)
{
    const Segment& s = seen.segment;
    const BusMinima& m = seen.minima;
    u64& data_from = data_from_[s.ce];
    const int command_at = last_command(s);
    if (s.direction == DataDirection::None) {
        if (command_at >= 0) {
            data_from = seen.end + gap_time(kGaps[s.bytes[static_cast<u32>(command_at)]], m);
        }
        return t;
    }
    const u64 round = (u64{1} << (s.narrow ? 0 : m.shift)) - 1;
    const u64 strobes = (s.data_bytes + round) >> (s.narrow ? 0 : m.shift);
    if (s.direction == DataDirection::Out) {
        // Nothing asked for on the bus: the ready edge was the cue.
        t += command_at < 0                                  ? m.rr
             : s.bytes[static_cast<u32>(command_at)] == 0xe0 ? m.ccs
                                                             : m.whr;
        t = data_from > t ? data_from : t;
        t += m.frame_out + strobes * m.strobe_out + (s.trail != 0 ? m.rhw : 0);
    } else {
        if (s.lead != 0 && !s.is_command(s.lead - 1u)) {
            const bool change = command_at >= 0 && s.bytes[static_cast<u32>(command_at)] == 0x85;
            t += change ? m.ccs : m.adl;
        }
        t = data_from > t ? data_from : t;
        t += m.frame_in + strobes * m.strobe_in;
    }
    return t + s.trail * m.cycle;
}

void BusTimingCheck::check(ObservedSegment& seen)
{
    const Segment& s = seen.segment;
    const BusMinima& m = seen.minima;
    const u64 begin = s.start.value();
    u64 t = begin + m.cs;
    if (s.lead != 0) { // a command cycle waits for tRHW after a burst out; CE# may fall before
        t = t > command_from_ ? t : command_from_;
        seen.first_cycle = t;
        t += s.lead * m.cycle;
    }
    t = least_end(seen, t);
    if (begin < free_at_) {
        seen.report(Rule::BusOverlap, last_, seen.select());
    }
    if (seen.end < t) {
        const bool turned = s.lead != 0 && command_from_ > begin + m.cs;
        const u32 cycles = u32{s.lead} + s.trail;
        seen.in_burst = s.direction != DataDirection::None && s.trail == 0;
        seen.at = seen.in_burst ? s.lead : cycles - 1;
        seen.report(Rule::SegmentTooShort, turned ? last_ : seen.select());
        seen.in_burst = false;
        seen.at = 0;
    }
    free_at_ = seen.end;
    if (s.direction == DataDirection::Out && s.trail == 0) {
        command_from_ = seen.end + m.rhw;
    }
}

} // namespace tlmssd::onfi
