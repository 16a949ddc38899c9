// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the stream and its times; the bus, and R/B# edges of the legal traffic.
#include "tb/onfi/checker_stream.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

#include <algorithm>

namespace tlmssd::tb {

const onfi::BusTiming& timing_of(u32 drive)
{
    static const auto timings = [] {
        std::array<onfi::BusTiming, std::size(kDrives)> all{};
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].sheet.interface = kDrives[i].interface;
            all[i].sheet.mode = kDrives[i].mode;
        }
        return all;
    }();
    return timings.at(drive);
}

u64 least_duration(const Segment& s, const Drive& d)
{
    u8 last = 0;
    bool any = false;
    for (u32 i = 0; i < s.lead; ++i) {
        if (s.is_command(i)) {
            last = s.bytes[i];
            any = true;
        }
    }
    u64 t = d.cs + (u64{s.lead} + s.trail) * d.cycle;
    const u32 bytes_of_strobe = s.narrow ? 1 : 1u << d.shift;
    const u64 strobes = (s.data_bytes + bytes_of_strobe - 1) / bytes_of_strobe;
    if (s.direction == DataDirection::Out) {
        t += !any ? d.rr : last == 0xe0 ? d.ccs : d.whr;
        t += d.frame_out + strobes * d.strobe;
        t += s.trail != 0 ? d.rhw : 0;
    } else if (s.direction == DataDirection::In) {
        if (s.lead != 0 && !s.is_command(s.lead - 1u)) {
            t += last == 0x85 ? d.ccs : d.adl;
        }
        t += d.frame_in + strobes * d.strobe;
    }
    return t;
}

StreamPart::StreamPart()
{
    // (64 - 16) / 4 = 12 B parity; OOB at 4 x 524; 2112 B in all
    geometry = make_geometry().ways(2).dies(2).planes(2).blocks(8).pages(6).page(2048, 64);
    nand = make_part(20, 100, 300);
    nand.t_plane_queue = nanoseconds(500);
    nand.t_read_cache = microseconds(3);
    nand.t_program_cache = microseconds(3);
    nand.t_feature = microseconds(1);
    nand.t_suspend_program = microseconds(10);
    nand.t_suspend_erase = microseconds(15);
    nand.errors.retry_levels = 7;
}

DataCells& Stream::cells(u8 p1)
{
    cells_.emplace_back();
    cells_.back().bytes[0] = p1;
    return cells_.back();
}

onfi::ViolationLog Stream::judge() const
{
    config::Onfi bus;
    bus.interface = kDrives[part.drive].interface;
    bus.mode = kDrives[part.drive].mode;
    onfi::Checker checker(part.geometry, bus, part.nand);
    for (const Event& e : events) {
        if (e.is_segment()) {
            checker.on_observed(0, e.segment);
        } else {
            checker.on_ready_edge(0, e.ce, e.lun, e.kind == Event::Kind::Rise, Picoseconds(e.at));
        }
    }
    return checker.log();
}

u32 Stream::segments() const
{
    return static_cast<u32>(std::count_if(events.begin(), events.end(),
                                          [](const Event& e) { return e.is_segment(); }));
}

Traffic::Traffic(Stream& stream, u64 seed)
    : stream_(stream), part_(stream.part), seed_(seed), plain_(&stream.cells())
{
    for (Ce& ce : ces_) {
        ce.drive = part_.drive;
    }
}

void Traffic::run(u32 segments)
{
    u32 made = 0;
    while (made < segments) {
        const std::size_t before = stream_.events.size();
        if (!step()) { // all LUNs are busy: the next edge
            u64 next = ~u64{0};
            for (const Lun& lun : luns_) {
                next = lun.rise_at != 0 ? std::min(next, lun.rise_at) : next;
            }
            flush(next);
            free_at_ = std::max(free_at_, next);
        }
        for (std::size_t i = before; i < stream_.events.size(); ++i) {
            made += stream_.events[i].is_segment() ? 1 : 0;
        }
    }
}

bool Traffic::step()
{
    const u32 polled = static_cast<u32>(random(ces_.size()));
    if (chance(8) && ces_[polled].held_by == kKeep) {
        poll(polled);
        return true;
    }
    const u32 first = static_cast<u32>(random(kLuns));
    for (u32 i = 0; i < kLuns; ++i) {
        const u32 lun = (first + i) % kLuns;
        if (may_go(lun)) {
            go(lun);
            return true;
        }
    }
    return false;
}

