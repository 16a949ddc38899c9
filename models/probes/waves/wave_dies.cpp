// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the bytes on a bus and the R/B# lines tell of the dies.
#include "models/probes/waves/wave_dies.h"

namespace tlmssd::probes {

namespace cmd = onfi::cmd;
using onfi::DataDirection;

WaveDies::WaveDies(observe::Waves& waves, const WaveNames& names, const std::string& scope,
                   const Geometry& geometry)
    : waves_(waves), geometry_(geometry), targets_(geometry.ces_per_channel())
{
    for (u32 ce = 0; ce < targets_.size(); ++ce) {
        Target& target = targets_[ce];
        const std::string ce_scope = scope + ".ce" + std::to_string(ce);
        target.ready_id = waves.add(ce_scope + ".rb_n", 1);
        waves.set(target.ready_id, 1, Picoseconds());
        target.luns.resize(geometry.luns_per_ce());
        for (u32 l = 0; l < target.luns.size(); ++l) {
            Lun& lun = target.luns[l];
            const std::string lun_scope = ce_scope + ".lun" + std::to_string(l);
            lun.ready_id = waves.add(lun_scope + ".rb_n", 1);
            waves.set(lun.ready_id, 1, Picoseconds());
            lun.state_id = waves.add(lun_scope + ".state", 4, names.die_state);
            lun.planes.resize(geometry.planes);
            for (u32 p = 0; p < geometry.planes; ++p) {
                lun.planes[p].id = waves.add(
                    lun_scope + ".plane" + std::to_string(p) + ".state", 4, names.plane_state);
            }
        }
    }
}

void WaveDies::set(Lun& lun, DieState state, Picoseconds at)
{
    lun.state = state;
    waves_.set(lun.state_id, static_cast<u64>(state), at);
}

void WaveDies::set(Lun& lun, u32 planes, PlaneState state, Picoseconds at)
{
    for (u32 p = 0; p < lun.planes.size(); ++p) {
        if (planes >> p & 1) {
            lun.planes[p].state = state;
            waves_.set(lun.planes[p].id, static_cast<u64>(state), at);
        }
    }
}

/// Null where the row names a LUN or plane that is not there: a broken rule, the checker's matter.
WaveDies::Lun* WaveDies::select_row(Target& target, const u8* row)
{
    const u32 value = row[0] | u32{row[1]} << 8 | u32{row[2]} << 16;
    const u32 lun = geometry_.row_lun(value);
    const u32 plane = geometry_.row_plane(value);
    if (lun >= target.luns.size() || plane >= geometry_.planes) {
        return nullptr;
    }
    target.lun = lun;
    target.luns[lun].plane = plane;
    return &target.luns[lun];
}

void WaveDies::confirm(Target& target, DieState state, PlaneState running, PlaneState after,
                       bool stays)
{
    Lun& lun = target.luns[target.lun];
    lun.next = Work{state, running, after, lun.gathered | 1u << lun.plane, stays};
    lun.gathered = 0;
    lun.pending = true;
}

void WaveDies::gather(Target& target)
{
    Lun& lun = target.luns[target.lun];
    lun.gathered |= 1u << lun.plane;
    lun.next = Work{DieState::Queue, PlaneState::Gathered, PlaneState::Gathered, 1u << lun.plane,
                    false};
    lun.pending = true;
}

/// An operation of every LUN of the target whose R/B# falls.
void WaveDies::all(Target& target, DieState state)
{
    const u32 planes = state == DieState::Reset ? ~u32{0} : 0;
    for (Lun& lun : target.luns) {
        lun.next = Work{state, PlaneState::Idle, PlaneState::Idle, planes, false};
        lun.pending = true;
    }
}

void WaveDies::decode(Target& target, u8 command, const u8* address, u32 n)
{
    target.command = command;
    const bool resumes = command == cmd::kProgramResume || command == cmd::kEraseResume;
    if (n == 5) {
        select_row(target, address + 2);
    } else if (n == 3) {
        Lun* const lun = select_row(target, address);
        if (command == cmd::kReadStatusEnhanced || command == cmd::kErase || lun == nullptr) {
            return;
        }
        if (command == cmd::kProgramSuspend || command == cmd::kEraseSuspend) {
            lun->suspending = !lun->ready;
        } else if (resumes && lun->suspended.state != DieState::Idle) {
            lun->next = lun->suspended;
            lun->pending = true;
        } else if (command == cmd::kResetLun) {
            lun->next = Work{DieState::Reset, PlaneState::Idle, PlaneState::Idle, ~u32{0}, false};
            lun->pending = true;
        }
        return;
    }
    const bool open = target.luns[target.lun].cache;
    switch (command) {
    case cmd::kReadConfirm:
    case cmd::kCopybackReadConfirm:
        confirm(target, DieState::Read, PlaneState::Read, PlaneState::Loaded, false);
        break;
    case cmd::kReadCacheRandom: // sequential too
        confirm(target, DieState::Cache, PlaneState::Read, PlaneState::Loaded, true);
        break;
    case cmd::kReadCacheEnd:
        confirm(target, DieState::Cache, PlaneState::Read, PlaneState::Loaded, false);
        break;
    case cmd::kProgramConfirm:
        confirm(target, open ? DieState::Cache : DieState::Program, PlaneState::Program,
                PlaneState::Idle, false);
        break;
    case cmd::kProgramCacheConfirm:
        confirm(target, DieState::Cache, PlaneState::Program, PlaneState::Program, true);
        break;
    case cmd::kEraseConfirm:
        confirm(target, DieState::Erase, PlaneState::Erase, PlaneState::Idle, false);
        break;
    case cmd::kReadQueuePlane:
    case cmd::kProgramQueuePlane:
    case cmd::kEraseQueuePlane:
        gather(target);
        break;
    case cmd::kReset:
    case cmd::kSynchronousReset:
        all(target, DieState::Reset);
        break;
    case cmd::kGetFeatures:
    case cmd::kSetFeatures:
        all(target, DieState::Feature);
        break;
    case cmd::kLunGetFeatures:
    case cmd::kLunSetFeatures:
        if (n == 2 && address[0] < target.luns.size()) {
            Lun& lun = target.luns[target.lun = address[0]];
            lun.next = Work{DieState::Feature, PlaneState::Idle, PlaneState::Idle, 0, false};
            lun.pending = true;
        }
        break;
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
        all(target, DieState::Read);
        break;
    default:
        break;
    }
}

void WaveDies::started(const onfi::Segment& s, const SegmentTimes& t)
{
    Target& target = targets_[s.ce];
    const u32 n = u32{s.lead} + s.trail;
    bool burst_passed = s.direction == DataDirection::None;
    for (u32 i = 0; i <= n; ++i) {
        if (i == s.lead && !burst_passed) {
            burst_passed = true;
            Lun& lun = target.luns[target.lun];
            Plane& plane = lun.planes[lun.plane];
            const bool page = !s.narrow && target.command != cmd::kReadId &&
                              target.command != cmd::kReadParameterPage &&
                              target.command != cmd::kReadUniqueId &&
                              target.command != cmd::kReadStatus &&
                              target.command != cmd::kReadStatusEnhanced;
            if (page && s.direction == DataDirection::In) {
                plane.state = PlaneState::DataIn;
                waves_.schedule(plane.id, static_cast<u64>(plane.state), t.burst);
            } else if (page) {
                waves_.schedule(plane.id, static_cast<u64>(PlaneState::DataOut), t.burst);
                if (plane.state == PlaneState::Loaded) {
                    plane.state = PlaneState::Idle;
                }
                waves_.schedule(plane.id, static_cast<u64>(plane.state), t.burst_end);
                plane.burst_end = t.burst_end;
            }
        }
        if (i == n || !s.is_command(i)) {
            continue;
        }
        u32 addresses = 0;
        while (i + 1 + addresses < n && !s.is_command(i + 1 + addresses)) {
            ++addresses;
        }
        decode(target, s.bytes[i], &s.bytes[i + 1], addresses);
    }
}

void WaveDies::ended(const onfi::Segment& s)
{
    Target& target = targets_[s.ce];
    for (Lun& lun : target.luns) { // a reset of a busy LUN has no edge
        if (lun.pending && !lun.ready && lun.next.state == DieState::Reset) {
            begin(lun, s.end);
        }
    }
    const bool status_read = target.command == cmd::kReadStatus ||
                             target.command == cmd::kReadStatusEnhanced;
    if (status_read && s.direction == DataDirection::Out && s.data != nullptr) {
        status(target.luns[target.lun], s.data->bytes[0], s.end);
    }
}

void WaveDies::begin(Lun& lun, Picoseconds at)
{
    lun.pending = false;
    lun.running = lun.next;
    lun.cache = lun.running.stays;
    if (lun.running.state == DieState::Reset) {
        lun.gathered = 0;
        lun.suspending = false;
        lun.suspended = Work{};
    }
    if (lun.running.state == lun.suspended.state) { // its resume
        lun.suspended = Work{};
    }
    set(lun, lun.running.state, at);
    set(lun, lun.running.planes, lun.running.planes_state, at);
}

void WaveDies::end(Lun& lun, Picoseconds at)
{
    if (lun.suspending) {
        lun.suspending = false;
        lun.suspended = lun.running;
        set(lun, lun.running.planes, PlaneState::Suspended, at);
    } else if (!lun.running.stays) {
        set(lun, lun.running.planes, lun.running.after, at);
    }
    if (!lun.running.stays) {
        set(lun, lun.suspended.state != DieState::Idle ? DieState::Suspended : DieState::Idle, at);
    }
}

void WaveDies::status(Lun& lun, u8 byte, Picoseconds at)
{
    namespace status = onfi::status;
    if ((byte & status::kArrayReady) != 0 && lun.ready && lun.state == DieState::Cache) {
        end_cached(lun, at);
    }
    if ((byte & status::kSuspended) == 0 && lun.ready && lun.state == DieState::Suspended) {
        // It had ended before the suspend came.
        set(lun, lun.suspended.planes, PlaneState::Idle, at);
        lun.suspended = Work{};
        set(lun, DieState::Idle, at);
    }
}

/// The array rests behind a ready R/B#. A burst that passes is drawn to its end.
void WaveDies::end_cached(Lun& lun, Picoseconds at)
{
    lun.cache = false;
    const bool program = lun.running.planes_state == PlaneState::Program;
    const PlaneState after = program ? PlaneState::Idle : PlaneState::Loaded;
    for (u32 p = 0; p < lun.planes.size(); ++p) {
        Plane& plane = lun.planes[p];
        if ((lun.running.planes >> p & 1) != 0 && plane.state == lun.running.planes_state) {
            plane.state = after;
            waves_.schedule(plane.id, static_cast<u64>(after), max(at, plane.burst_end));
        }
    }
    set(lun, DieState::Idle, at);
}

/// R/B# low: its edge will show more.
void WaveDies::array_rests(u32 ce, u32 l, Picoseconds when)
{
    Lun& lun = targets_[ce].luns[l];
    if (lun.ready && lun.state == DieState::Cache) {
        end_cached(lun, when);
    }
}

void WaveDies::ready_edge(u32 ce, u32 l, bool ready, Picoseconds when)
{
    Target& target = targets_[ce];
    Lun& lun = target.luns[l];
    lun.ready = ready;
    waves_.set(lun.ready_id, ready, when);
    bool all_ready = true;
    for (const Lun& each : target.luns) {
        all_ready = all_ready && each.ready;
    }
    waves_.set(target.ready_id, all_ready, when);
    if (ready) {
        end(lun, when);
    } else if (lun.pending) {
        begin(lun, when);
    }
}

} // namespace tlmssd::probes
