// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a flash array of random speed around a bare RTL controller; checks every segment.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "models/common/geometry.h"
#include "models/flash/rtl/rtl_driver.h"
#include "tb/rtl/goals.h"
#include "tb/rtl/op_rules.h"
#include "tb/rtl/plan.h"

namespace tlmssd::tb {

/// (time ps, channel, tag, phase, plane); completions have channel 255 and the status as phase.
using TraceEntry = std::tuple<u64, u32, u32, u32, u32>;

struct FakeTimes {
    u64 seed = 1;
    u64 segment_ps = 40000;   ///< mean length of a segment
    u64 busy_ps = 200000;     ///< mean of R/B# low; about one in eight is shorter than a clock
    u64 suspend_ps = 60000;   ///< mean from a suspend to ready
    u64 falls_ps = 0;         ///< tWB: R/B# falls up to so long after a command, and the array begins then; 0: at once
    u64 landing_ps = 30000;   ///< mean from a burst's end to its data in DRAM
    u32 fail_one_in = 0;      ///< share of status bytes with FAIL; 0: none
    u32 lost_one_in = 0;      ///< share of bursts out that ECC cannot correct; 0: none
    bool random = true;       ///< false: exactly the means
};

class FakeFlash : private flash::RtlClientIf {
public:
    /// `rtl`: name of the controller. The rules that it has to keep are those of config.straps.mode.
    FakeFlash(const Geometry& geometry, const flash::RtlDriverConfig& config, const FakeTimes& times,
              const std::string& rtl = "round_robin");
    /// Around a model that has run before: it is reset.
    FakeFlash(const Geometry& geometry, const flash::RtlDriverConfig& config, const FakeTimes& times,
              std::unique_ptr<flash::RtlModelIf> model);
    /// Counts what happens; none by default. Names: random_mix.cpp.
    Goals* goals = nullptr;

    /// Hand in an operation at time `at` (ps); its tag must be free then.
    void submit_at(u64 at, const flash_op& op);
    /// `op` is handed in now through the registers ...
    void submit_elsewhere(const flash_op& op);
    /// ... and has been told there: checked as one of the port.
    void completed_elsewhere(const flash_completion& completion);
    /// The operation that has `tag`, or takes it, may be aborted: from the write to the register on, until it is known
    /// whether it has found one.
    void abort_operation(u32 tag, bool on);
    /// Bit c: operations that channel c has, or gets, may be aborted.
    void abort_channels(u64 channels);
    /// Called after each edge.
    std::function<void()> after_edge;
    /// ECC loses this burst out; without it by FakeTimes::lost_one_in.
    std::function<bool(u32 tag, u32 plane, u32 level)> loses;
    /// Called at each completion, at its time: may call submit_at().
    std::function<void(const flash_completion&)> on_completion;
    /// Run until nothing is left to happen or `limit_ps`. True: nothing is left.
    bool run(u64 limit_ps);

    u64 now() const { return now_; }
    u64 completed() const { return completed_; }
    u32 refused() const { return refused_; }
    u64 held() const { return held_; } ///< completions held back
    u32 suspends() const { return suspends_; } ///< suspend commands
    u32 resumes() const { return resumes_; }
    u32 retries() const { return retries_; } ///< pages read again
    u32 polls() const { return polls_; } ///< status reads that found their LUN busy
    u64 quiet_edges() const { return quiet_edges_; } ///< run although not needed; none if gated
    const std::vector<TraceEntry>& trace() const { return trace_; }
    flash::RtlDriver& driver() { return *driver_; }
    /// Completion of the n-th submitted operation.
    const flash_completion& completion(std::size_t n) const { return ops_[n].completion; }
    std::vector<Step> steps(std::size_t n) const { return ops_[n].seen; }

private:
    struct Op {
        flash_op op{};
        std::vector<Step> plan;
        std::vector<Step> seen;
        bool legal = true;
        bool bus_over = false; ///< all its segments are over
        bool done = false;
        bool held = false; ///< said to have ended, and to wait for an older one of its stream
        bool failed = false;
        bool may_abort = false;
        bool aborted = false; ///< it has left its LUN, or can only have
        u32 suspends = 0;
        u64 works_from = 0;     ///< its last resume has ended
        u32 lost_planes = 0;    ///< at its last level
        u32 retries = 0;        ///< pages read again
        bool judged = true;     ///< no verdict of ECC is due
        u32 corrected = 0; ///< bits
        u64 landed_at = 0;
        u64 over_at = 0; ///< end of its last segment, or R/B# high after a RESET
        flash_completion completion{};
    };
    /// What a die's array does beside its ready line.
    struct Array {
        u32 level = 0;       ///< of read retry
        u64 ready_at = 0;    ///< of the event that is not stale
        u64 ends_at = 0;     ///< of the operation under way
        u64 falls_at = 0;    ///< R/B#, the last time
        u64 left = 0;        ///< of the one that is suspended
        u64 poll_from = 0;   ///< no poll before
        bool found = true;    ///< a poll has found it ready
        int stopped = -1;    ///< operation that is suspended, or will be when it is ready; -1: none
    };
    enum class Kind : u8 { Submit, SegmentEnd, Fall, Ready };
    struct Event {
        u64 at;
        u64 sequence;
        Kind kind;
        u32 a;
        u32 b;
        friend bool operator<(const Event& x, const Event& y) // earliest on top
        {
            return x.at != y.at ? x.at > y.at : x.sequence > y.sequence;
        }
    };

