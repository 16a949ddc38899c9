// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_event beside a list of what waits: the order of the kinds, one event at a time, its steps, stale events.
// How many cycles an event takes is not asked here (tb/rtl/o3_rtl_directed_test.cpp), only the order of its steps.
#include <deque>
#include <string>
#include <vector>

#include <VUnitEvent.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 4;
constexpr u32 kBound = 10; ///< cycles of an event at most, and without one while something may go

/// The kinds in the order in which they go (docs/explanation/rtl-o3-events.md, "Pick").
enum Kind { kDone, kReady, kGivenUp, kRetry, kTick, kOpen, kRequest, kEnter, kKinds };
const char* const kNames[kKinds] = {"segment ended", "R/B# high", "given up", "verdict",
                                    "timer",         "fence open", "request",  "intake"};
/// These may end an operation, and wait while the last end has not been taken. A request may, too: it refuses.
constexpr bool kMayEnd[kKinds] = {true, true, true, false, false, false, true, false};

/// What waits for its event, as o3_channel keeps it.
struct Waiting {
    std::deque<u32> done, open, request, enter, tick; ///< LUNs
    u32 wait = 0, high = 0, given_up = 0, retry = 0;  ///< a bit per LUN
    bool any(u32 kind) const
    {
        const bool waits[kKinds] = {!done.empty(), (wait & high) != 0, (wait & given_up) != 0, retry != 0,
                                    !tick.empty(), !open.empty(),      !request.empty(),       !enter.empty()};
        return waits[kind];
    }
    u32 lun(u32 kind) const
    {
        const auto lowest = [](u32 bits) { return static_cast<u32>(__builtin_ctz(bits)); };
        switch (kind) {
        case kDone: return done.front();
        case kReady: return lowest(wait & high);
        case kGivenUp: return lowest(wait & given_up);
        case kRetry: return lowest(retry);
        case kTick: return tick.front();
        case kOpen: return open.front();
        case kRequest: return request.front();
        default: return enter.front();
        }
    }
};

class EventBench {
public:
    EventBench(u64 seed, Goals& goals) : random_(seed), goals_(goals)
    {
        drive(false);
        dut_.reset();
    }

    /// `more`: further things happen; else what waits is worked off.
    void cycle(bool more)
    {
        if (more) {
            happen();
        }
        end_free_ = !more || random_.percent(70);
        drive(more ? random_.percent(50) : true);
        dut_.settle();
        const bool picked = check_pick();
        check_steps();
        dut_.edge();
        leave(picked);
        if (picked) {
            check_kept();
        }
    }
    bool empty() const
    {
        for (u32 kind = 0; kind < kKinds; ++kind) {
            if (waiting_.any(kind)) {
                return false;
            }
        }
        return !busy_;
    }

private:
    enum Step { kRead, kChoose, kAge, kCompare, kDecide, kCommit, kNone };

