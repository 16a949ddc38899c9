// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core out of order: intake, stations, choice, retirement.
#include "models/flash/o3_core.h"

namespace tlmssd::flash {

namespace {

u16 bit_of(u32 index) { return static_cast<u16>(1u << index); }
u32 lowest(u32 mask) { return static_cast<u32>(__builtin_ctz(mask)); }

} // namespace

O3Core::O3Core(const Shape& shape)
    : shape_(shape), serial_(shape.mode == config::ControllerMode::Serial),
      luns_per_channel_(shape.luns / shape.channels), entries_(shape.tags), busy_(shape.luns, 0),
      waiting_(shape.tags), in_stream_(FLASH_STREAMS, 0)
{
    if (shape_.mode == config::ControllerMode::Ooo) {
        luns_.resize(shape.luns);
        streams_.resize(FLASH_STREAMS);
        channels_.resize(shape.channels);
        for (Channel& c : channels_) {
            c.intake = Fifo<u16>(shape.tags);
            c.look = Fifo<u16>(luns_per_channel_);
        }
    }
}

// ---- in ----

/// To the end of its stream, of the list of those that wait, and of its channel's intake.
void O3Core::take_in(const flash_op& op, Picoseconds now)
{
    const u16 tag = op.tag;
    Entry& e = entries_[tag];
    e.opcode = op.opcode;
    e.priority = op.flags & FLASH_FLAG_PRIORITY_MASK;
    e.nplanes = op.nplanes;
    e.channel = op.channel;
    e.ended = e.held = false;
    e.since = now;
    for (u32 i = 0; i < op.nplanes; ++i) {
        e.row[i] = op.row[i];
    }
    Stream& s = streams_[e.stream];
    (s.head == kNone ? s.head : entries_[s.tail].next_in_stream) = tag;
    s.tail = tag;
    e.next_in_stream = kNone;
    e.older = youngest_;
    e.younger = kNone;
    if (youngest_ != kNone) {
        entries_[youngest_].younger = tag;
    }
    youngest_ = tag;
    channels_[e.channel].intake.push(tag);
    work_ |= 1u << e.channel;
}

/// Of the same block: an erase comes after and before everything, programs keep their order; of the
/// same page a read and a program keep theirs. Planes are part of the row.
bool O3Core::depends(const Entry& younger, const Entry& older) const
{
    if (younger.opcode == FLASH_OP_READ && older.opcode == FLASH_OP_READ) {
        return false;
    }
    const bool by_page = younger.opcode != older.opcode && younger.opcode != FLASH_OP_ERASE &&
                         older.opcode != FLASH_OP_ERASE;
    const u32 shift = by_page ? 0 : shape_.page_bits;
    for (u32 i = 0; i < younger.nplanes; ++i) {
        for (u32 j = 0; j < older.nplanes; ++j) {
            if (younger.row[i] >> shift == older.row[j] >> shift) {
                return true;
            }
        }
    }
    return false;
}

/// Into a free station of its LUN, beside all that it has to wait for.
void O3Core::insert(u32 tag)
{
    Entry& e = entries_[tag];
    Lun& l = luns_[e.first_lun];
    const u32 s = lowest(static_cast<u32>(~l.used));
    Mask waits = 0;
    for (u32 others = l.used; others != 0; others &= others - 1) {
        const u32 o = lowest(others);
        if (depends(e, entries_[l.tag[o]])) {
            waits = static_cast<Mask>(waits | bit_of(o));
        }
    }
    l.waits_for[s] = waits;
    l.older[s] = l.used;
    l.tag[s] = static_cast<u16>(tag);
    e.station = static_cast<u8>(s);
    l.used = static_cast<Mask>(l.used | bit_of(s));
    l.of_priority[e.priority] = static_cast<Mask>(l.of_priority[e.priority] | bit_of(s));
    if (fence_holds(tag)) {
        l.closed = static_cast<Mask>(l.closed | bit_of(s));
    }
    look(e.first_lun);
}

// ---- decisions ----

void O3Core::look(u32 lun)
{
    Lun& l = luns_[lun];
    const u32 channel = lun / luns_per_channel_;
    if (!l.in_look) {
        l.in_look = true;
        channels_[channel].look.push(static_cast<u16>(lun));
    }
    work_ |= 1u << channel;
}

void O3Core::look_at(const Entry& e)
{
    for (u32 i = 0; i < e.luns; ++i) {
        look(e.first_lun + i);
    }
}

/// Hardware decides once a cycle in each channel; here all that can be decided now is.
bool O3Core::next_of_stations(Picoseconds now, u32& tag)
{
    while (work_ != 0) {
        const u32 channel = lowest(work_);
        const Did did = decide(channel, now, tag);
        if (did == Did::Issued) {
            return true;
        }
        if (did == Did::Nothing) {
            work_ &= ~(1u << channel);
        }
    }
    return false;
}

/// One decision: look at a LUN, or take one operation in.
O3Core::Did O3Core::decide(u32 channel, Picoseconds now, u32& tag)
{
    Channel& c = channels_[channel];
    if (c.look.empty()) {
        return c.intake.empty() ? Did::Nothing : decide_intake(c, tag);
    }
    const u32 lun = c.look.pop();
    Lun& l = luns_[lun];
    l.in_look = false;
    if (busy_[lun] != 0) {
        return Did::Step;
    }
    const u32 station = pick(l, now);
    if (station == kNoStation) {
        return Did::Step;
    }
    tag = l.tag[station];
    leave_station(l, station);
    issued(tag);
    return Did::Issued;
}

/// The head of the intake: into a station, or it waits and all of its channel behind it.
O3Core::Did O3Core::decide_intake(Channel& channel, u32& tag)
{
    const u32 head = channel.intake.front();
    const Entry& e = entries_[head];
    if (e.opcode == FLASH_OP_RESET) {
        if (!may_reset(head)) {
            return Did::Nothing;
        }
        channel.intake.drop();
        tag = head;
        issued(head);
        return Did::Issued;
    }
    const u32 all = (1u << shape_.stations) - 1;
    if (luns_[e.first_lun].used == all) {
        return Did::Nothing;
    }
    channel.intake.drop();
    insert(head);
    return Did::Step;
}

/// A RESET has no station: it waits in the intake until its LUNs have nothing left.
bool O3Core::may_reset(u32 tag) const
{
    const Entry& e = entries_[tag];
    for (u32 i = 0; i < e.luns; ++i) {
        if (luns_[e.first_lun + i].used != 0) {
            return false;
        }
    }
    return luns_free(e) && !fence_holds(tag);
}

u32 O3Core::oldest_of(const Lun& lun, Mask mask) const
{
    for (u32 left = mask; left != 0; left &= left - 1) {
        if ((lun.older[lowest(left)] & mask) == 0) {
            return lowest(left);
        }
    }
    return kNoStation;
}

/// Of those that may go: the oldest if its time is up, else the highest priority, of it the oldest.
u32 O3Core::pick(const Lun& lun, Picoseconds now) const
{
    Mask may = 0;
    for (u32 left = lun.used & ~u32{lun.closed}; left != 0; left &= left - 1) {
        if (lun.waits_for[lowest(left)] == 0) {
            may = static_cast<Mask>(may | bit_of(lowest(left)));
        }
    }
    if (may == 0) {
        return kNoStation;
    }
    const u32 oldest = oldest_of(lun, may);
    if (entries_[lun.tag[oldest]].since + shape_.age_limit <= now) {
        return oldest;
    }
    for (u32 p = kPriorities; p-- > 0;) {
        const Mask of = static_cast<Mask>(may & lun.of_priority[p]);
        if (of != 0) {
            return oldest_of(lun, of);
        }
    }
    return kNoStation;
}

void O3Core::leave_station(Lun& lun, u32 station)
{
    Entry& e = entries_[lun.tag[station]];
    const u32 keep = ~u32{bit_of(station)};
    lun.used = static_cast<Mask>(lun.used & keep);
    lun.of_priority[e.priority] = static_cast<Mask>(lun.of_priority[e.priority] & keep);
    for (u32 left = lun.used; left != 0; left &= left - 1) {
        const u32 s = lowest(left);
        lun.waits_for[s] = static_cast<Mask>(lun.waits_for[s] & keep);
        lun.older[s] = static_cast<Mask>(lun.older[s] & keep);
    }
    e.station = kNoStation;
}

/// Out of the list of those that wait.
void O3Core::issued(u32 tag)
{
    const Entry& e = entries_[tag];
    take_luns(e);
    statistics_.reordered += e.older != kNone;
    if (e.older != kNone) {
        entries_[e.older].younger = e.younger;
    }
    (e.younger != kNone ? entries_[e.younger].older : youngest_) = e.older;
}

// ---- retirement ----

void O3Core::end_in_stream(u32 tag, Picoseconds now)
{
    Entry& e = entries_[tag];
    e.ended = true;
    e.held = streams_[e.stream].head != tag;
    e.since = now;
}

/// When the last before a fence has retired, the fence is open.
bool O3Core::retire(u32 stream, Picoseconds now, u32& tag)
{
    Stream& s = streams_[stream];
    if (s.head == kNone || !entries_[s.head].ended) {
        return false;
    }
    tag = s.head;
    const Entry& e = entries_[tag];
    if (e.held) {
        ++statistics_.held;
        statistics_.held_time += now - e.since;
    }
    s.head = e.next_in_stream;
    if (s.head == kNone) {
        return true;
    }
    const Entry& next = entries_[s.head];
    if (next.fence && !next.ended) {
        if (next.station != kNoStation) {
            Lun& l = luns_[next.first_lun];
            l.closed = static_cast<Mask>(l.closed & ~u32{bit_of(next.station)});
            look(next.first_lun);
        }
        work_ |= 1u << next.channel;
    }
    return true;
}

} // namespace tlmssd::flash
