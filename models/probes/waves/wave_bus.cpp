// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: phases, command bytes, addresses and owner of a bus.
#include "models/probes/waves/wave_bus.h"

#include <algorithm>

#include "models/onfi/bus/timing.h"

namespace tlmssd::probes {

using onfi::DataDirection;
using onfi::Segment;

SegmentTimes times_of(const Segment& s)
{
    const onfi::BusTiming& timing = *s.timing;
    // For the tRHW of an earlier burst:
    const Picoseconds waited = s.end - s.start - onfi::segment_time(s, timing);
    SegmentTimes t;
    t.first_cycle = s.start + waited + timing.sheet.t_cs;
    t.lead_end = t.first_cycle + s.lead * timing.cycle;
    t.trail = s.end - s.trail * timing.cycle;
    t.burst = t.burst_end = t.lead_end;
    if (s.direction != DataDirection::None) {
        const bool out = s.direction == DataDirection::Out;
        t.burst = t.lead_end + onfi::gap_before_burst(s, timing.sheet) +
                  (out ? timing.preamble_out : timing.preamble_in);
        t.burst_end = t.burst + (out ? timing.burst_out(s.data_bytes, s.narrow)
                                     : timing.burst_in(s.data_bytes, s.narrow));
    }
    return t;
}

WaveBus::WaveBus(observe::Waves& waves, const WaveNames& names, const std::string& scope,
                 const WaveOwners& owners)
    : waves_(waves), owners_(owners), phase_(waves.add(scope + ".phase", 3, names.bus_phase)),
      opcode_(waves.add(scope + ".opcode", kOpcodeBits, names.opcode)),
      byte_(waves.add(scope + ".byte", 8)), column_(waves.add(scope + ".column", 16)),
      row_(waves.add(scope + ".row", 24)), ce_(waves.add(scope + ".ce", kCeBits, names.ce)),
      direction_(waves.add(scope + ".direction", 2, names.direction)),
      bytes_(waves.add(scope + ".data_bytes", 32)),
      owner_(waves.add(scope + ".owner", kOwnerBits, names.owner)),
      operation_(waves.add(scope + ".operation", 3, names.operation)),
      stream_(waves.add(scope + ".stream", 2, names.stream)),
      request_(waves.add(scope + ".request", 32)), status_(waves.add(scope + ".status", 8)),
      count_(waves.add(scope + ".segments", 32))
{
    for (const auto& [id, value] : {std::pair(opcode_, kNoOpcode), {ce_, kNoCe},
                                    {owner_, kNoOwner}, {stream_, kNoStream}}) {
        waves_.set(id, value, Picoseconds());
    }
}

void WaveBus::cycles(const Segment& s, u32 begin, u32 end, Picoseconds at)
{
    for (u32 i = begin; i < end; ++i, at += s.timing->cycle) {
        waves_.schedule(byte_, s.bytes[i], at);
        if (s.is_command(i)) {
            phase(BusPhase::Command, at);
            waves_.schedule(opcode_, s.bytes[i], at);
            continue;
        }
        phase(BusPhase::Address, at);
        if (i + 1 < end && !s.is_command(i + 1)) {
            continue;
        }
        // The last address cycle: 2 or 5 begin with a column, 3 or 5 end with a row.
        u32 first = i;
        while (first > begin && !s.is_command(first - 1)) {
            --first;
        }
        const u32 n = i + 1 - first;
        if (n == 2 || n == 5) {
            waves_.schedule(column_, s.bytes[first] | u64{s.bytes[first + 1]} << 8, at);
        }
        if (n == 3 || n == 5) {
            waves_.schedule(row_,
                            s.bytes[i - 2] | u64{s.bytes[i - 1]} << 8 | u64{s.bytes[i]} << 16, at);
        }
    }
}

void WaveBus::started(const Segment& s, const SegmentTimes& t)
{
    const WaveOwner owner = s.owner < owners_.size() ? owners_[s.owner] : WaveOwner{};
    const u64 tag = s.owner == Segment::kNoOwner ? kNoOwner : s.owner & 0xffff;
    for (const auto& [id, value] :
         {std::pair(owner_, tag), {operation_, owner.operation}, {stream_, owner.stream},
          {request_, owner.request}, {ce_, s.ce}, {direction_, static_cast<u64>(s.direction)},
          {bytes_, s.data_bytes}}) {
        waves_.schedule(id, value, s.start);
    }
    phase(BusPhase::Select, s.start);
    cycles(s, 0, s.lead, t.first_cycle);
    if (s.direction != DataDirection::None) {
        if (t.lead_end < t.burst) {
            phase(BusPhase::Wait, t.lead_end);
        }
        if (t.burst < t.burst_end) {
            const bool out = s.direction == DataDirection::Out;
            phase(out ? BusPhase::DataOut : BusPhase::DataIn, t.burst);
        }
        if (t.burst_end < t.trail) {
            phase(BusPhase::Wait, t.burst_end);
        }
    }
    cycles(s, s.lead, u32{s.lead} + s.trail, t.trail);
    phase(BusPhase::Idle, s.end);
    for (const auto& [id, value] :
         {std::pair(opcode_, u64{kNoOpcode}), {owner_, kNoOwner}, {operation_, kNoOperation},
          {stream_, kNoStream}, {request_, 0}, {ce_, kNoCe}, {direction_, 0}, {bytes_, 0}}) {
        waves_.schedule(id, value, s.end);
    }
}

void WaveBus::ended(const Segment& s)
{
    waves_.set(count_, ++segments_ & 0xffffffff, s.end);
    const bool status = s.direction == DataDirection::Out && s.lead > 0 &&
                        (s.bytes[0] == onfi::cmd::kReadStatus ||
                         s.bytes[0] == onfi::cmd::kReadStatusEnhanced);
    if (status) {
        waves_.set(status_, s.data->bytes[0], s.end);
    }
}

} // namespace tlmssd::probes
