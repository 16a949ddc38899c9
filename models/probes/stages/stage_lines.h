// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where the flash operations of page buffers are, for those who wait at the buffers.
#pragma once

#include <vector>

#include "models/common/types.h"
#include "models/observe/stages.h"
#include "models/probes/stages/stage_facts.h"

namespace tlmssd::probes {

/// Something that waits at a page buffer and is then in the stage of that buffer.
struct Follower {
    observe::StageClock clock;
    Picoseconds joins_at;
    Follower* next_joining = nullptr; ///< the firmware has said so; the time is to come
    u32 line_clock = ~u32{0};         ///< ~0: it follows none
    bool joining = false;
};

/// The stage of one page buffer: that of the operation that runs for it, else Stage::Buffer.
struct LineClock {
    observe::StageClock clock;
    Facts facts;
    Follower* joining = nullptr;
    u32 line = 0;
    u32 followers = 0; ///< pages that wait at the buffer
    u32 request = 0;   ///< running number of the command whose operations `ops` counts
    u32 ops = 0;
    u32 next_free = 0;
};

/// Clocks of the page buffers at which something happens; the others have none. Bounded by the
/// number of page buffers; allocates only when more are in use than before.
class LineClocks {
public:
    static constexpr u32 kNone = ~u32{0};

    explicit LineClocks(u32 lines) : at_(lines, kNone) {}

    /// kNone where the buffer has none.
    u32 find(u32 line) const { return line < at_.size() ? at_[line] : kNone; }
    LineClock& operator[](u32 index) { return clocks_[index]; }

    /// The buffer's clock; a new one starts at `t` in Stage::Buffer.
    u32 get(u32 line, Picoseconds t)
    {
        const u32 at = at_[line];
        return at != kNone ? at : begin(line, t);
    }
    /// A message or a copy takes the buffer's operation elsewhere at `t`.
    void enter(u32 line, Picoseconds t, observe::Stage stage)
    {
        const u32 index = at_[line];
        if (index != kNone) {
            go(index, t, stage);
            settle(index);
        } else if (stage != observe::Stage::Buffer) {
            clocks_[get(line, t)].clock.stage = stage;
        }
    }
    /// The buffer's stage changes at `t`.
    void go(u32 index, Picoseconds t, observe::Stage stage)
    {
        LineClock& c = clocks_[index];
        if (c.joining != nullptr) {
            join_until(c.joining, c.clock, t);
        }
        c.clock.go(t, stage);
    }
    /// `follower` waits at the buffer from `t` on. Firmware shows that in advance, hardware acts
    /// meanwhile: the clocks meet when the time has come.
    void join(u32 index, Follower& follower, Picoseconds t)
    {
        LineClock& c = clocks_[index];
        follower.line_clock = index;
        follower.joins_at = max(t, c.clock.since); // another core's step may be further on
        follower.joining = true;
        follower.next_joining = c.joining;
        c.joining = &follower;
        ++c.followers;
    }
    /// An operation for the buffer, caused by command number `request`, has been submitted.
    void count(u32 index, u32 request)
    {
        LineClock& c = clocks_[index];
        if (c.request != request) {
            c.request = request;
            c.ops = 0;
        }
        ++c.ops;
    }
    /// How many were submitted since the last call, where they were the command's own.
    u32 take_count(u32 index, u32 request)
    {
        LineClock& c = clocks_[index];
        if (c.request != request) {
            return 0;
        }
        const u32 ops = c.ops;
        c.ops = 0;
        return ops;
    }
    /// It waits no longer, from `t` on, and is in Stage::Buffer. The clock is settled next.
    void leave(Follower& follower, Picoseconds t)
    {
        LineClock& c = clocks_[follower.line_clock];
        const bool never = follower.joining && t <= follower.joins_at;
        if (follower.joining) {
            unlink(c, follower);
            if (!never) {
                follower.clock.join(c.clock, follower.joins_at);
            }
        }
        if (never) {
            follower.clock.go(t, observe::Stage::Buffer);
        } else {
            follower.clock.leave(c.clock, t, observe::Stage::Buffer);
        }
        --c.followers;
        follower.line_clock = kNone;
    }
    /// Gives the clock back if no follower reads it and no operation runs.
    void settle(u32 index)
    {
        LineClock& c = clocks_[index];
        if (c.followers == 0 && c.clock.stage == observe::Stage::Buffer) {
            at_[c.line] = kNone;
            c.next_free = free_;
            free_ = index;
        }
    }
    std::size_t most() const { return clocks_.size(); } ///< in use at once, so far

private:
    // Out of line, so that go() saves no registers for it.
    [[gnu::noinline]] u32 begin(u32 line, Picoseconds t)
    {
        const u32 at = take();
        at_[line] = at;
        LineClock& c = clocks_[at];
        c.clock.times.fill(0);
        c.clock.since = t;
        c.clock.stage = observe::Stage::Buffer;
        c.facts.clear();
        c.line = line;
        c.joining = nullptr;
        c.followers = c.request = c.ops = 0;
        return at;
    }
    [[gnu::noinline]] static void join_until(Follower*& first, const observe::StageClock& clock, Picoseconds t)
    {
        Follower** link = &first;
        while (*link != nullptr) {
            Follower& f = **link;
            if (f.joins_at <= t) {
                f.clock.join(clock, f.joins_at);
                f.joining = false;
                *link = f.next_joining;
            } else {
                link = &f.next_joining;
            }
        }
    }
    static void unlink(LineClock& c, Follower& follower)
    {
        Follower** link = &c.joining;
        while (*link != &follower) {
            link = &(*link)->next_joining;
        }
        *link = follower.next_joining;
        follower.joining = false;
    }
    u32 take()
    {
        if (free_ == kNone) {
            clocks_.emplace_back();
            return static_cast<u32>(clocks_.size()) - 1;
        }
        const u32 index = free_;
        free_ = clocks_[index].next_free;
        return index;
    }

    std::vector<u32> at_; ///< by page buffer
    std::vector<LineClock> clocks_;
    u32 free_ = kNone;
};

} // namespace tlmssd::probes
