// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core: which operation is issued next and when completions are reported. No time of its own.
#pragma once

#include <array>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/common/fifo.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/config.h"

namespace tlmssd::flash {

/// The difference between the order of issue and the order of submission. Zero in order.
struct OrderStatistics {
    u64 reordered = 0;     ///< operations issued while an older one was not
    u64 held = 0;          ///< completions held back for an older one of their stream
    Picoseconds held_time; ///< over all of `held`

    /// The counts since `before`.
    OrderStatistics since(const OrderStatistics& before) const
    {
        return {reordered - before.reordered, held - before.held, held_time - before.held_time};
    }
};

/// The decisions of a flash controller, as tables that hardware can take (docs/explanation/o3.md). Serial and
/// in order: one queue, its head is issued or holds up all behind it. Out of order: each channel has
/// an intake and each LUN some stations; data dependencies, fences, priorities, age choose
/// among a LUN's stations; completions are reported in the order of each stream.
/// A LUN has one operation at a time, so only operations of one LUN depend on each other.
class O3Core {
public:
    static constexpr u32 kMaxStations = 16;
    static constexpr u32 kPriorities = 4;
    static constexpr u32 kStampBits = 20; ///< of the controllers' clock for ages; o3_pkg::STAMP_LSB

    struct Shape {
        config::ControllerMode mode = config::ControllerMode::InOrder;
        u32 tags = 128;         ///< at most 256
        u32 channels = 1;       ///< at most 32
        u32 luns = 1;           ///< over all channels; a channel has luns / channels
        u32 page_bits = 0;      ///< of a row; the bits above name plane, block and LUN
        u32 stations = 8;       ///< a LUN, 1 to kMaxStations; ooo only
        Picoseconds age_limit;  ///< ooo only; rounded up to stamps
        u32 stamp_bits = 0;     ///< ages are counted in stamps of 2^stamp_bits ps
        config::Suspend suspend = config::Suspend::None; ///< ooo only, as the next two
        u32 suspends = 4;         ///< of one operation at most
        u32 suspend_priority = 0; ///< least priority of a read that suspends
    };
    /// The action that next() wants for a tag.
    enum class Act : u8 {
        Issue,   ///< begin it
        Suspend, ///< stop it; then suspended(), or release() where it has ended
        Resume   ///< go on with it
    };
    explicit O3Core(const Shape& shape);

