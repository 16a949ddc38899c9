// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one job as the host sees it: its next request, and when that arrives.
#pragma once

#include "models/common/fifo.h"
#include "models/workload/jobs.h"

namespace tlmssd::host {

/// The head of a job's queue. Only the head is in memory: a later request's arrival follows from
/// the source (open loop) or from when the slot became free that it takes (closed loop). No clock of
/// its own.
struct JobState {
    JobState(const workload::JobRules& rules, workload::RequestSource& requests, u16 job,
             Picoseconds now)
        : source(&requests), reactive(requests.reactive()), open_loop(rules.mode == config::LoopMode::Open), number(job),
          iodepth(rules.iodepth), priority(rules.priority), begin(now + rules.start),
          end(rules.runtime == Picoseconds() ? kTimeNever : begin + rules.runtime),
          rate_interval(rules.rate_interval), thinktime(rules.thinktime),
          thinktime_blocks(rules.thinktime_blocks), slots(own_times() ? 1 : rules.iodepth)
    {
        for (u32 i = 0; !own_times() && i < iodepth; ++i) {
            slots.push(begin);
        }
    }

    workload::RequestSource* source;
    workload::ReactiveSource* reactive; ///< null: the source knows its requests beforehand
    bool open_loop;
    u16 number;
    u32 iodepth;
    u8 priority;
    Picoseconds begin;
    Picoseconds end; ///< nothing arrives at this time or later
    Picoseconds rate_interval;
    Picoseconds thinktime;
    u32 thinktime_blocks;

    workload::Request head;
    bool have_head = false;
    bool waits = false; ///< no head, but the source may get one
    bool arrived = false;
    bool found_full = false;
    bool over = false; ///< reactive: nothing comes any more
    Picoseconds arrival;

    /// Requests do not arrive because another has ended and left its slot.
    bool own_times() const { return open_loop || reactive != nullptr; }
    /// When the head arrives, as far as that is certain now; kTimeNever: after a completion of the
    /// job.
    Picoseconds next_arrival() const
    {
        if (own_times()) {
            return begin + head.arrival;
        }
        if (slots.empty() || alone_open) {
            return kTimeNever;
        }
        return free_since(slots.front(), arrivals);
    }
    /// The head arrives at `at`.
    void arrive(Picoseconds at, bool full)
    {
        arrival = at;
        arrived = true;
        found_full = full;
        if (!own_times()) {
            slots.drop();
            ++arrivals;
        }
    }
    /// A command of the job has been issued; `alone`: the job sends nothing until it has ended.
    void issued(bool alone)
    {
        if (alone) {
            alone_open = true;
        }
    }
    /// A command of the job has ended.
    void ended(Picoseconds now)
    {
        if (alone_open) {
            alone_open = false;
            not_before = now;
        }
        if (own_times()) {
            return;
        }
        if (thinktime == Picoseconds()) {
            slots.push(now);
        } else {
            think(now);
        }
    }

private:
    /// When request number `nth` (from 0) arrives in a slot that is free since `since`.
    Picoseconds free_since(Picoseconds since, u64 nth) const
    {
        const Picoseconds at = max(since, not_before);
        return rate_interval == Picoseconds() ? at : max(at, begin + nth * rate_interval);
    }
    void think(Picoseconds now);

    Fifo<Picoseconds> slots;    ///< closed loop: free ones, since when each is free; ascending
    u64 arrivals = 0;           ///< closed loop
    Picoseconds not_before;     ///< end of the job's last command that had to run alone
    bool alone_open = false;
    bool thinking = false;      ///< no more slots become free until all have ended
    u32 held = 0;               ///< slots that have become free since
    u32 ended_since = 0;        ///< completions since the last pause
};

} // namespace tlmssd::host
