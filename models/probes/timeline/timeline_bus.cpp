// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bus segments and array times as slices.
#include "models/probes/timeline/timeline_bus.h"

#include <string>

namespace tlmssd::probes {

namespace cmd = onfi::cmd;
using onfi::Segment;

namespace {

const char* const kRead = "READ";
const char* const kProgram = "PROGRAM";
const char* const kErase = "ERASE";
const char* const kReset = "RESET";
const char* const kQueue = "QUEUE"; // tDBSY
const char* const kCache = "CACHE"; // page and cache register

constexpr u32 kColumnCycles = 2, kRowCycles = 3;

/// The last command cycle; 0 where there is none.
u8 last_command(const Segment& s)
{
    for (u32 i = u32{s.lead} + s.trail; i-- > 0;) {
        if (s.is_command(i)) {
            return s.bytes[i];
        }
    }
    return 0;
}

const char* program_name(u8 last)
{
    switch (last) {
    case cmd::kProgramConfirm: return "PROGRAM";
    case cmd::kProgramQueuePlane: return "PROGRAM QUEUE";
    case cmd::kProgramCacheConfirm: return "PROGRAM CACHE";
    default: return "DATA IN";
    }
}

const char* read_name(const Segment& s, u8 last)
{
    switch (last) {
    case cmd::kReadConfirm: return "READ";
    case cmd::kReadQueuePlane: return "READ QUEUE";
    case cmd::kReadCacheRandom: return "READ CACHE";
    case cmd::kCopybackReadConfirm: return "COPYBACK READ";
    case cmd::kChangeReadColumnConfirm: return "DATA OUT";
    default: return s.direction == onfi::DataDirection::Out ? "DATA OUT" : "READ MODE";
    }
}

/// Command cycles as "00-30"; at most four.
void print_commands(const Segment& s, char* out)
{
    static const char kHex[] = "0123456789ABCDEF";
    u32 count = 0;
    for (u32 i = 0; i < u32{s.lead} + s.trail && count < 4; ++i) {
        if (s.is_command(i)) {
            if (count++ != 0) {
                *out++ = '-';
            }
            *out++ = kHex[s.bytes[i] >> 4];
            *out++ = kHex[s.bytes[i] & 15];
        }
    }
    *out = '\0';
}

} // namespace

const char* segment_name(const Segment& s)
{
    if (s.lead == 0) {
        switch (s.direction) {
        case onfi::DataDirection::Out: return "DATA OUT";
        case onfi::DataDirection::In: return "DATA IN";
        case onfi::DataDirection::None: return "EMPTY";
        }
    }
    const u8 last = last_command(s);
    switch (s.bytes[0]) {
    case cmd::kRead: return read_name(s, last);
    case cmd::kChangeReadColumn:
    case cmd::kChangeReadColumnEnhanced: return "DATA OUT";
    case cmd::kReadCacheSequential: return "READ CACHE";
    case cmd::kReadCacheEnd: return "READ CACHE END";
    case cmd::kProgram:
    case cmd::kChangeWriteColumn:
    case cmd::kProgramConfirm:
    case cmd::kProgramQueuePlane:
    case cmd::kProgramCacheConfirm: return program_name(last);
    case cmd::kErase: return last == cmd::kEraseQueuePlane ? "ERASE QUEUE" : "ERASE";
    case cmd::kReadStatus:
    case cmd::kReadStatusEnhanced: return "STATUS";
    case cmd::kReset:
    case cmd::kSynchronousReset:
    case cmd::kResetLun: return "RESET";
    case cmd::kGetFeatures:
    case cmd::kLunGetFeatures: return "GET FEATURES";
    case cmd::kSetFeatures:
    case cmd::kLunSetFeatures: return "SET FEATURES";
    case cmd::kReadId: return "READ ID";
    case cmd::kReadParameterPage: return "PARAMETER PAGE";
    case cmd::kReadUniqueId: return "UNIQUE ID";
    case cmd::kProgramSuspend:
    case cmd::kEraseSuspend: return "SUSPEND";
    case cmd::kProgramResume:
    case cmd::kEraseResume: return "RESUME";
    default: return "UNKNOWN";
    }
}

TimelineBus::TimelineBus(observe::Timeline& timeline, const Geometry& geometry, u32 channels,
                         u32 planes)
    : timeline_(timeline), geometry_(geometry), ces_(geometry.ces_per_channel()),
      channels_(geometry.channels), sequences_(geometry.channels * ces_),
      luns_(geometry.total_dies())
{
    for (u32 c = 0; c < geometry.channels; ++c) {
        channels_[c].track = timeline_.add_track(channels, "channel " + std::to_string(c));
    }
    for (u32 die = 0; die < geometry.total_dies(); ++die) {
        for (u32 plane = 0; plane < geometry.planes; ++plane) {
            plane_tracks_.push_back(timeline_.add_track(
                planes, "plane " + die_name(geometry, die) + "/" + std::to_string(plane)));
        }
    }
}

// ---- segments ----

void TimelineBus::on_started(u32 channel, const Segment& segment)
{
    channels_[channel].started = segment.start;
    channels_[channel].name = segment_name(segment);
}

void TimelineBus::on_observed(u32 channel, const Segment& segment)
{
    for (u32 i = 0; i < u32{segment.lead} + segment.trail; ++i) {
        if (segment.is_command(i)) {
            command(channel, segment.ce, segment.bytes[i]);
        } else {
            address(channel, segment.ce, segment.bytes[i]);
        }
    }
    char cycles[16];
    print_commands(segment, cycles);
    observe::TimelineArgs args;
    args.add("ce", u64{segment.ce}).add("lun", u64{sequence(channel, segment.ce).lun});
    args.add("cycles", cycles);
    if (segment.data_bytes != 0) {
        args.add("bytes", u64{segment.data_bytes});
    }
    if (segment.owner != Segment::kNoOwner) {
        args.add("tag", u64{segment.owner});
    }
    channels_[channel].name = nullptr;
    timeline_.slice(channels_[channel].track, segment_name(segment), segment.start, segment.end,
                    args);
}

// ---- what the sequences ask of the array ----

void TimelineBus::confirm(u32 channel, u32 ce, u32 row, const char* name, bool queue)
{
    const u32 index = geometry_.row_lun(row) % geometry_.luns_per_ce();
    const u32 plane = geometry_.row_plane(row) % kMaxPlanes;
    Lun& l = lun(channel, ce, index);
    sequence(channel, ce).lun = index;
    l.rows[plane] = l.fetched[plane] = row;
    if (queue) {
        l.queued |= 1u << plane;
        l.work = {kQueue, 1u << plane};
    } else {
        l.work = {name, l.queued | 1u << plane};
        l.queued = 0;
    }
}

/// 31h alone: the page after the one that the array has fetched last.
void TimelineBus::read_next(Lun& l)
{
    l.work = {kCache, l.work.planes};
    l.cached = {kRead, l.work.planes};
    for (u32 plane = 0; plane < geometry_.planes; ++plane) {
        l.fetched[plane] += l.work.planes >> plane & 1;
    }
}

void TimelineBus::reset(u32 channel, u32 ce, u32 first, u32 count)
{
    for (u32 i = first; i < first + count; ++i) {
        Lun& l = lun(channel, ce, i);
        l.work = {kReset, (1u << geometry_.planes) - 1};
        l.suspended = {};
        l.queued = 0;
    }
}

void TimelineBus::command(u32 channel, u32 ce, u8 byte)
{
    Sequence& s = sequence(channel, ce);
    const u32 row = static_cast<u32>(s.address >> 16) & 0xffffff;
    const u32 row_only = static_cast<u32>(s.address) & 0xffffff;
    const bool reading = s.first == cmd::kRead && s.count == kColumnCycles + kRowCycles;
    switch (byte) {
    case cmd::kReadConfirm:
    case cmd::kReadQueuePlane:
    case cmd::kCopybackReadConfirm:
        confirm(channel, ce, row, kRead, byte == cmd::kReadQueuePlane);
        break;
    case cmd::kReadCacheRandom: // with an address: of that page; without: the next one
        if (reading) {
            confirm(channel, ce, row, kCache, false);
            Lun& l = lun(channel, ce, s.lun);
            l.cached = {kRead, l.work.planes};
            break;
        }
        read_next(lun(channel, ce, s.lun));
        break;
    case cmd::kReadCacheEnd: {
        Lun& l = lun(channel, ce, s.lun);
        l.work = {kCache, l.work.planes};
        break;
    }
    case cmd::kProgramConfirm:
    case cmd::kProgramQueuePlane:
        confirm(channel, ce, s.program_row, kProgram, byte == cmd::kProgramQueuePlane);
        break;
    case cmd::kProgramCacheConfirm:
        confirm(channel, ce, s.program_row, kCache, false);
        lun(channel, ce, s.lun).cached = {kProgram, lun(channel, ce, s.lun).work.planes};
        break;
    case cmd::kEraseConfirm:
    case cmd::kEraseQueuePlane:
        confirm(channel, ce, row_only, kErase, byte == cmd::kEraseQueuePlane);
        break;
    case cmd::kReset:
    case cmd::kSynchronousReset:
        reset(channel, ce, 0, geometry_.luns_per_ce());
        break;
    case cmd::kReadId:
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
    case cmd::kGetFeatures:
    case cmd::kSetFeatures:
        for (u32 i = 0; i < geometry_.luns_per_ce(); ++i) {
            lun(channel, ce, i).work = {};
        }
        break;
    default: break;
    }
    s.first = byte;
    s.count = 0;
    s.address = 0;
}

void TimelineBus::address(u32 channel, u32 ce, u8 byte)
{
    Sequence& s = sequence(channel, ce);
    if (s.count < 8) {
        s.address |= u64{byte} << (8 * s.count);
    }
    ++s.count;
    const u32 row = static_cast<u32>(s.address >> 16) & 0xffffff;
    const u32 row_only = static_cast<u32>(s.address) & 0xffffff;
    const auto choose = [&](u32 r) {
        s.lun = geometry_.row_lun(r) % geometry_.luns_per_ce();
        return &lun(channel, ce, s.lun);
    };
    if (s.count == 1 && (s.first == cmd::kLunGetFeatures || s.first == cmd::kLunSetFeatures)) {
        s.lun = byte % geometry_.luns_per_ce();
        lun(channel, ce, s.lun).work = {};
    }
    if (s.count == kColumnCycles + kRowCycles) {
        choose(row);
        if (s.first == cmd::kProgram || s.first == cmd::kChangeWriteColumn) {
            s.program_row = row;
        }
    }
    if (s.count != kRowCycles) {
        return;
    }
    switch (s.first) {
    case cmd::kReadStatusEnhanced:
    case cmd::kErase:
        choose(row_only);
        break;
    case cmd::kResetLun:
        choose(row_only);
        reset(channel, ce, s.lun, 1);
        break;
    case cmd::kProgramSuspend:
    case cmd::kEraseSuspend: { // R/B# rises: what runs until then is still the operation
        Lun* l = choose(row_only);
        l->suspended = l->work;
        l->suspended_rows = l->rows;
        break;
    }
    case cmd::kProgramResume:
    case cmd::kEraseResume: {
        Lun* l = choose(row_only);
        l->work = l->suspended;
        l->rows = l->suspended_rows;
        break;
    }
    default: break;
    }
}

// ---- array times ----

void TimelineBus::on_ready_edge(u32 channel, u32 ce, u32 index, bool ready, Picoseconds when)
{
    Lun& l = lun(channel, ce, index);
    if (l.busy) { // also where a reset makes a busy LUN busy anew
        show(geometry_.die_index_ce(channel, ce, index), when, false);
    }
    l.busy = !ready;
    l.fell = when;
}

/// What R/B# is low for comes after what the array is at.
void TimelineBus::on_array_edge(u32 channel, u32 ce, u32 index, bool busy, Picoseconds when)
{
    Lun& l = lun(channel, ce, index);
    if (busy) {
        l.array = l.cached;
        l.array_rows = l.fetched;
        l.array_since = when;
        return;
    }
    show_array(geometry_.die_index_ce(channel, ce, index), when, false);
    l.array = {};
    if (l.busy) {
        l.fell = when;
    }
}

void TimelineBus::show(u32 die, Picoseconds until, bool open)
{
    const Lun& l = luns_[die];
    if (l.work.name != kCache || (l.array.name == nullptr && l.fell < until)) { // no register has moved yet
        draw(die, l.work, l.rows, l.fell, until, open);
    }
}

void TimelineBus::show_array(u32 die, Picoseconds until, bool open)
{
    const Lun& l = luns_[die];
    draw(die, l.array, l.array_rows, l.array_since, until, open);
}

void TimelineBus::draw(u32 die, const Work& work, const std::array<u32, kMaxPlanes>& rows, Picoseconds from,
                       Picoseconds until, bool open)
{
    for (u32 plane = 0; plane < geometry_.planes; ++plane) {
        if (work.name == nullptr || (work.planes >> plane & 1) == 0) {
            continue;
        }
        observe::TimelineArgs args;
        if (work.name != kReset) {
            args.add("block", u64{geometry_.row_block(rows[plane])});
            if (work.name != kErase) {
                args.add("page", u64{geometry_.row_page(rows[plane])});
            }
        }
        if (open) {
            args.add("open", u64{1});
        }
        timeline_.slice(plane_tracks_[die * geometry_.planes + plane], work.name, from, until, args);
    }
}

void TimelineBus::close(Picoseconds now)
{
    for (Channel& c : channels_) {
        if (c.name != nullptr) {
            timeline_.slice(c.track, c.name, c.started, now, observe::TimelineArgs().add("open", u64{1}));
            c.name = nullptr;
        }
    }
    for (u32 die = 0; die < luns_.size(); ++die) {
        if (luns_[die].array.name != nullptr) {
            show_array(die, now, true);
        }
        if (luns_[die].busy) {
            show(die, now, true);
            luns_[die].busy = false;
        }
    }
}

} // namespace tlmssd::probes
