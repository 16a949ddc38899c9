// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the protocol checker's state machine of one LUN: busy times and array operations.
#pragma once

#include <array>

#include "models/onfi/checker/observed_segment.h"
#include "models/onfi/checker/page_order.h"
#include "models/onfi/checker/page_registers.h"
#include "models/onfi/checker/part_limits.h"

namespace tlmssd::onfi {

/// Where a LUN is.
struct LunPlace {
    u32 channel = 0;
    u32 ce = 0;
    u32 lun = 0; ///< of the CE#
    u32 die = 0; ///< over the device
};

/// Judges commands whose address is complete, bursts of page data and the edges of R/B#. Rows come
/// range-checked.
class alignas(64) LunSequence {
public:
    /// Why R/B# is low.
    enum class Busy : u8 {
        No,
        Queue,        ///< tDBSY of 11h, 32h, D1h
        Read,         ///< 30h, 35h
        Program,      ///< 10h
        Erase,        ///< D0h
        CacheRead,    ///< 31h
        CacheEnd,     ///< 3Fh
        CacheProgram, ///< 15h
        Register,     ///< ECh, EDh: the page registers are lost
        Feature,      ///< tFEAT
        Suspend,      ///< 84h or 61h has been taken
        Other         ///< a reset, or what follows a broken rule: no least time
    };
    /// State of the array that a command may find while R/B# is high: RDY is 1 and ARDY 0.
    enum class Array : u8 { Idle, Reading, Programming };

    /// All references outlive the LUN; `sink` takes what the edges of R/B# break.
    LunSequence(const PartLimits& limits, PageOrder& pages, ViolationSink& sink,
                const LunPlace& place)
        : limits_(limits), pages_(pages), sink_(sink), place_(place)
    {
    }

    /// RDY is 1 at `from`, and the array idle or busy with what the command goes `through`. Where not, refuse()
    /// follows.
    bool usable(const ObservedSegment& seen, u64 from, Array through)
    {
        if (unknown_) {
            return true;
        }
        // A falling edge at the end of this very segment is the answer to it.
        if ((low_ && low_at_ < seen.end) || busy_ != Busy::No || from < ready_at_) {
            return false;
        }
        if (array_ != through) {
            if (array_ != Array::Idle && from < array_until_) {
                return false;
            }
            array_ = Array::Idle;
        }
        return true;
    }
    /// Reports the cycle `second` to a LUN that is not usable.
    void refuse(ObservedSegment& seen, Cycle second) const;
    /// Usable from the first cycle of the open sequence on; reported where not.
    bool usable(ObservedSegment& seen, Array through)
    {
        if (usable(seen, seen.sequence.from, through)) {
            return true;
        }
        refuse(seen, seen.sequence.opened);
        return false;
    }
    /// The LUN must have pulled R/B# low at the end of the command's segment.
    bool start(ObservedSegment& seen, Busy kind, u64 may_rise_at);
    /// R/B# has fallen at the end of the segment, and no command explains it yet.
    bool answers(const ObservedSegment& seen) const
    {
        return low_ && low_at_ == seen.end && busy_ == Busy::No;
    }
    /// It may still do so: R/B# falls late (nand.ready_falls).
    bool may_answer() const { return falls_late() && busy_ == Busy::No; }
    /// Ends the wait for a fall that was due before `now`.
    void settle(u64 now)
    {
        if (fall_by_ < now) {
            miss_fall();
        }
    }
    /// A status read on the grounds of a line that has not fallen yet.
    void judge_status_start(ObservedSegment& seen);
    /// Nobody knows what a die does that does not answer: it is not judged until it answers again.
    void silence();
    bool unknown() const { return unknown_; }
    /// After a broken rule the die may be busy with whatever it made of the cycles.
    void adopt(const ObservedSegment& seen);

    // lun_operations.cpp: commands of the array
    /// 00h C2R3, closed by 30h, 31h, 32h or 35h.
    void read(ObservedSegment& seen, const RowAddress& row, u8 byte);
    void cache_read(ObservedSegment& seen, u8 byte); ///< 31h or 3Fh alone
    /// 80h or 85h with its address, closed by 10h, 11h or 15h.
    void program(ObservedSegment& seen, const RowAddress& row, u8 byte);
    /// 60h R3, closed by D0h, or D1h where `queue`.
    void erase(ObservedSegment& seen, const RowAddress& row, bool queue);
    /// A suspended operation bars reads of its pages, programs of its blocks and every erase; a
    /// suspended program bars every program.
    bool barred(ObservedSegment& seen, Busy kind, const RowAddress& row);

