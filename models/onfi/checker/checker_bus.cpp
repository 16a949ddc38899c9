// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's view of time on the bus, and its reports with the two cycles.
#include <initializer_list>

#include "models/onfi/checker/checker.h"

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

/// The segment must not end before the sum of its minima, cycle by cycle (docs/checker.md).
void Checker::check_bus(ChannelState& bus, View& view)
{
    const Segment& s = view.segment;
    const BusMinima& m = view.minima;
    CeState& ce = view.ce;
    const u64 begin = s.start.value();
    const bool overlap = begin < bus.free_at;
    u64 t = begin + m.cs;
    view.first_cycle = t;
    if (s.lead != 0) { // a command cycle waits for tRHW after a burst out; CE# may fall before
        t = max(Picoseconds(t), Picoseconds(bus.command_from)).value();
        view.first_cycle = t;
        t += s.lead * m.cycle;
    }
    const int command_at = last_command(s);
    if (s.direction == DataDirection::None) {
        if (command_at >= 0) {
            ce.data_from = view.end + gap_time(kGaps[s.bytes[static_cast<u32>(command_at)]], m);
        }
    } else {
        const u64 round = (u64{1} << (s.narrow ? 0 : m.shift)) - 1;
        const u64 strobes = (s.data_bytes + round) >> (s.narrow ? 0 : m.shift);
        if (s.direction == DataDirection::Out) {
            // Nothing asked for on the bus: the ready edge was the cue.
            t += command_at < 0                                        ? m.rr
                 : s.bytes[static_cast<u32>(command_at)] == 0xe0       ? m.ccs
                                                                       : m.whr;
            t = ce.data_from > t ? ce.data_from : t;
            t += m.frame_out + strobes * m.strobe_out + (s.trail != 0 ? m.rhw : 0);
        } else {
            if (s.lead != 0 && !s.is_command(s.lead - 1u)) {
                const bool change =
                    command_at >= 0 && s.bytes[static_cast<u32>(command_at)] == 0x85;
                t += change ? m.ccs : m.adl;
            }
            t = ce.data_from > t ? ce.data_from : t;
            t += m.frame_in + strobes * m.strobe_in;
        }
        t += s.trail * m.cycle;
    }
    if (overlap) {
        const Cycle select{CycleKind::Select, 0, s.start};
        report(view, Rule::BusOverlap, ces_[bus.last_ce].last, select);
    }
    if (view.end < t) {
        const bool turned = s.lead != 0 && bus.command_from > begin + m.cs;
        const Cycle select{CycleKind::Select, 0, s.start};
        const Cycle first = turned ? ces_[bus.last_ce].last : select;
        const u32 cycles = u32{s.lead} + s.trail;
        view.in_burst = s.direction != DataDirection::None && s.trail == 0;
        view.at = view.in_burst ? s.lead : cycles - 1;
        report(view, Rule::SegmentTooShort, first);
        view.in_burst = false;
        view.at = 0;
    }
    bus.free_at = view.end;
    bus.last_ce = static_cast<u32>(&ce - ces_.data());
    if (s.direction == DataDirection::Out && s.trail == 0) {
        bus.command_from = view.end + m.rhw;
    }
}

/// Does the target understand the segment? A slower mode of its interface it does; FFh reaches it
/// in any. What it does not understand is no command to it.
bool Checker::spoken_to(View& view, u8 driven)
{
    const auto understood = [driven](u32 set) {
        return driven / MinimaTable::kModes == set / MinimaTable::kModes && driven <= set;
    };
    const Segment& s = view.segment;
    const bool on_the_way = s.start.value() < view.ce.set_at; // when the setting changed
    if (understood(view.ce.setting) || (on_the_way && understood(view.ce.old_setting)) ||
        (s.lead != 0 && s.is_command(0) && s.bytes[0] == 0xff)) {
        return true;
    }
    view.in_burst = s.lead + s.trail == 0;
    report(view, Rule::WrongInterface, view.ce.set_by);
    view.in_burst = false;
    return false;
}

/// Cycle `i` of the segment with the time of its end.
Cycle Checker::cycle(const View& view, u32 i) const
{
    const Segment& s = view.segment;
    const u32 cycles = u32{s.lead} + s.trail;
    const bool from_end = i >= s.lead || s.direction == DataDirection::None;
    const u64 at = from_end ? view.end - (cycles - 1 - i) * view.minima.cycle
                            : view.first_cycle + (i + 1) * view.minima.cycle;
    return Cycle{s.is_command(i) ? CycleKind::Command : CycleKind::Address, s.bytes[i],
                 Picoseconds(at)};
}

Cycle Checker::burst(const View& view) const
{
    const Segment& s = view.segment;
    const bool out = s.direction == DataDirection::Out;
    const u64 turn = out && s.trail != 0 ? view.minima.rhw : 0;
    return Cycle{out ? CycleKind::DataOut : CycleKind::DataIn, 0,
                 Picoseconds(view.end - s.trail * view.minima.cycle - turn)};
}

Cycle Checker::current(const View& view) const
{
    return view.in_burst ? burst(view) : cycle(view, view.at);
}

/// What came before the current cycle on this CE#.
Cycle Checker::previous(const View& view) const
{
    const Segment& s = view.segment;
    if (view.in_burst ? s.lead == 0 : view.at == 0) {
        return view.ce.last;
    }
    const bool after_burst = !view.in_burst && view.at == s.lead && s.trail != 0 &&
                             s.direction != DataDirection::None;
    return after_burst ? burst(view) : cycle(view, view.at - 1);
}

/// The command that acts now: a confirm, or one whose address or data are complete.
Cycle Checker::acting(const View& view) const
{
    const bool command = !view.in_burst && view.segment.is_command(view.at);
    return command ? cycle(view, view.at) : view.ce.opened;
}

void Checker::report(View& view, Rule rule, Cycle first)
{
    report(view, rule, first, current(view));
}

void Checker::report(View& view, Rule rule, Cycle first, Cycle second)
{
    view.broken = true;
    const Segment& s = view.segment;
    if (first.kind == CycleKind::None) { // nothing before: the selection set it up
        first = Cycle{CycleKind::Select, 0, s.start};
    }
    const Picoseconds when = rule == Rule::BusOverlap ? s.start : s.end;
    log_.on_violation({when, view.channel, s.ce, view.ce.lun, rule, first, second});
}

/// The segment's last cycle, for what the next one may break.
void Checker::remember(View& view)
{
    const Segment& s = view.segment;
    Cycle& last = view.ce.last;
    last.at = s.end;
    if (s.trail == 0 && s.direction != DataDirection::None) {
        last.kind = s.direction == DataDirection::Out ? CycleKind::DataOut : CycleKind::DataIn;
        return;
    }
    const u32 cycles = u32{s.lead} + s.trail;
    if (cycles != 0) {
        last.kind = s.is_command(cycles - 1) ? CycleKind::Command : CycleKind::Address;
        last.byte = s.bytes[cycles - 1];
    }
}

} // namespace tlmssd::onfi
