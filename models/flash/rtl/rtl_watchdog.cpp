// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: finds out that an RTL controller has come to a stop, and says what is inside it.
#include "models/flash/rtl/rtl_watchdog.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "models/common/error.h"

namespace tlmssd::flash {
namespace {

std::string name_of(u8 opcode)
{
    switch (opcode) {
    case FLASH_OP_READ: return "READ";
    case FLASH_OP_PROGRAM: return "PROGRAM";
    case FLASH_OP_ERASE: return "ERASE";
    case FLASH_OP_RESET: return "RESET";
    default: return "opcode " + std::to_string(opcode);
    }
}

const char* name_of(Phase phase)
{
    switch (phase) {
    case Phase::Command: return "command";
    case Phase::DataOut: return "data-out";
    case Phase::DataIn: return "data-in";
    case Phase::Status: return "status";
    case Phase::Feature: return "feature";
    case Phase::Suspend: return "suspend";
    case Phase::Resume: return "resume";
    }
    return "";
}

/// Microseconds with three digits.
std::string us(Picoseconds time)
{
    char text[32];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%03u us", time.value() / 1000000,
                  static_cast<u32>(time.value() / 1000 % 1000));
    return text;
}

} // namespace

RtlWatchdog::RtlWatchdog(u32 tags, u32 channels, const RtlPatience& patience)
    : patience_(patience), entries_(tags), buses_(channels)
{
}

void RtlWatchdog::taken(const flash_op& op, Picoseconds now)
{
    Entry& e = entries_[op.tag];
    e.number = ++count_;
    e.taken_at = now;
    e.opcode = op.opcode;
    e.channel = op.channel;
    e.ce = op.ce;
    e.lun = op.lun;
    e.started = false;
    ++outstanding_;
    progress(now);
}

void RtlWatchdog::segment_starts(u32 channel, const SegmentRequest& request, Picoseconds now)
{
    Bus& bus = buses_[channel];
    bus.used = bus.ever = true;
    bus.tag = request.tag;
    bus.since = now;
    Entry& e = entries_[request.tag];
    e.started = true;
    e.phase = request.phase;
    if (request.phase != Phase::Status) {
        progress(now);
    }
}

void RtlWatchdog::segment_ends(u32 channel, Phase phase)
{
    buses_[channel].used = false;
    // A poll takes about twenty clocks, one more for each LUN of its channel: those do not count.
    constexpr u64 kPollEdges = 100;
    busy_edges_ = phase == Phase::Status ? busy_edges_ - std::min(busy_edges_, kPollEdges) : 0;
}

void RtlWatchdog::completed(u32 tag, Picoseconds now)
{
    if (tag < entries_.size() && entries_[tag].number != 0) {
        entries_[tag].number = 0;
        --outstanding_;
    }
    progress(now);
}

void RtlWatchdog::bark(Picoseconds now) const
{
    throw ModelError("rtl: watchdog: no progress since " + us(progress_) + ", now " + us(now) + " (" +
                     std::to_string(busy_edges_) + " clocks not idle)\n" + report());
}

std::string RtlWatchdog::oldest() const
{
    u32 tag = 0;
    for (u32 t = 0; t < entries_.size(); ++t) {
        const u64 number = entries_[t].number;
        if (number != 0 && (entries_[tag].number == 0 || number < entries_[tag].number)) {
            tag = t;
        }
    }
    const Entry& e = entries_[tag];
    return "tag " + std::to_string(tag) + ", " + name_of(e.opcode) + " of channel " +
           std::to_string(e.channel) + " CE# " + std::to_string(e.ce) + " LUN " +
           std::to_string(e.lun) + ", taken at " + us(e.taken_at) + ", " +
           (e.started ? std::string("last segment: ") + name_of(e.phase) : std::string("no segment yet"));
}

std::string RtlWatchdog::report() const
{
    if (outstanding_ == 0) {
        return "";
    }
    std::string text =
        "rtl: " + std::to_string(outstanding_) + " operations outstanding; the oldest: " + oldest() + '\n';
    for (u32 c = 0; c < buses_.size(); ++c) {
        u32 outstanding = 0;
        for (const Entry& e : entries_) {
            outstanding += e.number != 0 && e.channel == c;
        }
        if (outstanding == 0) {
            continue;
        }
        const Bus& bus = buses_[c];
        text += "rtl: channel " + std::to_string(c) + ": " + std::to_string(outstanding) + " operations outstanding, ";
        text += bus.used   ? "bus in use by tag " + std::to_string(bus.tag) + " since " + us(bus.since)
                : bus.ever ? "bus free, last segment began at " + us(bus.since)
                           : "bus free, no segment since reset";
        text += '\n';
    }
    return text;
}

} // namespace tlmssd::flash