    void happen()
    {
        const auto come = [this](std::deque<u32>& list, std::size_t most, u32 percent) {
            if (list.size() < most && random_.percent(percent)) {
                list.push_back(random_.below(kLuns));
            }
        };
        // Times in which events meet, and others in which each comes alone.
        if (random_.percent(2)) {
            percent_ = random_.percent(50) ? 1 : random_.percent(50) ? 4 : 25;
        }
        const u32 percent = percent_;
        come(waiting_.done, 1, percent);
        come(waiting_.tick, 1, percent);
        come(waiting_.open, 1, percent);
        come(waiting_.request, kLuns, percent);
        come(waiting_.enter, 1, percent);
        for (u32 lun = 0; lun < kLuns; ++lun) {
            const u32 bit = 1u << lun;
            if ((waiting_.wait & bit) == 0 && random_.percent(percent)) {
                waiting_.wait |= bit;
                waiting_.high &= ~bit;
                waiting_.given_up &= ~bit;
            }
            waiting_.high |= random_.percent(percent) ? bit : 0;
            waiting_.given_up |= random_.percent(2) ? bit : 0;
            waiting_.retry |= random_.percent(percent) ? bit : 0;
        }
    }
    void drive(bool single)
    {
        const auto front = [](const std::deque<u32>& list) { return static_cast<u8>(list.empty() ? 0 : list.front()); };
        dut_->end_free_i = end_free_;
        dut_->done_i = !waiting_.done.empty();
        dut_->done_lun_i = front(waiting_.done);
        dut_->rb_i = static_cast<u8>(waiting_.wait & waiting_.high);
        dut_->timeout_i = static_cast<u8>(waiting_.wait & waiting_.given_up);
        dut_->retry_i = static_cast<u8>(waiting_.retry);
        dut_->tick_i = !waiting_.tick.empty();
        dut_->tick_lun_i = front(waiting_.tick);
        dut_->open_i = !waiting_.open.empty();
        dut_->open_lun_i = front(waiting_.open);
        dut_->request_i = !waiting_.request.empty();
        dut_->request_lun_i = front(waiting_.request);
        dut_->in_i = !waiting_.enter.empty();
        dut_->in_lun_i = front(waiting_.enter);
        dut_->wait_i = static_cast<u8>(waiting_.wait);
        dut_->single_i = single;
    }
    /// The first kind that waits and may go.
    u32 next() const
    {
        for (u32 kind = 0; kind < kKinds; ++kind) {
            if (waiting_.any(kind) && (end_free_ || !kMayEnd[kind])) {
                return kind;
            }
        }
        return kKinds;
    }
    /// Whether an event begins at the next edge; what is taken is what has its event.
    bool check_pick()
    {
        const u32 kind = next();
        const bool picked = dut_->picked_o != 0;
        EXPECT_EQ(dut_->rb_any_o != 0, waiting_.any(kReady));
        EXPECT_EQ(dut_->take_done_o != 0, picked && kind == kDone);
        EXPECT_EQ(dut_->take_open_o != 0, picked && kind == kOpen);
        EXPECT_EQ(dut_->take_request_o != 0, picked && kind == kRequest);
        quiet_ = picked || busy_ || kind == kKinds ? 0 : quiet_ + 1;
        EXPECT_LT(quiet_, kBound) << kNames[kind] << " may go, and does not";
        if (!picked) {
            return false;
        }
        EXPECT_NE(kind, kKinds) << "an event of nothing";
        EXPECT_TRUE(!busy_ || dut_->commit_o) << "two events at a time";
        if (kind == kKinds) {
            return false;
        }
        next_kind_ = kind;
        next_lun_ = waiting_.lun(kind);
        for (u32 other = 0; other < kKinds; ++other) {
            if (other != kind && waiting_.any(other)) {
                goals_.see(std::string(kNames[kind]) + " before " + kNames[other]);
            }
        }
        return true;
    }
    /// Kind and LUN stand for the whole event.
    void check_kept()
    {
        const bool kinds[kKinds] = {dut_->done_o != 0, dut_->rb_o != 0,   dut_->timeout_o != 0, dut_->retry_o != 0,
                                    dut_->tick_o != 0, dut_->open_o != 0, dut_->request_o != 0, dut_->in_o != 0};
        for (u32 kind = 0; kind < kKinds; ++kind) {
            EXPECT_EQ(kinds[kind], kind == kind_) << kNames[kind] << ", the event is of " << kNames[kind_];
        }
        EXPECT_EQ(dut_->lun_o, lun_);
    }
    void check_steps()
    {
        const bool steps[kNone] = {dut_->read_o != 0,    dut_->choose_o != 0, dut_->age_o != 0,
                                   dut_->compare_o != 0, dut_->decide_o != 0, dut_->commit_o != 0};
        u32 step = kNone, count = 0;
        for (u32 s = 0; s < kNone; ++s) {
            step = steps[s] ? s : step;
            count += steps[s];
        }
        EXPECT_EQ(dut_->ev_o != 0, busy_);
        stale_ = false;
        commit_ = false;
        if (!busy_) {
            EXPECT_EQ(count, 0u) << "a step of no event";
            EXPECT_EQ(dut_->stale_o, 0);
            return;
        }
        check_kept();
        EXPECT_EQ(count, 1u) << "a step of each event in each cycle";
        EXPECT_LT(++cycles_, kBound);
        // Which steps may follow.
        const bool looks = kind_ == kRequest;
        const bool of_line = kind_ == kReady || kind_ == kGivenUp;
        bool follows = false;
        switch (step) {
        case kRead: follows = step_ == kNone; break;
        case kChoose: follows = looks && step_ == kRead; break;
        case kAge: follows = step_ == kChoose && !single_; break;
        case kCompare: follows = step_ == kAge; break;
        case kDecide: follows = looks ? step_ == kCompare || (step_ == kChoose && single_) : step_ == kRead; break;
        case kCommit: follows = step_ == kDecide; break;
        default: break;
        }
        EXPECT_TRUE(follows) << "step " << step << " after " << step_ << " of " << kNames[kind_];
        stale_ = step == kRead && of_line && ((waiting_.wait >> lun_) & 1) == 0;
        EXPECT_EQ(dut_->stale_o != 0, stale_);
        goals_.see("stale", stale_);
        goals_.see("request of one", step == kChoose && dut_->single_i);
        goals_.see("request of several", step == kCompare);
        single_ = dut_->single_i != 0;
        step_ = step;
        commit_ = step == kCommit;
        goals_.see(std::string("commits: ") + kNames[kind_], commit_);
    }
    /// What the edge takes away.
    void leave(bool picked)
    {
        if (commit_) {
            switch (kind_) {
            case kReady:
            case kGivenUp: waiting_.wait &= ~(1u << lun_); break;
            case kRetry: waiting_.retry &= ~(1u << lun_); break;
            case kTick: waiting_.tick.pop_front(); break;
            case kEnter: waiting_.enter.pop_front(); break;
            default: break;
            }
        }
        if (commit_ || stale_) {
            busy_ = false;
        }
        // A LUN's suspend gets the bus: between events, so also in the cycle in which one is picked.
        if (!busy_ && random_.percent(10)) {
            waiting_.wait &= ~(1u << random_.below(kLuns));
        }
        if (!picked) {
            return;
        }
        switch (next_kind_) {
        case kDone: waiting_.done.pop_front(); break;
        case kOpen: waiting_.open.pop_front(); break;
        case kRequest: waiting_.request.pop_front(); break;
        default: break;
        }
        kind_ = next_kind_;
        lun_ = next_lun_;
        busy_ = true;
        step_ = kNone;
        cycles_ = 0;
    }

