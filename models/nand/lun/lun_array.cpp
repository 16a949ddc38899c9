// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the array of a LUN: what it has done when its time has passed, and cache operations.
#include <algorithm>

#include "models/nand/lun/lun.h"

namespace tlmssd::nand {

using onfi::Rule;

/// Ends of array and of R/B# low that have come, in their order.
ArrayOp Lun::advance(Picoseconds now)
{
    ArrayOp risen = ArrayOp::None;
    if (job_.op != ArrayOp::None && !job_.cached && job_.end <= now) { // both at once
        risen = ended_ = op_;
        finish_job();
        op_ = ArrayOp::None;
        return risen;
    }
    for (;;) {
        if (job_.op != ArrayOp::None && job_.end <= now) {
            finish_job();
            if (op_ == ArrayOp::Program && next_.op == ArrayOp::Program) {
                start_next(); // 10h behind a cached program
            }
        } else if (op_ != ArrayOp::None && ready_at_ <= now) {
            risen = ended_ = op_;
            become_ready();
        } else {
            return risen;
        }
    }
}

void Lun::finish_job()
{
    const ArrayOp op = job_.op;
    job_.op = ArrayOp::None; // before the cells change: nobody may see a job that has ended
    array_end_ = job_.end;
    background_ = job_.cached ? op : ArrayOp::None;
    if (op == ArrayOp::Read) {
        finish_read();
    } else if (op == ArrayOp::Program) {
        finish_program();
    } else {
        finish_erase();
    }
}

void Lun::finish_read()
{
    std::vector<PlaneRegister>& into = job_.cached ? page_registers_ : planes_;
    for_planes(job_.planes, [&](u32 plane) {
        cells_.load(into[plane], place_of(plane, job_.at[plane]),
                    ((job_.broken >> plane) & 1) != 0, job_.end, retry_);
    });
}

void Lun::finish_program()
{
    fail_ = job_.broken;
    for_planes(job_.planes & ~job_.broken, [this](u32 plane) {
        const Place place = place_of(plane, job_.at[plane]);
        if (!cells_.program(place, page_registers_[plane], job_.end)) {
            fail_ |= 1u << plane;
            ++statistics_.program_fails;
        }
    });
}

void Lun::finish_erase()
{
    fail_ = job_.broken;
    for_planes(job_.planes & ~job_.broken, [this](u32 plane) {
        if (!cells_.erase(place_of(plane, job_.at[plane]))) {
            fail_ |= 1u << plane;
            ++statistics_.erase_fails;
        }
    });
}

/// An interrupted program.
void Lun::spend(const Job& job)
{
    for_planes(job.planes & ~job.broken, [&](u32 plane) {
        cells_.tear_program(place_of(plane, job.at[plane]), job.end);
    });
}

Picoseconds Lun::read_time(const Job& job) const
{
    Picoseconds most;
    for_planes(job.planes, [&](u32 plane) {
        most = max(most, cells_.read_time(place_of(plane, job.at[plane]), retry_));
    });
    return most;
}

Picoseconds Lun::program_time(const Job& job) const
{
    Picoseconds most;
    for_planes(job.planes, [&](u32 plane) {
        most = max(most, cells_.program_time(place_of(plane, job.at[plane])));
    });
    return most;
}

Picoseconds Lun::erase_time(const Job& job) const
{
    Picoseconds most;
    for_planes(job.planes, [&](u32 plane) {
        most = max(most, cells_.erase_time(place_of(plane, job.at[plane])));
    });
    return most;
}

/// A cache operation may follow one of its kind that still runs, or has only just ended: after the
/// command's first cycle.
bool Lun::follows_cached(Access access) const
{
    const ArrayOp kind = access == Access::CacheRead ? ArrayOp::Read : ArrayOp::Program;
    return (job_.op == ArrayOp::None ? background_ : job_.op) == kind;
}

/// 31h: R/B# is low until the read under way has ended and its page has moved to the cache
/// register, tRCBSY at least; then the array reads on behind a ready R/B#.
void Lun::begin_cached_read(Job& job, Picoseconds at)
{
    const Picoseconds free = job_.op == ArrayOp::None ? at : max(at, job_.end);
    begin(ArrayOp::CacheRead, Rule::None, max(free, at + device_.nand.t_read_cache));
    job.time = read_time(job);
    job.end = ready_at_ + job.time;
    account(job);
    select_cached();
}

/// The bus sees the page that comes out of the page register from its first column on.
void Lun::select_cached()
{
    port_.set_column(0);
    if (((read_planes_ >> port_.plane()) & 1) == 0) {
        port_.set_plane(static_cast<u32>(__builtin_ctz(read_planes_)));
    }
}

Lun::Start Lun::read_cache_next(Picoseconds at)
{
    if (read_planes_ == 0 || pending_ != 0) {
        return {Rule::CacheState, false};
    }
    // job_ is the read under way or the last one, nothing else has run since.
    const u32 page = job_.at[static_cast<u32>(__builtin_ctz(read_planes_))].page + 1;
    if (page >= store_.geometry().pages) { // no block has such a page
        return {Rule::CacheState, false};
    }
    next_.at = job_.at;
    bool suspended = false;
    for_planes(read_planes_, [&](u32 plane) {
        next_.at[plane].page = page;
        const Place place = place_of(plane, next_.at[plane]);
        suspended = suspended || suspended_at(place, false);
        store_.prefetch(place);
        ++statistics_.reads;
    });
    if (suspended) {
        statistics_.reads -= static_cast<u64>(__builtin_popcount(read_planes_));
        return {Rule::SuspendState, false};
    }
    next_.op = ArrayOp::Read;
    next_.cached = true;
    next_.planes = read_planes_;
    next_.broken = 0;
    begin_cached_read(next_, at);
    return Start{};
}

Lun::Start Lun::read_cache_end(Picoseconds at)
{
    if (!page_side_) {
        return {Rule::CacheState, false};
    }
    const Picoseconds free = job_.op == ArrayOp::None ? at : max(at, job_.end);
    select_cached();
    return begin(ArrayOp::CacheRead, Rule::None, max(free, at + device_.nand.t_read_cache));
}

/// R/B# rises. Of a cache operation: registers move, and the array goes on.
void Lun::become_ready()
{
    const ArrayOp op = op_;
    op_ = ArrayOp::None;
    if (op == ArrayOp::CacheProgram) {
        start_next();
    } else if (op == ArrayOp::CacheRead) {
        if (page_side_) {
            for_planes(read_planes_,
                       [this](u32 plane) { planes_[plane] = page_registers_[plane]; });
        }
        page_side_ = next_.op == ArrayOp::Read;
        read_planes_ = 0;
        if (page_side_) {
            read_planes_ = next_.planes & ~next_.broken;
            job_ = next_;
            next_.op = ArrayOp::None;
        }
    }
}

/// The program that waited: its data move to the page registers.
void Lun::start_next()
{
    job_ = next_;
    next_.op = ArrayOp::None;
    for_planes(job_.planes, [this](u32 plane) {
        PlaneRegister& to = page_registers_[plane];
        std::copy_n(planes_[plane].tags.begin(), units_, to.tags.begin());
        to.oob = planes_[plane].oob;
        to.carried = planes_[plane].carried;
        to.bytes = planes_[plane].bytes; // of equal size, so nothing is allocated
    });
    fail_previous_ = fail_;
    fail_ = 0;
}

} // namespace tlmssd::nand
