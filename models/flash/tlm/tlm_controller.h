// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the flash controller in C++: O3Core chooses operations, this one carries them out.
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/config/controller.h"
#include "models/config/nand.h"
#include "models/config/onfi.h"
#include "models/flash/o3/o3_core.h"
#include "models/flash/tlm/clump.h"
#include "models/interfaces/controller_if.h"
#include "models/time/event_queue.h"

namespace tlmssd::flash {

/// `controller.kind: tlm`. O3Core issues operations and orders completions, by controller.mode.
/// Issued operations overlap; each channel serves the segments
/// that its LUNs ask for, commands and status before page bursts, each first come first served (bursts by
/// controller.issue_policy); 32 commands pass a burst at most. All that can be issued is, before a bus is
/// given away.
/// Uncorrectable pages are read again, LUNs without a ready line are polled, LUNs that do not
/// answer are given up (docs/explanation/flash.md).
class TlmController final : public sc_core::sc_module,
                            public ControllerIf,
                            public SegmentClientIf {
public:
    /// Binds itself to `port`. `geometry` must outlive it. Bus and part give the times for polling.
    TlmController(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Controller& config,
                  const Geometry& geometry, const config::Onfi& bus, const config::Nand& part,
                  SegmentPortIf& port);

    void bind(CompletionSinkIf& sink) override { sink_ = &sink; }
    /// Gets on_issue() and on_complete(); none by default.
    void bind_observer(OperationObserverIf& observer) { observers_.push_back(&observer); }
    u32 tags() const override { return static_cast<u32>(operations_.size()); }
    bool submit(const flash_op& op) override;
    /// O3Core takes ages as of `lag` before now, until this is called again; zero by default.
    void set_age_lag(Picoseconds lag) { age_lag_ = lag; }
    /// O3Core::pace_intake(), O3Core::let_in().
    void pace_intake() { core_.pace_intake(); }
    /// The operation of the intake may have its LUN without a station: that is free, no station of it is in use.
    bool needs_no_station(u32 tag, u32 die) const
    {
        return dies_[die].tag == kNoTag && !core_.has_waiting(die) && !core_.suspendable(tag);
    }
    void let_in(u32 channel)
    {
        core_.let_in(channel);
        issue();
    }
    /// The read of `tag` goes on at the next read-retry level: SegmentPortIf::goes_on() has not let it.
    void go_on(u32 tag);
    /// The burst out on this bus is the last one of its read; `lost`: ECC cannot correct it.
    bool ends_read(u32 channel, bool lost) const;
    /// No page burst starts on this bus, until this is called with false.
    void hold_bursts(u32 channel, bool held);
    const OrderStatistics& order_statistics() const { return core_.statistics(); }

    void on_segment_done(u32 channel, const SegmentResult& result) override;
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override;

private:
    static constexpr u32 kNoTag = 0xffffffff;
    static constexpr u32 kPasses = 32; ///< commands that pass a page burst at most

    struct alignas(64) Operation {
        Operation() = default;
        Operation(const flash_op& descriptor, u32 die) : op(descriptor), first_die(die) {}
        flash_op op{};
        u32 first_die = 0;
        Phase phase = Phase::Command; ///< of the segment asked for last; a poll does not change it
        u8 plane = 0;
        u8 failed_planes = 0;
        u8 lost_planes = 0;        ///< READ: uncorrectable when they were read last
        u8 again = 0;              ///< READ: still to be read again at this level
        u8 level = 0;              ///< read-retry level; 0: no retry
        bool polling = false;      ///< the segment asked for is a status read on a busy LUN
        bool after_status = false; ///< the LUN was found ready by one
        bool suspending = false;   ///< a suspend is asked for or on the bus
        bool suspend_wanted = false; ///< as soon as the running poll has ended
        bool rewrites = false;     ///< COPYBACK: ECC has corrected the page, which goes to the die again
        bool holds = false;        ///< the channel starts no burst until the next plane's command
        u16 retries = 0;
        u32 corrected = 0;
        CacheStep step = CacheStep::None; ///< READ: of its last command. PROGRAM: Next after 15h
        bool retry_due = false;    ///< it waits for its LUN to be read again
        bool given_up = false;     ///< and that LUN does not answer
        u32 luns_resetting = 0;    ///< RESET: LUNs that are not ready yet
        Picoseconds data_at;       ///< READ: latest landing
        Picoseconds confirmed_at;  ///< end of the segment that made the LUN busy
        Picoseconds poll_at = kTimeNever; ///< of the status read that is due; never: none
        Picoseconds works_at = kTimeNever; ///< resumed: may be suspended again; never: no matter
        Picoseconds falls_by = kTimeNever; ///< it holds the bus, and its LUN's line has not fallen yet
        Picoseconds left;          ///< suspended: from the resume to the poll that is due
    };
    struct Die {
        u32 tag = kNoTag;  ///< operation that has it; in cache operations the one whose page the bus moves next
        u32 behind = kNoTag; ///< the one after `tag`: it has the LUN, too
        u32 before = kNoTag; ///< PROGRAM whose result the next status byte brings (FAILC)
        u32 owed = kNoTag;   ///< READ whose page is lost: it is read again when the cache reads have ended
        bool mixed = false; ///< cache reads: of more than one plane
        Picoseconds masked_until; ///< a shared line says nothing of it before
        Picoseconds array_until; ///< cache operations: typical end of what the array is at
        u8 level = 0;      ///< read-retry level that it is set to
        bool busy = false; ///< a segment has made it busy and nobody has seen it ready since
        bool lost = false; ///< given up; only a RESET or a ready edge brings it back
        bool fell = false; ///< its own ready line went low with the last segment
    };
    struct ChannelState {
        Fifo<u32> commands; ///< tags whose next segment has no page burst; they go first, or the
                            ///< dies behind them would stand idle while others' data pass
        Fifo<u32> bursts;   ///< tags whose next segment has one
        u32 current = kNoTag;
        u32 passed = 0;     ///< commands that went while a burst could have
        u32 holds = 0;      ///< operations in a multi-plane command sequence
        bool held = false;  ///< hold_bursts()
        Clump clump;        ///< chooses among `bursts` with controller.issue_policy: clump
    };
    /// A read whose data have landed: completed, or, where the operation `goes_on`, read again (a copyback: programmed).
    struct Landed {
        Picoseconds at;
        flash_completion completion;
        bool goes_on = false;
    };
    struct Poll {
        Picoseconds at;
        u32 tag;
        static bool later(const Poll& a, const Poll& b)
        {
            return a.at != b.at ? b.at < a.at : b.tag < a.tag;
        }
    };
    /// Of the part, for polls.
    struct Typical {
        Picoseconds read, program, erase, plane_queue, feature, reset;
        Picoseconds suspend_program, suspend_erase;
        Picoseconds read_cache, program_cache;
        Picoseconds t_wb;
    };

    // tlm_controller.cpp: issue, bus queues, completions
    Picoseconds age_now() const { return event_queue_.now() - age_lag_; }
    /// A RESET takes all LUNs of its CE#, any other operation one.
    u32 dies_taken(const flash_op& op) const
    {
        return op.opcode == FLASH_OP_RESET ? die_number_.luns_per_ce() : 1;
    }
    void take_luns(u32 tag);
    void issue()
    {
        if (!issuing_ && (core_.may_issue() || followed_)) {
            issue_and_offer();
        }
    }
    void issue_and_offer();
    void issue_all();
    bool refuse_lost(u32 tag);
    void begin(u32 tag);
    void want(u32 tag, Phase phase, u8 plane);
    void ask(u32 tag, bool burst);
    void offer(u32 tag);
    u8 lun_of(const Operation& o) const;
    void serve(u32 channel)
    {
        ChannelState& c = channels_[channel];
        const bool burst_may = !c.bursts.empty() && c.holds == 0 && !c.held;
        if (c.current == kNoTag && (burst_may || !c.commands.empty())) {
            grant(channel, c, burst_may);
        }
    }
    void grant(u32 channel, ChannelState& c, bool burst_may);
    u32 next_burst(ChannelState& channel);
    ClumpLevel clump_level(u32 tag) const;
    void status_over(u32 tag, u8 status);
    void release_die(u32 tag);
    void finish(u32 tag, u8 status, Picoseconds at);
    flash_completion completion_of(u32 tag, u8 status) const;
    void complete(const flash_completion& completion);
    void retire(const flash_completion& completion);
    void tell(const flash_completion& completion);

    // tlm_read.cpp: bursts out, read retry, landings
    void burst_over(u32 tag, const SegmentResult& result);
    void read_over(u32 tag);
    void await_landing(u32 tag);
    void begin_retry(u32 tag);
    void read_again(u32 tag);
    void copy_checked(u32 tag);
    void land(const Landed& landed);
    void on_landed();

    // tlm_cache.cpp
    CacheStep cache_step(u32 tag);
    bool follow(u32 tag);
    bool fits(const flash_op& first, const flash_op& next) const;
    bool follows_in_block(const flash_op& first, const flash_op& next) const;
    void begin_follower(u32 tag);
    void read_ready(u32 tag);
    void hand_over(u32 die);
    void read_follower(u32 tag);
    void owe(u32 tag);
    bool program_ready(u32 tag);
    void program_follower(u32 tag);
    bool cached_status(u32 tag, u8 status);
    Picoseconds cached_time(const Operation& o) const;
    std::array<u32, 3> break_off(u32 die);
    void give_up_too(u32 tag);

    // tlm_suspend.cpp
    void suspend(u32 tag);
    void resume(u32 tag);
    void suspend_sent(u32 tag);
    bool rose_while_suspending(u32 tag);
    void begin_work(u32 tag);
    void stop_work(u32 tag);

    // tlm_ready.cpp: how a LUN becomes ready again, or does not
    /// Does the array read for it, or has it read?
    static bool reads(const Operation& o)
    {
        return o.op.opcode == FLASH_OP_READ ||
               (o.op.opcode == FLASH_OP_COPYBACK && o.phase == Phase::Command);
    }
    void confirmed(u32 tag);
    void line_rose(u32 die, bool own_line);
    bool masked(u32 die) const;
    void missed_fall(u32 tag);
    void lun_ready(u32 tag);
    void hold(u32 tag);
    void end_hold(u32 tag);
    Picoseconds typical(const Operation& o) const;
    void schedule_poll(u32 tag, Picoseconds at);
    void push_poll(u32 tag, Picoseconds at);
    void poll(u32 tag);
    void on_poll_due();
    void polled(u32 tag, u8 status);
    void watch(u32 tag);
    void on_watch();
    void give_up(u32 tag);

    time::EventQueue& event_queue_;
    const Geometry& geometry_;
    DieNumbers die_number_;
    u32 ces_per_channel_;
    SegmentPortIf& port_;
    CompletionSinkIf* sink_ = nullptr;
    std::vector<OperationObserverIf*> observers_;
    O3Core core_;
    bool clump_;  ///< controller.issue_policy
    config::CacheOps cache_ops_;
    bool caches_; ///< some
    bool polled_; ///< LUNs have no ready line of their own
    u8 retry_levels_;
    Picoseconds timeout_; ///< zero: never
    Picoseconds poll_interval_;
    Picoseconds progress_; ///< from a resume to the next suspend
    Typical typical_;
    std::vector<Operation> operations_; ///< by tag
    Picoseconds age_lag_;
    bool issuing_ = false;
    bool followed_ = false; ///< O3Core has given an operation to a LUN that another has: more may go now
    std::vector<u32> asked_; ///< tags that issue() has begun and that have not been offered the bus yet
    std::vector<flash_completion> held_; ///< by tag; ended and not retired. Empty in order
    std::vector<Die> dies_;
    std::vector<ChannelState> channels_;
    Fifo<Landed> landed_;     ///< in order of time
    std::vector<Poll> polls_; ///< heap, earliest first; stale where Operation::poll_at,
                              ///< works_at and falls_by differ
    time::Timer landed_timer_;
    time::Timer poll_timer_;  ///< of polls_
    time::Timer watch_timer_; ///< never armed without a timeout
};

} // namespace tlmssd::flash