    /// segments, op_ready, done_valid, land_ready, idle
    using Outputs = std::tuple<u64, bool, bool, bool, bool>;
    Outputs outputs() const;
    void check_segments() const;
    void on_rtl_segment(u32 channel, const flash::SegmentRequest& request) override;
    void on_rtl_completion(const flash_completion& completion) override;
    void on_rtl_held(const flash_completion& completion) override;
    void on_rtl_retry(u32 channel, const flash::SegmentRequest& request) override;
    void on_rtl_space() override;
    void push(u64 at, Kind kind, u32 a, u32 b) { events_.push({at, sequence_++, kind, a, b}); }
    void handle(const Event& event);
    void submit(u32 index);
    void book(const flash_op& op);
    void segment_end(u32 channel);
    void see(const char* name, bool happened) const
    {
        if (goals != nullptr && happened) {
            goals->see(name);
        }
    }
    void see_submitted(u32 index) const;
    void see_started(u32 index) const;
    void check_start(u32 index);
    bool goes_on(u32 index, const flash::SegmentRequest& request);
    void check_suspend(u32 index) const;
    void check_fields(const flash::SegmentRequest& request, const flash_op& op, const Step& step) const;
    void burst_end(u32 index, const Step& step, flash::SegmentResult& result);
    void suspend_end(u32 index);
    void resume_end(u32 index);
    bool poll_end(u32 index, const flash::SegmentRequest& request, flash::SegmentResult& result);
    u8 status_byte(u8 bits) const;
    void poll_after(u32 die, u32 ticks);
    u32 ticks_of(const flash_op& op, const Step& step) const;
    void tell_ready(u32 die, bool ready);
    void fall(u32 die);
    void ready_at(u32 die, u64 at, u32 index);
    bool suspendable(const flash_op& op) const;
    void check_in_order(u32 index);
    void check_dependencies(u32 index);
    bool can_be_aborted(u32 index) const;
    void abort(u32 index);
    bool polling() const { return config_.straps.polling.on; }
    bool ooo() const { return config_.straps.mode == config::ControllerMode::Ooo; }
    u64 duration(u64 mean, u64 purpose, u64 op, u64 step) const;

    Geometry geometry_;
    OpRules rules_;
    FakeTimes times_;
    flash::RtlDriverConfig config_;
    std::unique_ptr<flash::RtlDriver> driver_;
    std::priority_queue<Event> events_;
    std::vector<Op> ops_;               ///< in submission order
    std::vector<flash_op> planned_;     ///< by submit event
    std::vector<u32> waiting_;          ///< refused, to be submitted at on_rtl_space()
    std::vector<int> op_of_tag_;
    std::vector<bool> abort_tags_;
    u64 abort_channels_ = 0;
    std::vector<int> bus_op_;           ///< by channel: operation whose segment runs; -1: free
    std::vector<bool> ready_;           ///< by die
    std::vector<Array> arrays_;         ///< by die
    std::vector<flash::SegmentRequest> on_bus_; ///< by channel: the segment that runs
    std::vector<int> holder_;           ///< by die: operation on it; -1: none
    std::vector<TraceEntry> trace_;
    u64 now_ = 0;
    u64 sequence_ = 0;
    u64 completed_ = 0;
    u32 oldest_ = 0; ///< all operations before it are done
    u32 refused_ = 0;
    u64 quiet_edges_ = 0;
    u32 suspends_ = 0;
    u64 held_ = 0;
    u32 resumes_ = 0;
    u32 polls_ = 0;
    u32 retries_ = 0;
};

} // namespace tlmssd::tb
