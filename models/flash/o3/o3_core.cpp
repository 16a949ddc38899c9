// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core out of order: intake, stations, choice, retirement.
#include "models/flash/o3/o3_core.h"

namespace tlmssd::flash {

namespace {

u16 bit_of(u32 index) { return static_cast<u16>(1u << index); }
u32 lowest(u32 mask) { return static_cast<u32>(__builtin_ctz(mask)); }

} // namespace

O3Core::O3Core(const Shape& shape)
    : shape_(shape), serial_(shape.mode == config::ControllerMode::Serial),
      ooo_(shape.mode == config::ControllerMode::Ooo),
      age_limit_(stamp(shape.age_limit + Picoseconds((u64{1} << shape.stamp_bits) - 1))),
      luns_per_channel_(shape.luns / shape.channels), entries_(shape.tags), busy_(shape.luns, 0),
      waiting_(shape.tags)
{
    if (ooo_) {
        details_.resize(shape.tags);
        luns_.resize(shape.luns);
        streams_.resize(FLASH_STREAMS);
        channels_.resize(shape.channels);
        for (Channel& c : channels_) {
            c.intake = Fifo<u16>(shape.tags);
            c.requests = Fifo<u16>(luns_per_channel_);
        }
    }
}

// ---- in ----

/// To the end of its stream, of the list of those that wait, and of its channel's intake.
void O3Core::take_in(const flash_op& op, Picoseconds now)
{
    const u16 tag = op.tag;
    Detail& d = details_[tag];
    d.opcode = op.opcode;
    d.priority = op.flags & FLASH_FLAG_PRIORITY_MASK;
    d.nplanes = op.nplanes;
    d.channel = op.channel;
    d.ended = d.held = d.pending = false;
    d.suspends = 0;
    d.suspendable = (op.flags & FLASH_FLAG_SUSPENDABLE) != 0 &&
                    ((op.opcode == FLASH_OP_ERASE && shape_.suspend != config::Suspend::None) ||
                     (op.opcode == FLASH_OP_PROGRAM &&
                      shape_.suspend == config::Suspend::ProgramAndErase));
    d.stamp = stamp(now);
    if (op.opcode == FLASH_OP_COPYBACK) {
        d.nplanes = 2; // source and destination
    }
    for (u32 i = 0; i < d.nplanes; ++i) {
        d.row[i] = op.row[i];
    }
    if (entries_[tag].stream != kNoStream) {
        Stream& s = streams_[entries_[tag].stream];
        (s.head == kNone ? s.head : details_[s.tail].next_in_stream) = tag;
        s.tail = tag;
    }
    d.next_in_stream = kNone;
    d.older = youngest_;
    d.younger = kNone;
    if (youngest_ != kNone) {
        details_[youngest_].younger = tag;
    }
    youngest_ = tag;
    channels_[d.channel].intake.push(tag);
    if (!paced_) {
        let_in(d.channel);
    }
}

/// Of the same block: an erase comes after and before everything, programs keep their order; of the
/// same page a read and a program keep theirs. Planes are part of the row. A copyback is a program of both
/// its blocks.
bool O3Core::depends(const Detail& younger, const Detail& older) const
{
    if (younger.opcode == FLASH_OP_READ && older.opcode == FLASH_OP_READ) {
        return false;
    }
    const bool reads = younger.opcode == FLASH_OP_READ || older.opcode == FLASH_OP_READ;
    const bool by_page = reads && younger.opcode != FLASH_OP_ERASE && older.opcode != FLASH_OP_ERASE;
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
    const u32 lun = entries_[tag].first_lun;
    Detail& d = details_[tag];
    Lun& l = luns_[lun];
    const u32 s = lowest(static_cast<u32>(~l.used));
    Mask waits = 0;
    for (u32 others = l.used; others != 0; others &= others - 1) {
        const u32 o = lowest(others);
        if (depends(d, details_[l.tag[o]])) {
            waits = static_cast<Mask>(waits | bit_of(o));
        }
    }
    l.waits_for[s] = waits;
    l.older[s] = l.used;
    l.tag[s] = static_cast<u16>(tag);
    d.station = static_cast<u8>(s);
    l.used = static_cast<Mask>(l.used | bit_of(s));
    l.of_priority[d.priority] = static_cast<Mask>(l.of_priority[d.priority] | bit_of(s));
    if (d.opcode == FLASH_OP_READ) {
        l.reads = static_cast<Mask>(l.reads | bit_of(s));
    }
    if (fence_holds(tag)) {
        l.closed = static_cast<Mask>(l.closed | bit_of(s));
    }
    request(lun);
}

// ---- decisions ----

void O3Core::request(u32 lun)
{
    Lun& l = luns_[lun];
    const u32 channel = lun / luns_per_channel_;
    if (!l.requested) {
        l.requested = true;
        channels_[channel].requests.push(static_cast<u16>(lun));
    }
    work_ |= 1u << channel;
}

bool O3Core::others_free(const Entry& e) const
{
    for (u32 i = 1; i < e.luns; ++i) {
        if (busy_[e.first_lun + i] != 0) {
            return false;
        }
    }
    return true;
}

void O3Core::take_others(const Entry& e)
{
    for (u32 i = 1; i < e.luns; ++i) {
        busy_[e.first_lun + i] = 1;
    }
}

void O3Core::released(const Entry& e)
{
    for (u32 i = 0; i < e.luns; ++i) {
        busy_[e.first_lun + i] = 0;
        if (ooo_) {
            request(e.first_lun + i);
        }
    }
}

/// Hardware decides once a cycle in each channel; here all that can be decided now is.
bool O3Core::next_of_stations(Picoseconds now, u32& tag, Act& act)
{
    while (work_ != 0) {
        const u32 channel = lowest(work_);
        const Did did = decide(channel, now, tag, act);
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
O3Core::Did O3Core::decide(u32 channel, Picoseconds now, u32& tag, Act& act)
{
    Channel& c = channels_[channel];
    if (c.requests.empty()) {
        return c.open == 0 ? Did::Nothing : decide_intake(c, tag);
    }
    return decide_lun(c.requests.pop(), now, tag, act);
}

O3Core::Did O3Core::decide_lun(u32 lun, Picoseconds now, u32& tag, Act& act)
{
    Lun& l = luns_[lun];
    l.requested = false;
    if (busy_[lun] != 0 ? l.working : l.suspended) {
        return decide_pending(l, lun, now, tag, act);
    }
    if (busy_[lun] != 0) {
        return Did::Step;
    }
    const u32 station = pick(l, now);
    if (station == kNoStation) {
        return Did::Step;
    }
    tag = l.tag[station];
    if (details_[tag].suspendable) {
        details_[tag].pending = true;
        l.pending = static_cast<u8>(station);
    } else {
        leave_station(l, station);
    }
    issued(tag);
    return Did::Issued;
}

/// The array works at the pending operation, or that is suspended: a read, or it.
O3Core::Did O3Core::decide_pending(Lun& lun, u32 number, Picoseconds now, u32& tag, Act& act)
{
    const Mask may = may_go(lun);
    Mask reads = 0;
    for (u32 p = shape_.suspend_priority; p < kPriorities; ++p) {
        reads = static_cast<Mask>(reads | (may & lun.of_priority[p] & lun.reads));
    }
    u32 station = oldest_of(lun, static_cast<Mask>(reads | bit_of(lun.pending)));
    if (!old(lun.tag[station], now)) {
        station = lun.pending;
        for (u32 p = kPriorities; p-- > 0 && station == lun.pending;) {
            const Mask of = static_cast<Mask>(reads & lun.of_priority[p]);
            station = of != 0 ? oldest_of(lun, of) : station;
        }
    }
    const bool read = station != lun.pending;
    if (lun.working) {
        if (!read) {
            return Did::Step;
        }
        tag = lun.tag[lun.pending];
        ++details_[tag].suspends;
        lun.working = false;
        act = Act::Suspend;
        return Did::Issued;
    }
    tag = lun.tag[station];
    busy_[number] = 1;
    if (read) {
        leave_station(lun, station);
        issued(tag);
    } else {
        lun.suspended = false;
        act = Act::Resume;
    }
    return Did::Issued;
}

void O3Core::working(u32 tag)
{
    const u32 lun = entries_[tag].first_lun;
    if (details_[tag].suspends < shape_.suspends) {
        luns_[lun].working = true;
        request(lun);
    }
}

void O3Core::suspended(u32 tag)
{
    const u32 lun = entries_[tag].first_lun;
    luns_[lun].suspended = true;
    busy_[lun] = 0;
    request(lun);
}

/// It leaves its station only now: what waits for it may go.
void O3Core::end_pending(u32 tag)
{
    Lun& l = luns_[entries_[tag].first_lun];
    leave_station(l, l.pending);
    l.pending = kNoStation;
    l.working = l.suspended = false;
    details_[tag].pending = false;
}

/// The head of the intake: into a station, or it waits and all of its channel behind it.
O3Core::Did O3Core::decide_intake(Channel& channel, u32& tag)
{
    const u32 head = channel.intake.front();
    if (details_[head].opcode == FLASH_OP_RESET) {
        if (!may_reset(head)) {
            return Did::Nothing;
        }
        channel.intake.drop();
        --channel.open;
        tag = head;
        issued(head);
        return Did::Issued;
    }
    const u32 all = (1u << shape_.stations) - 1;
    if (luns_[entries_[head].first_lun].used == all) {
        return Did::Nothing;
    }
    channel.intake.drop();
    --channel.open;
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

/// Neither behind a fence nor behind a dependency.
O3Core::Mask O3Core::may_go(const Lun& lun) const
{
    Mask may = 0;
    for (u32 left = lun.used & ~u32{lun.closed}; left != 0; left &= left - 1) {
        if (lun.waits_for[lowest(left)] == 0) {
            may = static_cast<Mask>(may | bit_of(lowest(left)));
        }
    }
    return may;
}

/// Of those that may go: the oldest if its time is up, else the highest priority, of it the oldest.
u32 O3Core::pick(const Lun& lun, Picoseconds now) const
{
    const Mask may = may_go(lun);
    if (may == 0) {
        return kNoStation;
    }
    const u32 oldest = oldest_of(lun, may);
    if (old(lun.tag[oldest], now)) {
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
    Detail& d = details_[lun.tag[station]];
    const u32 keep = ~u32{bit_of(station)};
    lun.used = static_cast<Mask>(lun.used & keep);
    lun.reads = static_cast<Mask>(lun.reads & keep);
    lun.of_priority[d.priority] = static_cast<Mask>(lun.of_priority[d.priority] & keep);
    for (u32 left = lun.used; left != 0; left &= left - 1) {
        const u32 s = lowest(left);
        lun.waits_for[s] = static_cast<Mask>(lun.waits_for[s] & keep);
        lun.older[s] = static_cast<Mask>(lun.older[s] & keep);
    }
    d.station = kNoStation;
}

/// Out of the list of those that wait.
void O3Core::issued(u32 tag)
{
    take_luns(entries_[tag]);
    const Detail& d = details_[tag];
    statistics_.reordered += d.older != kNone;
    if (d.older != kNone) {
        details_[d.older].younger = d.younger;
    }
    (d.younger != kNone ? details_[d.younger].older : youngest_) = d.older;
}

// ---- retirement ----

void O3Core::end_in_stream(u32 tag, Picoseconds now)
{
    if (entries_[tag].stream == kNoStream) {
        alone_ = static_cast<u16>(tag);
        return;
    }
    Detail& d = details_[tag];
    d.ended = true;
    d.held = streams_[entries_[tag].stream].head != tag;
    d.ended_at = now;
}

/// When the last before a fence has retired, the fence is open.
bool O3Core::retire(u32 stream, Picoseconds now, u32& tag)
{
    if (stream == kNoStream) {
        tag = alone_;
        alone_ = kNone;
        return tag != kNone;
    }
    Stream& s = streams_[stream];
    if (s.head == kNone || !details_[s.head].ended) {
        return false;
    }
    tag = s.head;
    const Detail& d = details_[tag];
    if (d.held) {
        ++statistics_.held;
        statistics_.held_time += now - d.ended_at;
    }
    s.head = d.next_in_stream;
    if (s.head == kNone || !entries_[s.head].fence || details_[s.head].ended) {
        return true;
    }
    const Detail& next = details_[s.head];
    if (next.station != kNoStation) {
        const u32 lun = entries_[s.head].first_lun;
        luns_[lun].closed = static_cast<Mask>(luns_[lun].closed & ~u32{bit_of(next.station)});
        request(lun);
    }
    work_ |= 1u << next.channel;
    return true;
}

} // namespace tlmssd::flash