bool Traffic::may_go(u32 index)
{
    Lun& lun = luns_[index];
    Ce& ce = ces_[index / kLunsOfCe];
    if (ce.held_by != kKeep && ce.held_by != index) {
        return false;
    }
    if (lun.todo.empty()) {
        if (ce.claimed_by == index) {
            ce.claimed_by = kKeep;
        }
        if (ce.claimed_by != kKeep || lun.rise_at != 0) {
            return false;
        }
        make(index);
    }
    while (!lun.todo.empty() && lun.not_suspended && lun.todo.front().wait == Wait::Resume) {
        lun.not_suspended = false; // nothing to resume: the suspend was left out
        lun.todo.pop_front();
    }
    if (lun.todo.empty()) {
        return false;
    }
    const Step& next = lun.todo.front();
    if (next.interrupt) {
        return true;
    }
    if (next.whole) {
        ce.claimed_by = index;
        for (u32 i = index / kLunsOfCe * kLunsOfCe; i < (index / kLunsOfCe + 1) * kLunsOfCe; ++i) {
            if (luns_[i].rise_at != 0 || (i != index && !luns_[i].todo.empty())) {
                return false;
            }
        }
    }
    return lun.rise_at == 0;
}

void Traffic::poll(u32 ce)
{
    if (chance(2)) {
        emit(ce, ces_[ce].talks_to, read_status(*plain_));
    } else {
        const u32 lun = static_cast<u32>(random(kLunsOfCe));
        emit(ce, lun, read_status_enhanced(row(lun, 0, 0, 0), *plain_));
        ces_[ce].talks_to = lun;
    }
    ces_[ce].status = true;
}

void Traffic::go(u32 index)
{
    Lun& lun = luns_[index];
    const u32 ce_index = index / kLunsOfCe;
    const u32 own = index % kLunsOfCe;
    Ce& ce = ces_[ce_index];
    const Step next = lun.todo.front();
    lun.todo.pop_front();
    const bool suspend = next.wait == Wait::SuspendProgram || next.wait == Wait::SuspendErase;
    if (suspend) { // too late to be sure that it comes before the end
        const u64 last = free_at_ + microseconds(25).value();
        lun.not_suspended = lun.rise_at == 0 || last > lun.least_rise;
        if (lun.not_suspended) {
            return;
        }
    }
    if ((next.bare || next.bare_data) && ce.talks_to != own) {
        emit(ce_index, own, read_status_enhanced(row(own, 0, 0, 0), *plain_));
        ce.talks_to = own;
        ce.status = true;
    }
    if (next.bare_data && ce.status) {
        emit(ce_index, own, lone_command(0x00));
        free_at_ += microseconds(1).value(); // tWHR, generously
    }
    emit(ce_index, own, next.s);
    ce.talks_to = next.target ? 0 : own;
    ce.status = false;
    ce.held_by = next.hold ? index : kKeep;
    if (next.wait == Wait::None) {
        return;
    }
    const u64 end = stream_.events.back().at;
    const Segment& s = next.s;
    u8 cause = 0;
    for (u32 i = 0; i < u32{s.lead} + s.trail; ++i) {
        cause = s.is_command(i) ? s.bytes[i] : cause;
    }
    if (next.drive != kKeep) {
        ce.next_drive = next.drive;
    }
    if (cause == 0xff) {
        ce.drive = kSdr0;
    }
    const u64 slack = chance(2) ? 0 : random(2000000);
    for (u32 i = 0; i < kLuns; ++i) {
        if (i == index || (next.target && i / kLunsOfCe == ce_index)) {
            const u64 least = least_rise(luns_[i], next.wait, end);
            const bool was_low = luns_[i].rise_at != 0;
            luns_[i].least_rise = least;
            luns_[i].rise_at = least + slack + (next.wait == Wait::Reset ? 1000000 : 0);
            luns_[i].cause = cause;
            if (suspend) { // least_rise stays what it was: resume needs it
                lun.remaining -= luns_[i].rise_at;
            }
            if (!was_low) { // the edge comes before the checker sees the segment
                Event edge;
                edge.kind = Event::Kind::Fall;
                edge.ce = ce_index;
                edge.lun = i % kLunsOfCe;
                edge.at = end;
                stream_.events.insert(stream_.events.end() - 1, edge);
            }
        }
    }
}

