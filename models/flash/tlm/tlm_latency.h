// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the time that the RTL controller o3 takes to decide, put around the TLM controller.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/config/controller.h"
#include "models/config/nand.h"
#include "models/interfaces/controller_if.h"
#include "models/time/event_queue.h"

namespace tlmssd::flash {

class TlmController;

/// `replay-ops --rtl-latencies`, and the TLM controller of `run --sample`. Between TlmController and everything around
/// it: what comes in is seen at the next clock edge and shows some edges later (docs/explanation/rtl-o3-times.md,
/// "Latencies"), one event of a channel after the other. Decisions stay the TLM controller's; without this they take no
/// time.
class TlmLatency final : public ControllerIf,
                         public CompletionSinkIf,
                         public SegmentPortIf,
                         public SegmentClientIf,
                         private OperationObserverIf {
public:
    // In clock edges; the one that sees the input counts as 0.
    static constexpr u32 kSubmit = 10;       ///< operation taken to first segment, its LUN free
    static constexpr u32 kStation = 5;       ///< more where it goes through a station: a look
    static constexpr u32 kCheck = 1;         ///< more in order
    static constexpr u32 kHead = 3;          ///< of an operation in the front; kCheck more in order
    static constexpr u32 kCompare = 8;       ///< more for each operation in its stations that it is compared with
    static constexpr u32 kEvent = 7;         ///< segment done or R/B# to next segment
    static constexpr u32 kSteps = 4;         ///< of an event: the channel's next one comes after them
    static constexpr u32 kIssue = 1;         ///< a look comes after the event of its LUN, and takes a step more ...
    static constexpr u32 kSeveral = 2;       ///< ... and those where there are several to choose from
    static constexpr u32 kIssueInOrder = 7;  ///< beyond kEvent: segment done to the first of the head that it lets go
    static constexpr u32 kHold = 1;          ///< in order no burst starts so soon after an operation's last segment ...
    static constexpr u32 kHoldHead = 4;      ///< ... and for each head that this lets go
    static constexpr u32 kEnd = 1;           ///< more after a status byte: its end is reported first
    static constexpr u32 kEndInOrder = 2;
    static constexpr u32 kLanding = 3;       ///< landing to completion
    static constexpr u32 kAfterLanding = 12; ///< landing to first segment: what waited for it; kCheck more in order
    // From where the RTL reads the clock for ages to where TlmController sees it.
    static constexpr u32 kAgeSubmit = 7;  ///< of an operation that comes
    static constexpr u32 kAgeLook = 5;    ///< where a LUN that has been let go is looked at

    static constexpr u32 kSynchroniser = 1; ///< R/B#, where lines come from no clock: a flop more

    /// Binds itself to `port`. `falls`: of the dies' R/B#.
    TlmLatency(time::EventQueue& event_queue, const config::Controller& config, const Geometry& geometry,
               SegmentPortIf& port, config::ReadyFalls falls = config::ReadyFalls::AtOnce);
    ~TlmLatency() override;
    /// The controller inside; its segment port is this.
    void wrap(TlmController& inner);

    // Above.
    void bind(CompletionSinkIf& sink) override { sink_ = &sink; }
    u32 tags() const override;
    bool submit(const flash_op& op) override;
    void on_flash_completion(const flash_completion& completion) override;
    void on_flash_space() override { sink_->on_flash_space(); }

    // Below.
    void bind(SegmentClientIf& client) override { client_ = &client; }
    void start(u32 channel, const SegmentRequest& request) override;
    void wants(u32 channel, u32 ce, u32 lun) override { port_.wants(channel, ce, lun); }
    Picoseconds landing(u32 tag, Picoseconds at) override { return port_.landing(tag, at); }
    bool goes_on(const flash_op& op) override;
    void on_segment_done(u32 channel, const SegmentResult& result) override;
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override;

private:
    static constexpr u32 kLook = 0xffffffff;
    static constexpr u32 kVerdict = 0x10000; ///< and the LUN
    struct Event {
        Picoseconds edge; ///< that sees it; a look: after which it may be picked
        u32 more = 0;     ///< edges beyond kEvent until it shows
        u32 steps = kSteps;
        u32 rank = 0;     ///< within an edge: 0: segment done, 1 + LUN: R/B#, kVerdict + LUN: ECC's on its read,
                          ///< kLook: segment done and a look
        u32 tag = 0;      ///< of the verdict
        u8 ce = 0, lun = 0;
        SegmentResult result;
    };
    struct Channel {
        /// Of an operation that enters the channel: the edge after which its event is picked.
        struct Enter {
            Picoseconds after;
            u32 tag;
        };
        Channel(time::EventQueue& event_queue, TlmLatency& o, u32 n, u32 luns)
            : owner(o), number(n),
              in(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_in, Channel>, this),
              out(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_out, Channel>, this),
              head(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_head, Channel>, this),
              stop(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_stop, Channel>, this),
              release(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_release, Channel>, this)
        {
            events.reserve(luns + 1);
        }
        void on_in() { owner.deliver(*this); }
        void on_out() { owner.port_.start(number, request); }
        void on_head() { compared ? owner.let_in(*this) : owner.compare_head(*this); }
        /// The head that may have been let go has its bus, or there is none: bursts go on.
        void on_release();
        /// A burst that may go at this edge goes before an operation that is issued at it.
        void release_first(Picoseconds now)
        {
            if (release.armed() && release.at() == now) {
                release.cancel();
                on_release();
            }
        }
        void on_stop() { hold(held_until); }
        /// No burst starts from now until this time.
        void hold(Picoseconds until);
        /// The same from `from` on.
        void hold_soon(Picoseconds from, Picoseconds until)
        {
            held_until = max(held_until, until);
            if (!stop.armed()) {
                stop.arm(from);
            }
        }
        Event& add(Picoseconds edge, u32 rank);
        void arm();
        void enter(Picoseconds shows, u32 tag);
        void delay(Enter& enter, Picoseconds until);

        TlmLatency& owner;
        u32 number;
        time::Timer in;
        time::Timer out;
        std::vector<Event> events; ///< in the order in which the RTL takes them; at most one a LUN
        Phase phase = Phase::Command; ///< of the segment that the bus carries
        bool lets_go = false;         ///< that is its operation's last
        u32 die = 0;                  ///< that it is for
        Picoseconds free; ///< edge that the next event may be picked after
        std::deque<Enter> enters;
        SegmentRequest request; ///< on its way to the port
        time::Timer head;       ///< of the intake: when it is compared, or has been
        Fifo<u32> intake;       ///< tags that have no station yet; ooo only
        bool compared = false;
        Picoseconds next_head; ///< the edge of the next comparison, not before
        // Of the bursts; in order only.
        time::Timer stop;
        time::Timer release;
        Picoseconds held_until; ///< after `stop`
    };
    struct Issue {
        u64 doing = 0; ///< by which an operation was issued last
        Picoseconds shows; ///< its first segment, if its bus is free
    };
    struct Submitted {
        Picoseconds at;
        flash_op op;
    };
    struct Waiting { ///< for its LUN
        u32 channel = 0;
        u32 die = 0;
        u8 opcode = 0;
        bool in_station = false;
    };
    struct Stations { ///< operations in the stations of a LUN
        u32 reads = 0;
        u32 others = 0;
    };
    struct Completed {
        Picoseconds at;
        flash_completion completion;
    };
    enum class Doing : u8 { Nothing, Submit, Ready, Done, DoneStatus, Look };

    void on_issue(u32 tag, const flash_op& op, Picoseconds) override;
    void on_phase(u32, u32, Phase, Picoseconds, Picoseconds) override {}
    void on_complete(u32 tag, const flash_completion&, Picoseconds) override { left_station(tag); }
    void begin(Doing what);
    Picoseconds edge_of(Picoseconds t) const;
    Picoseconds edges(u32 n) const { return n * period_; }
    u32 issue_edges() const;
    void deliver(Channel& channel);
    void on_submit();
    void left_station(u32 tag);
    void compare_head(Channel& channel);
    void let_in(Channel& channel);
    void on_completed();

    time::EventQueue& event_queue_;
    SegmentPortIf& port_;
    TlmController* inner_ = nullptr;
    CompletionSinkIf* sink_ = nullptr;
    SegmentClientIf* client_ = nullptr;
    Picoseconds period_;
    double edges_per_ps_;
    bool in_order_;
    u32 check_; ///< edges
    u32 synchroniser_; ///< edges
    u32 luns_per_ce_;
    u32 stations_;
    DieNumbers die_number_;
    Doing doing_ = Doing::Nothing;
    u32 issued_ = 0;  ///< operations that what is being done has issued
    u64 doings_ = 0;
    std::vector<Issue> issues_; ///< by tag
    bool refused_ = false; ///< what was submitted last is ILLEGAL
    std::vector<std::unique_ptr<Channel>> channels_;
    // ooo only
    std::vector<Waiting> waiting_;   ///< by tag
    std::vector<Stations> in_stations_; ///< by die
    Fifo<Submitted> submitted_;
    Picoseconds last_submit_;
    Picoseconds last_issue_; ///< when the first segment of the last head shows, if its bus is free; in order only
    Fifo<Completed> completions_;
    Picoseconds last_completed_;
    time::Timer submit_timer_;
    time::Timer completion_timer_;
};

} // namespace tlmssd::flash