    /// 80h clears the page registers, or inside a multi-plane program that of its plane. Answers
    /// whether it was all of them.
    bool begin_program(const ObservedSegment& seen, u32 plane);
    /// 80h to another LUN without program clear: the registers are lost, what is on its way to
    /// them included.
    void lose_registers(const Cycle& by);
    void lose_page_registers() { registers_.drop_all(); } ///< ECh, EDh
    bool copy_allowed(u32 plane) const { return registers_.holds_copy(plane) || unknown_; }
    const PageRegisters& registers() const { return registers_; }
    void set_column(u32 column) { registers_.set_column(column); }
    void select(u32 plane) { registers_.select(plane); }
    const Cycle& by() const { return by_; } ///< the command that the LUN took last
    Array array() const { return array_; }

    /// False past the end of the physical page.
    bool burst_in(u32 bytes)
    {
        registers_.move_column(bytes);
        return registers_.column() <= limits_.physical_bytes;
    }
    void burst_out(ObservedSegment& seen);
    /// The status byte shows dead dies, and whether a suspend came before the operation's end.
    void on_status(u8 status);
    bool judges_status() const { return limits_.tolerate || suspended_ != Busy::No; }

    void suspend(ObservedSegment& seen, Busy kind); ///< 84h, 61h
    void resume(ObservedSegment& seen, Busy kind);  ///< 13h, D2h
    /// FFh, FCh, FAh. No least time: tRST is an upper bound in the data sheets.
    void reset(ObservedSegment& seen);

    void on_fall(u64 now);
    /// Answers why R/B# was low, or Busy::No where that is not known.
    Busy on_rise(u64 now);

private:
    using Blocks = std::array<u32, PartLimits::kMaxPlanes>; ///< by plane
    struct Suspended { ///< a program or erase that waits for its resume
        Blocks block{};
        u64 due = 0;       ///< may_rise_at_ had it not been suspended
        u64 remaining = 0; ///< least time that is left
        Cycle by;          ///< the suspend command
        u32 page = 0;
        u32 planes = 0;
        u32 bad = 0;
        bool perhaps_done = false; ///< it may have ended before the suspend took hold
    };

    static constexpr u64 kNoFall = ~u64{0};
    bool falls_at_end(const ObservedSegment& seen) const { return low_ && low_at_ == seen.end; }
    bool falls_late() const { return limits_.falls_late && !low_; }
    void await_fall(const ObservedSegment& seen, Busy kind, u64 may_rise_at);
    void miss_fall();
    bool gather(ObservedSegment& seen, Busy kind, const RowAddress& row);
    void start_cache_read(ObservedSegment& seen, u32 next, u32 page);
    void start_queue(ObservedSegment& seen);
    void mark_programmed();
    bool touches(u32 plane, u32 block, u32 page) const;
    bool finish(Busy was, u64 now);
    void finish_erase(const Blocks& block, u32 planes);
    void report_edge(Rule rule, bool ready, u64 now);

    // Members that every segment needs come first, on one cache line.
    u64 ready_at_ = 0;    ///< last rising edge
    u64 low_at_ = 0;      ///< last falling edge
    u64 may_rise_at_ = 0; ///< earliest legal rising edge
    u64 fall_by_ = kNoFall; ///< R/B# has to fall, and has not yet
    Busy busy_ = Busy::No;
    Busy gathered_ = Busy::No;  ///< kind of the operation whose planes are in planes_
    Busy suspended_ = Busy::No; ///< Program, Erase or No
    Busy ended_ = Busy::No;     ///< what R/B# was low for last
    Array array_ = Array::Idle;
    bool low_ = false;
    bool unknown_ = false; ///< a silent LUN: not judged
    bool relearn_ = false; ///< has been silent: page order is taken as it comes
    PageRegisters registers_;
    u32 planes_ = 0;       ///< gathered for one (multi-plane) operation
    u32 bad_ = 0;          ///< planes of planes_ that broke a rule
    u32 page_ = 0;         ///< page offset of planes_
    u64 array_until_ = 0;  ///< array_: not idle before
    Cycle by_;             ///< the command that the LUN took last
    Cycle queued_;         ///< last 11h, 32h, D1h
    const PartLimits& limits_;
    PageOrder& pages_;
    ViolationSink& sink_;
    LunPlace place_;
    Blocks block_{};
    Suspended waiting_; ///< valid where suspended_ is not No
    bool may_stay_ = false; ///< fall_by_: or R/B# stays high, as nothing was left to resume
    u64 adopt_by_ = 0;      ///< a fall until then answers `broken_`, which broke a rule
    Cycle broken_;
};

} // namespace tlmssd::onfi