    Random random_;
    Goals& goals_;
    ClockedDut<VUnitEvent> dut_;
    Waiting waiting_;
    bool end_free_ = true;
    bool busy_ = false; ///< an event is outstanding: its kind, its LUN, its last step
    u32 kind_ = kKinds, lun_ = 0, step_ = kNone, cycles_ = 0;
    u32 next_kind_ = kKinds, next_lun_ = 0;
    bool single_ = false, stale_ = false, commit_ = false;
    u32 percent_ = 1; ///< of each kind in a cycle
    u32 quiet_ = 0;   ///< cycles without an event while something may go
};

TEST(UnitEvent, TakesOneEventAtATimeInTheOrderOfTheKinds)
{
    std::vector<std::string> names = {"stale", "request of one", "request of several"};
    for (u32 kind = 0; kind < kKinds; ++kind) {
        names.push_back(std::string("commits: ") + kNames[kind]);
        for (u32 other = 0; other < kKinds; ++other) {
            // One that may end an operation waits for its place, and others go before it.
            if (other > kind || (other < kind && kMayEnd[other] && !kMayEnd[kind])) {
                names.push_back(std::string(kNames[kind]) + " before " + kNames[other]);
            }
        }
    }
    Goals goals(names);
    for (u64 seed = 0; seed < 20; ++seed) {
        EventBench bench(seed, goals);
        for (u32 n = 0; n < 4000 && !testing::Test::HasFailure(); ++n) {
            bench.cycle(true);
        }
        for (u32 n = 0; n < 200; ++n) {
            bench.cycle(false);
        }
        EXPECT_TRUE(bench.empty()) << "something has no event, seed " << seed;
    }
    goals.expect_met(10);
}

} // namespace
} // namespace tlmssd::tb