u64 Traffic::least_rise(Lun& lun, Wait wait, u64 end)
{
    const config::Nand& n = part_.nand;
    const u64 array_free = lun.array_busy ? std::max(end, lun.array_until) : end;
    const u64 array_done = lun.array_busy ? lun.array_until : 0;
    switch (wait) {
    case Wait::None:
        break;
    case Wait::Queue:
        return end + n.t_plane_queue.value();
    case Wait::Read:
    case Wait::Parameter:
        return end + n.t_read.value();
    case Wait::Program:
        lun.array_busy = false;
        return array_free + n.t_program.value();
    case Wait::Erase:
        return end + n.t_erase.value();
    case Wait::CacheRead:
        lun.array_busy = true;
        lun.array_until = array_free + n.t_read.value();
        return std::max(end + n.t_read_cache.value(), array_done);
    case Wait::CacheEnd:
        lun.array_busy = false;
        return std::max(end + n.t_read_cache.value(), array_done);
    case Wait::CacheProgram:
        lun.array_busy = true;
        lun.array_until = array_free + n.t_program.value();
        return std::max(end + n.t_program_cache.value(), array_done);
    case Wait::Feature:
        return end + n.t_feature.value();
    case Wait::SuspendProgram:
        lun.remaining = lun.least_rise; // less the time of the ready edge
        return end + n.t_suspend_program.value();
    case Wait::SuspendErase:
        lun.remaining = lun.least_rise;
        return end + n.t_suspend_erase.value();
    case Wait::Resume:
        return end + lun.remaining;
    case Wait::Reset:
        return end;
    }
    return end;
}

/// The segment as soon as the bus and its LUN allow, or up to 300 ns later.
void Traffic::emit(u32 ce, u32 lun, const Segment& s)
{
    const u64 slack = chance(2) ? 0 : random(300000);
    u32 drive_index = kKeep;
    u64 start = 0;
    while (drive_index != ces_[ce].drive) { // an edge on the way may change the interface
        drive_index = ces_[ce].drive;
        start = free_at_;
        const u64 cs = kDrives[drive_index].cs;
        const auto first_cycle_from = [&](u64 t) { start = std::max(start, t > cs ? t - cs : 0); };
        if (s.lead != 0) {
            first_cycle_from(command_from_);
        }
        first_cycle_from(luns_[ce * kLunsOfCe + lun].ready_at);
        start += slack;
        flush(start);
    }
    const Drive& d = kDrives[drive_index];
    Event e;
    e.ce = ce;
    e.lun = lun;
    e.drive = drive_index;
    e.at = start + least_duration(s, d);
    e.segment = s;
    e.segment.ce = ce;
    e.segment.start = Picoseconds(start);
    e.segment.end = Picoseconds(e.at);
    e.segment.timing = &timing_of(drive_index);
    flush(e.at);
    free_at_ = e.at;
    if (s.direction == DataDirection::Out && s.trail == 0) {
        command_from_ = e.at + d.rhw;
    }
    stream_.events.push_back(e);
}

/// All edges up to a time, in their order.
void Traffic::flush(u64 until)
{
    for (;;) {
        u32 next = kLuns;
        for (u32 i = 0; i < kLuns; ++i) {
            if (luns_[i].rise_at != 0 && luns_[i].rise_at <= until &&
                (next == kLuns || luns_[i].rise_at < luns_[next].rise_at)) {
                next = i;
            }
        }
        if (next == kLuns) {
            return;
        }
        Lun& lun = luns_[next];
        Ce& ce = ces_[next / kLunsOfCe];
        Event e;
        e.kind = Event::Kind::Rise;
        e.cause = lun.cause;
        e.ce = next / kLunsOfCe;
        e.lun = next % kLunsOfCe;
        e.at = lun.rise_at;
        e.least = lun.least_rise;
        stream_.events.push_back(e);
        lun.ready_at = lun.rise_at;
        lun.rise_at = 0;
        if (ce.next_drive != kKeep) {
            ce.drive = ce.next_drive;
            ce.next_drive = kKeep;
        }
    }
}

} // namespace tlmssd::tb
