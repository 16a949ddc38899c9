// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what stops an operation of a LUN: suspend, reset, power cycle, a cut of the supply.
#include <algorithm>

#include "models/nand/lun/lun.h"

namespace tlmssd::nand {

using onfi::Rule;

Rule Lun::suspend(ArrayOp kind, Picoseconds now)
{
    if (op_ == ArrayOp::None && ended_ == kind && suspended_.op == ArrayOp::None) {
        return Rule::None; // too late: it has ended, which its status will tell
    }
    // A cached program, or one behind it, cannot be suspended: two pages would have to wait.
    if (suspended_.op != ArrayOp::None || op_ != kind || job_.op != kind ||
        next_.op != ArrayOp::None) {
        return Rule::SuspendState;
    }
    const Picoseconds ready = now + (kind == ArrayOp::Program ? device_.nand.t_suspend_program
                                                              : device_.nand.t_suspend_erase);
    ++statistics_.suspends;
    if (job_.end <= ready) { // it ends by itself first
        return Rule::None;
    }
    suspended_ = job_;
    remaining_ = job_.end - now;
    job_.op = ArrayOp::None;
    array_end_ = ready;
    background_ = ArrayOp::None;
    if (kind == ArrayOp::Program) {
        std::swap(page_registers_, suspended_registers_);
    }
    begin(ArrayOp::Suspend, Rule::None, ready);
    return Rule::None;
}

Lun::Start Lun::resume(ArrayOp kind, Picoseconds at)
{
    if (suspended_.op != kind || pending_ != 0) {
        return {Rule::SuspendState, false};
    }
    job_ = suspended_;
    job_.end = at + remaining_;
    suspended_.op = ArrayOp::None;
    if (kind == ArrayOp::Program) {
        std::swap(page_registers_, suspended_registers_);
    }
    read_planes_ = 0;
    page_side_ = false;
    cache_program_ = false;
    fail_ = fail_previous_ = 0;
    return begin(kind, Rule::None, job_.end);
}

/// Everything that runs, waits or is suspended stops. Returns how long a reset then takes.
Picoseconds Lun::abort(Picoseconds now)
{
    Picoseconds time = device_.nand.t_reset_idle;
    const auto stop = [&](Job& job, Picoseconds left) {
        if (job.op == ArrayOp::None) {
            return;
        }
        Picoseconds& spent = time_of(job.op);
        spent = spent - min(spent, left);
        if (job.op == ArrayOp::Program) {
            time = max(time, device_.nand.t_reset_program);
            job.end = now;
            spend(job);
        } else if (job.op == ArrayOp::Erase) { // the block keeps its content
            time = max(time, device_.nand.t_reset_erase);
        }
        job.op = ArrayOp::None;
    };
    stop(job_, min(job_.time, max(job_.end, now) - now));
    stop(next_, next_.time);
    stop(suspended_, remaining_);
    for (PlaneRegister& reg : planes_) {
        reg.valid = false;
    }
    pending_ = 0;
    fail_ = fail_previous_ = 0;
    read_planes_ = 0;
    copyback_ = 0;
    page_side_ = false;
    cache_program_ = false;
    array_end_ = now;
    background_ = ArrayOp::None;
    return time;
}

Lun::Start Lun::reset(Picoseconds at)
{
    const Picoseconds time = abort(at);
    ++statistics_.resets;
    statistics_.busy += time;
    return begin(ArrayOp::Reset, Rule::None, at + time);
}

void Lun::power_cycle(Picoseconds now)
{
    abort(now);
    op_ = ended_ = ArrayOp::None;
    ready_at_ = now;
    retry_ = 0;
}

void Lun::tear(Job& job, Picoseconds now)
{
    if (job.op == ArrayOp::Program) {
        job.end = now;
        spend(job);
    } else if (job.op == ArrayOp::Erase) {
        for_planes(job.planes & ~job.broken, [&](u32 plane) {
            cells_.tear_erase(place_of(plane, job.at[plane]), now);
        });
    }
    job.op = ArrayOp::None;
}

void Lun::power_off(Picoseconds now)
{
    advance(now);
    tear(job_, now);
    tear(suspended_, now);
    next_.op = ArrayOp::None; // in a register only: the cells know nothing of it
    power_cycle(now);
}

void Lun::clear_registers()
{
    if (busy()) { // what it fetches comes later
        return;
    }
    for (PlaneRegister& reg : planes_) {
        reg.valid = false;
    }
    copyback_ = 0;
}

} // namespace tlmssd::nand