    /// Take an operation; its tag must be free. It needs `luns` LUNs from `first_lun` on: one, for
    /// a RESET those of its CE#. Never refuses.
    void submit(const flash_op& op, u32 first_lun, u32 luns, Picoseconds now)
    {
        Entry& e = entries_[op.tag];
        e.first_lun = first_lun;
        e.luns = static_cast<u16>(luns);
        const bool alone = ooo_ && op.stream == FLASH_NO_STREAM;
        e.stream = static_cast<u8>(alone ? kNoStream : op.stream % FLASH_STREAMS);
        e.fence = !alone && (op.flags & FLASH_FLAG_FENCE) != 0;
        if (ooo_) {
            take_in(op, now);
        } else {
            waiting_.push(op.tag);
        }
    }
    /// The next operation to issue: its LUNs are its own from now on. False: none for the moment.
    /// Call until then after submit(), release() and end().
    bool next(Picoseconds now, u32& tag, Act& act)
    {
        act = Act::Issue;
        return ooo_ ? next_of_stations(now, tag, act) : next_of_queue(tag);
    }
    /// The same where nothing is suspended (Shape::suspend: none).
    bool next(Picoseconds now, u32& tag)
    {
        Act act = Act::Issue;
        return next(now, tag, act);
    }
    /// Whether next() has to be asked at all: false where it would find nothing.
    bool may_issue() const
    {
        return ooo_ ? work_ != 0 : !waiting_.empty() && busy_[entries_[waiting_.front()].first_lun] == 0;
    }
    /// Can `tag`, which has its LUN, be suspended at some time?
    bool pending(u32 tag) const { return ooo_ && details_[tag].pending; }
    /// It may be suspended, so it keeps its station.
    bool suspendable(u32 tag) const { return ooo_ && details_[tag].suspendable; }
    /// The array works at `tag`, which is pending(): from now on, until release(), it may be suspended.
    void working(u32 tag);
    /// The array has stopped, for any reason: no suspend until working() is called again.
    void stopped(u32 tag) { luns_[entries_[tag].first_lun].working = false; }
    /// The LUN is ready for reads, `tag` waits for its resume.
    void suspended(u32 tag);
    /// The LUNs of `tag` can take another operation; before or at its end.
    void release(u32 tag)
    {
        const Entry& e = entries_[tag];
        if (busy_[e.first_lun] > 1) {
            --busy_[e.first_lun]; // the LUN stays with who followed it
            return;
        }
        busy_[e.first_lun] = 0;
        if (ooo_ && details_[tag].pending) {
            end_pending(tag);
        }
        if (e.luns != 1 || ooo_) {
            released(e);
        }
    }
    /// The operation that next() would give the LUN of `tag`, which has it, if that let it go now; false: none, or one
    /// that may be suspended.
    bool after(u32 tag, Picoseconds now, u32& next) const;
    /// `next`, which after() has named, has the LUN from now on too: it is free when all have released it.
    void follow(u32 next);
    /// `tag`, which next() or follow() has given, has ended; returns its stream. Its completion is to be reported at
    /// once, or, where retires_in_order(), when retire() says so.
    u32 end(u32 tag, Picoseconds now)
    {
        const u32 stream = entries_[tag].stream;
        if (ooo_) {
            end_in_stream(tag, now);
        } else {
            --in_stream_[stream];
            --issued_;
        }
        return stream;
    }
    bool retires_in_order() const { return ooo_; }
    /// From now on an operation gets its station only once let_in() has been called for it: comparing it
    /// takes hardware time. To be called before anything is submitted.
    void pace_intake() { paced_ = true; }
    void let_in(u32 channel)
    {
        ++channels_[channel].open;
        work_ |= 1u << channel;
    }
    /// The completion of a stream to tell next; false: none. Its tag is free then. Call until then
    /// after end().
    bool retire(u32 stream, Picoseconds now, u32& tag);

    /// Are there operations in the stations of `lun`? One that keeps its station counts. In order: never.
    bool has_waiting(u32 lun) const { return ooo_ && luns_[lun].used != 0; }

    const OrderStatistics& statistics() const { return statistics_; }

private:
    static constexpr u16 kNone = 0xffff;
    using Mask = u16; ///< of stations

    struct Entry { ///< by tag
        u32 first_lun = 0;
        u16 luns = 1;
        u8 stream = 0;
        bool fence = false;
    };
    struct Detail { ///< by tag; ooo only
        bool ended = false;
        bool held = false;
        u8 opcode = 0;
        u8 priority = 0;
        u8 nplanes = 1;
        u8 channel = 0;
        u8 station = kNoStation;
        bool suspendable = false;
        bool pending = false; ///< issued, and in its station until it ends
        u8 suspends = 0;
        u16 next_in_stream = kNone;
        u16 older = kNone; ///< neighbours among those that are not issued
        u16 younger = kNone;
        std::array<u32, FLASH_MAX_PLANES> row{};
        u64 stamp = 0;     ///< when it was submitted
        Picoseconds ended_at;
    };
    static constexpr u8 kNoStation = 0xff;
    static constexpr u8 kNoStream = 0xff;
    struct Lun {
        Mask used = 0;
        Mask closed = 0; ///< behind a fence
        Mask reads = 0;
        std::array<Mask, kPriorities> of_priority{};
        std::array<Mask, kMaxStations> waits_for{}; ///< older ones that it depends on
        std::array<Mask, kMaxStations> older{};
        std::array<u16, kMaxStations> tag{};
        bool requested = false;
        u8 pending = kNoStation;   ///< the operation in service or suspended that may be suspended
        bool working = false;   ///< it may be suspended now
        bool suspended = false;
    };
    struct Channel {
        Fifo<u16> intake; ///< tags that have no station yet, in order of submission
        Fifo<u16> requests;   ///< LUNs at which something has changed
        u32 open = 0;     ///< operations of the intake, from the head on, that may go into a station
    };
    struct Stream {
        u16 head = kNone; ///< oldest that has not retired
        u16 tail = kNone;
    };
    enum class Did { Nothing, Step, Issued };

