// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: legal random traffic on one ONFI channel, made from scratch: bytes, times and R/B# edges.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "models/config/config.h"
#include "models/onfi/checker/checker.h"
#include "tb/onfi/bytes.h"

namespace tlmssd::tb {

/// Least times of one timing mode in ps, by hand from the specification's tables.
struct Drive {
    config::BusInterface interface;
    u32 mode;
    u64 cs, cycle, strobe, frame_out, frame_in, adl, ccs, whr, rr, rhw;
    u32 shift; ///< log2 of the page bytes of a strobe, x8
};

using config::BusInterface;
inline constexpr Drive kDrives[] = {
    // frame_out: tWRCK 20 + tDQSCK 25 + tDQSHZ 20, or tRPRE 15 + tDQSRE 15;
    // frame_in: 2 x 1.5 tCK, or tWPST 6 + tWPSTH 15
    {BusInterface::Sdr, 0, 70000, 100000, 100000, 0, 0, 400000, 500000, 120000, 40000, 200000, 0},
    {BusInterface::Sdr, 3, 25000, 30000, 30000, 0, 0, 400000, 500000, 80000, 20000, 100000, 0},
    {BusInterface::Sdr, 5, 15000, 20000, 20000, 0, 0, 400000, 500000, 80000, 20000, 100000, 0},
    {BusInterface::NvDdr, 5, 15000, 45000, 10000, 65000, 30000, 400000, 500000, 80000, 20000,
     100000, 1},
    {BusInterface::NvDdr2, 6, 20000, 25000, 6000, 30000, 21000, 70000, 300000, 80000, 20000,
     100000, 1},
    {BusInterface::NvDdr3, 10, 20000, 25000, 2500, 30000, 21000, 70000, 300000, 80000, 20000,
     100000, 1},
};
inline constexpr u32 kSdr0 = 0, kSdr3 = 1, kSdr5 = 2, kNvDdr5 = 3, kNvDdr2 = 4, kNvDdr3 = 5;

/// What a channel writes into Segment::timing.
const onfi::BusTiming& timing_of(u32 drive);

/// Least duration of a segment, term by term.
u64 least_duration(const Segment& s, const Drive& d);

/// Something on the bus. Of a segment `at` is its end.
struct Event {
    enum class Kind : u8 { Segment, Fall, Rise };
    Kind kind = Kind::Segment;
    u8 cause = 0; ///< Rise: the command that pulled R/B# low
    u32 ce = 0;
    u32 lun = 0; ///< that the segment is for
    u64 at = 0;
    u64 least = 0; ///< Rise: earliest legal time
    u32 drive = 0;
    u32 mark = 0; ///< for those who edit streams
    Segment segment;

    bool is_segment() const { return kind == Kind::Segment; }
    u32 cycles() const { return u32{segment.lead} + segment.trail; }
    bool starts(u8 byte) const
    {
        return is_segment() && cycles() != 0 && segment.is_command(0) && segment.bytes[0] == byte;
    }
    bool ends(u8 byte) const
    {
        return is_segment() && cycles() != 0 && segment.is_command(cycles() - 1) &&
               segment.bytes[cycles() - 1] == byte;
    }
    bool rises(u8 by) const { return kind == Kind::Rise && cause == by; }
};

/// The part of the streams: 2 CE# of 2 LUNs of 2 planes of 8 blocks of 6 pages.
struct StreamPart {
    Geometry geometry;
    config::Nand nand;
    u32 drive = kSdr5; ///< at the start

    StreamPart();
    u32 row(u32 lun, u32 plane, u32 block, u32 page) const
    {
        return geometry.row(lun, plane, block, page);
    }
};

constexpr u32 kStreamPhysical = 2112;

/// A recorded stream.
class Stream {
public:
    explicit Stream(const StreamPart& p) : part(p) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    const StreamPart part;
    std::vector<Event> events;

    /// Cells with P1, alive as long as the stream.
    DataCells& cells(u8 p1 = 0);
    /// What a fresh checker says.
    onfi::ViolationLog judge() const;
    u32 segments() const;

private:
    std::deque<DataCells> cells_;
};

/// Makes legal streams: all commands, on all LUNs at once, half of the times at their minimum.
class Traffic {
public:
    Traffic(Stream& stream, u64 seed);
    void run(u32 segments);

private:
    /// How long R/B# is low after a step.
    enum class Wait : u8 {
        None, Queue, Read, Program, Erase, CacheRead, CacheEnd, CacheProgram, Parameter, Feature,
        SuspendProgram, SuspendErase, Resume, Reset
    };
    struct Step {
        Segment s;
        Wait wait = Wait::None;
        bool bare_data = false;  ///< needs this LUN selected, and data output
        bool bare = false;       ///< needs this LUN selected
        bool hold = false;       ///< the sequence stays open
        bool whole = false;      ///< needs all LUNs of the CE#
        bool target = false;     ///< all LUNs of the CE# answer
        bool interrupt = false;  ///< goes while the LUN is busy
        u32 drive = kKeep;       ///< of the CE# when R/B# has risen
    };
    static constexpr u32 kKeep = 99, kLuns = 4, kLunsOfCe = 2, kPlanes = 2;
    struct Lun {
        std::deque<Step> todo;
        u64 rise_at = 0; ///< 0: ready
        u64 least_rise = 0;
        u64 ready_at = 0;
        u64 array_until = 0;
        u64 remaining = 0;
        bool array_busy = false; ///< behind a ready R/B#
        bool not_suspended = false;
        u8 cause = 0;
        std::array<std::array<u32, 8>, kPlanes> next{};
    };
    struct Ce {
        u32 drive = 0;
        u32 next_drive = kKeep;
        u32 talks_to = 0;
        u32 held_by = kKeep;
        u32 claimed_by = kKeep;
        bool status = false;
    };

    u64 random(u64 n) { return draw_below(draw64(seed_, 0x7472, ++counter_), n); }
    bool chance(u64 one_in) { return random(one_in) == 0; }
    u32 row(u32 lun, u32 plane, u32 block, u32 page) const;
    bool step();
    bool may_go(u32 lun);
    void go(u32 lun);
    void emit(u32 ce, u32 lun, const Segment& s);
    void flush(u64 until);
    void fall(u32 lun, u64 at, u64 least, u8 cause);
    u64 least_rise(Lun& lun, Wait wait, u64 end);
    void poll(u32 ce);

    void make(u32 lun);
    Step& add(u32 lun, const Segment& s, Wait wait = Wait::None);
    void data_out(u32 lun, u32 r);
    void make_read(u32 lun);
    void make_cache_read(u32 lun, bool random_pages);
    bool open_block(u32 lun, u32 plane, u32& block);
    void make_program(u32 lun, bool split);
    void make_two_plane_program(u32 lun);
    void make_cache_program(u32 lun);
    void make_copyback(u32 lun);
    void make_erase(u32 lun);
    void make_suspend(u32 lun);
    void make_registers(u32 lun);
    void make_features(u32 lun);
    void make_reset(u32 lun);
    void set_drive(u32 lun, u32 drive, bool after_reset);

    Stream& stream_;
    const StreamPart& part_;
    u64 seed_;
    u64 counter_ = 0;
    u64 free_at_ = 0;
    u64 command_from_ = 0;
    std::array<Lun, kLuns> luns_;
    std::array<Ce, kLuns / kLunsOfCe> ces_;
    DataCells* plain_;
};

} // namespace tlmssd::tb
