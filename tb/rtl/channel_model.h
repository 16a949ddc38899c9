// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: plain model of one channel of the out-of-order controller, written from docs/explanation/o3.md and
// docs/explanation/rtl-o3.md: stations, dependencies, the rule inside a LUN, RESET, time outs. No clock: every
// call runs on until the channel waits for something from outside.
#pragma once

#include <deque>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/plan.h"

namespace tlmssd::tb {

constexpr u32 kChannelLuns = 4; ///< of the bench: two CE# of two LUNs
constexpr u32 kCeLuns = 2;

struct ChannelEnd {
    u32 lun; ///< RESET: the first of its CE#
    u32 tag;
    u32 status;
    u32 planes;
};

class ChannelModel {
public:
    struct Choice { ///< how an operation came to be issued
        bool by_age = false, by_priority = false, waited_for_fence = false, waited_for_data = false;
        bool overtook = false; ///< an older one of its LUN
    };

    /// `retries`: read-retry levels.
    ChannelModel(u32 stations, u32 age_limit, u32 page_bits, u32 retries)
        : stations_(stations), age_limit_(age_limit), page_bits_(page_bits), retries_(retries)
    {
    }

    void push(const flash_op& op, bool open);
    void open(u32 tag);
    void advance(u32 stamps) { now_ += stamps; }
    u32 now() const { return now_; }
    void ready(u32 lun); ///< its R/B# rises
    void sweep();
    /// ECC's verdict: the read of `lun` goes on at the next level.
    void verdict(u32 lun);
    /// The segment that `lun` wanted is over; `status`: the byte of a status segment; bit 0 after a burst out: ECC has
    /// lost the plane.
    void segment_over(u32 lun, u32 status);
    /// The operation of `lun` is to be aborted, and the bus is its. True: its segment is left out, and it ends.
    bool abort(u32 lun);

    /// The next segment of this LUN; nullptr: it wants none. RESET: that of its CE#'s first LUN.
    const Step* wanted(u32 lun) const;
    const flash_op& operation(u32 lun) const { return luns_[lun].op; }
    bool waits(u32 lun) const { return luns_[lun].waits; }
    /// Between 32h or D1h and the next plane's command: no LUN gets the bus for a burst.
    bool between_planes(u32 lun) const
    {
        const Lun& l = luns_[lun];
        return l.waits && l.step != 0 && l.step < l.plan.size() && l.plan[l.step].phase == flash::Phase::Command &&
               l.plan[l.step - 1].phase == flash::Phase::Command;
    }
    bool has_operation(u32 lun) const { return luns_[lun].busy; }
    bool judges(u32 lun) const { return luns_[lun].judges; } ///< a verdict is due
    bool lost(u32 lun) const { return luns_[lun].lost; }
    bool is_ready(u32 lun) const { return luns_[lun].is_ready; }
    u32 in_stations(u32 lun) const { return static_cast<u32>(luns_[lun].stations.size()); }
    std::size_t in_intake() const { return intake_.size(); }
    bool reset_waits() const { return !intake_.empty() && intake_.front().op.opcode == FLASH_OP_RESET; }
    /// For the CE# of this LUN.
    bool reset_waits(u32 lun) const
    {
        return reset_waits() && lun_of(intake_.front().op) == lun / kCeLuns * kCeLuns;
    }
    bool empty() const;
    /// Closed by a fence, in a station or the intake.
    std::vector<u32> closed() const;

    std::deque<ChannelEnd> ends;  ///< that the channel has to tell of, not landings
    std::vector<u32> let_go;      ///< tags of reads whose last burst is over
    std::vector<Choice> choices;  ///< since it was cleared

private:
    struct Item {
        flash_op op{};
        bool open = true;
        bool was_closed = false;
        u32 since = 0; ///< stamp at which it came
        std::vector<u32> after; ///< tags in stations that it waits for
        bool had_after = false;
    };
    struct Lun {
        std::vector<Item> stations; ///< oldest first
        bool busy = false;
        flash_op op{};
        std::vector<Step> plan;
        std::size_t step = 0;
        bool bus = false; ///< wants it
        bool waits = false, marked = false, lost = false;
        bool is_ready = true;
        bool judges = false;
        u32 lost_planes = 0;  ///< of its read, at this level
        bool raised = false;  ///< its read-retry level is not 0
    };

    static u32 lun_of(const flash_op& op)
    {
        return op.ce * kCeLuns + (op.opcode == FLASH_OP_RESET ? 0u : op.lun);
    }
    void run();
    bool take_in();
    bool issue(u32 lun);
    void begin(u32 lun, const flash_op& op);
    void end(u32 lun, u32 status, bool tell);
    void end_reset(u32 lun, u32 status);
    void wait(u32 lun);
    void risen(u32 lun);

    u32 stations_;
    u32 age_limit_;
    u32 page_bits_;
    u32 retries_;
    u32 now_ = 0;
    std::deque<Item> intake_;
    Lun luns_[kChannelLuns];
    int reset_at_[kChannelLuns / kCeLuns] = {-1, -1}; ///< by CE#: LUN that its RESET waits for
};

} // namespace tlmssd::tb