    // serial, in order
    bool next_of_queue(u32& tag)
    {
        if (waiting_.empty()) {
            return false;
        }
        tag = waiting_.front();
        const Entry& e = entries_[tag];
        if (!luns_free(e) || (serial_ && issued_ != 0) || (e.fence && in_stream_[e.stream] != 0)) {
            return false;
        }
        leave_queue(e);
        take_luns(e);
        return true;
    }
    void leave_queue(const Entry& e)
    {
        waiting_.drop();
        ++in_stream_[e.stream];
        ++issued_;
    }
    bool luns_free(const Entry& e) const
    {
        return busy_[e.first_lun] == 0 && (e.luns == 1 || others_free(e));
    }
    void take_luns(const Entry& e)
    {
        busy_[e.first_lun] = 1;
        if (e.luns != 1) {
            take_others(e);
        }
    }
    // Off the hot path: RESET has several LUNs.
    bool others_free(const Entry& e) const;
    void take_others(const Entry& e);
    void released(const Entry& e);

    // out of order
    void take_in(const flash_op& op, Picoseconds now);
    bool next_of_stations(Picoseconds now, u32& tag, Act& act);
    Did decide(u32 channel, Picoseconds now, u32& tag, Act& act);
    Did decide_lun(u32 lun, Picoseconds now, u32& tag, Act& act);
    Did decide_pending(Lun& lun, u32 number, Picoseconds now, u32& tag, Act& act);
    Did decide_intake(Channel& channel, u32& tag);
    bool may_reset(u32 tag) const;
    void insert(u32 tag);
    bool depends(const Detail& younger, const Detail& older) const;
    u32 pick(const Lun& lun, Picoseconds now) const;
    Mask may_go(const Lun& lun) const;
    u64 stamp(Picoseconds t) const { return t.value() >> shape_.stamp_bits; }
    bool old(u32 tag, Picoseconds now) const
    {
        return stamp(now) - details_[tag].stamp >= age_limit_;
    }
    void end_pending(u32 tag);
    u32 oldest_of(const Lun& lun, Mask mask) const;
    void leave_station(Lun& lun, u32 station);
    void issued(u32 tag);
    void request(u32 lun);
    void end_in_stream(u32 tag, Picoseconds now);
    bool fence_holds(u32 tag) const
    {
        const Entry& e = entries_[tag];
        return e.fence && streams_[e.stream].head != tag;
    }

    Shape shape_;
    bool serial_, ooo_;
    bool paced_ = false;
    u64 age_limit_; ///< stamps
    u32 luns_per_channel_;
    std::vector<Entry> entries_;
    std::vector<u8> busy_; ///< by LUN: operations that have it
    // serial, in order
    Fifo<u32> waiting_;
    std::array<u16, FLASH_STREAMS> in_stream_{}; ///< issued and not ended
    u32 issued_ = 0;
    // out of order
    std::vector<Detail> details_;
    std::vector<Lun> luns_;
    std::vector<Channel> channels_;
    std::vector<Stream> streams_;
    u16 alone_ = kNone; ///< of no stream, ended and not reported
    u32 work_ = 0; ///< channels that may have something to decide
    u16 youngest_ = kNone; ///< of those that are not issued
    OrderStatistics statistics_;
};

} // namespace tlmssd::flash
