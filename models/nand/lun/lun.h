// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the state machine of one LUN (die): registers, plane queue, array operations.
#pragma once

#include <array>
#include <vector>

#include "models/nand/lun/cell_array.h"
#include "models/nand/lun/plane_register.h"
#include "models/nand/lun/register_port.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::nand {

/// The operation of a LUN.
enum class ArrayOp : u8 {
    None,
    QueuePlane, ///< tDBSY after 11h, 32h, D1h
    Read,
    Program,
    Erase,
    Reset,
    CacheRead,    ///< 31h, 3Fh: page register to cache register
    CacheProgram, ///< 15h: cache register to page register
    Feature,      ///< SET and GET FEATURES
    Register,     ///< fetching the parameter page or the unique ID
    Suspend       ///< on the way to a suspended program or erase
};

enum class ReadEnd : u8 { Page, QueuePlane, Copyback, Cache }; ///< 30h, 32h, 35h, 31h
enum class ProgramEnd : u8 { Page, QueuePlane, Cache };        ///< 10h, 11h, 15h

/// The part of a LUN that a command needs; decides when the LUN is ready for it.
enum class Access : u8 {
    Register,    ///< the cache registers: R/B# high
    Array,       ///< an array operation of its own: nothing in the background either
    CacheRead,   ///< 31h, 3Fh and their addresses: a cache read may be running
    CacheProgram ///< 80h, 10h, 11h, 15h: a cache program may be running
};

/// One LUN: pure state, without timers. Rows come range-checked. Each operation gets the time
/// `at` when it begins (tWB after the confirm cycle) and returns the rule that it broke and whether
/// it made the LUN busy. An operation may break a rule and be busy all the same; its outcome is
/// then FAIL or an invalid register. The caller keeps one timer at due() and calls advance().
class Lun {
public:
    struct Start {
        onfi::Rule rule = onfi::Rule::None;
        bool busy = true; ///< false: refused, nothing has changed
    };
    struct Statistics {
        u64 reads = 0;    ///< pages, cache and copyback reads too
        Picoseconds busy; ///< array time started
        Picoseconds reading; ///< of `busy`: the array senses
        u64 programs = 0; ///< pages, cache and copyback programs too
        u64 erases = 0;   ///< blocks
        u64 resets = 0;
        u64 suspends = 0;
        Picoseconds programming;
        Picoseconds erasing;
        u64 bits_read = 0;  ///< of codewords that went over the bus; 0 where errors are off
        u64 bit_errors = 0; ///< among them
        double expected_bit_errors = 0; ///< sum of RBER * bits, for comparison
        u64 program_fails = 0;
        u64 erase_fails = 0;

        Statistics& operator+=(const Statistics& other);
        /// Counts since `before`.
        Statistics since(const Statistics& before) const;
    };
    static constexpr u32 kMaxPlanes = 4; ///< what a configuration may have; keeps a LUN small
    static constexpr u32 kAllPlanes = 0xff;

    /// `die` is the LUN's number over the device; `device` outlives the LUN.
    Lun(Device& device, u32 die);

    /// May a command whose first cycle comes at `first_cycle` use the LUN for `access`?
    bool accepts(Access access, Picoseconds first_cycle) const
    {
        if (op_ != ArrayOp::None || first_cycle < ready_at_) {
            return false;
        }
        return access == Access::Register ||
               (job_.op == ArrayOp::None && first_cycle >= array_end_) ||
               (access != Access::Array && follows_cached(access));
    }

    /// 00h and a confirm cycle. The register of place.plane feeds later bursts.
    Start read(const Place& place, u32 column, ReadEnd end, Picoseconds at);
    Start read_cache_next(Picoseconds at); ///< 31h alone: the pages after those read last
    Start read_cache_end(Picoseconds at);  ///< 3Fh
    /// 80h and its address: clears the plane's register.
    onfi::Rule begin_program(const Place& place, u32 column);
    /// 85h and its address: what a copyback read has left in the plane's register.
    onfi::Rule begin_copyback(const Place& place, u32 column);
    /// 85h with a row inside a program: same plane, another page.
    onfi::Rule change_row(const Place& place, u32 column);
    /// After begin_program() or begin_copyback().
    Start program(ProgramEnd end, Picoseconds at);
    /// 60h..D0h, or D1h where `queue`.
    Start erase(const Place& place, bool queue, Picoseconds at);
    /// A program or erase of this plane while WP# is low: FAIL, nothing else.
    void refuse(u32 plane);
    Start reset(Picoseconds at);
    /// 84h, 61h: `kind` is Program or Erase. The LUN is ready t_suspend later, or when the
    /// operation ends by itself if that is earlier. Has it ended, and no other begun: no effect.
    onfi::Rule suspend(ArrayOp kind, Picoseconds now);
    Start resume(ArrayOp kind, Picoseconds at); ///< 13h, D2h
    /// Busy for `time` with something that leaves the array alone (Feature, Register).
    Start occupy(ArrayOp kind, Picoseconds time, Picoseconds at);
    /// As after a power cycle: idle, registers empty; what ran is interrupted.
    void power_cycle(Picoseconds now);
    /// The supply is cut at `now`, and returns: as power_cycle(), but what the array was at is torn.
    /// Programs leave torn pages and erases torn blocks, suspended ones and cached ones too; what has
    /// ended by `now` has ended, and a program that waits in a register has not touched its page.
    void power_off(Picoseconds now);

    /// When advance() is due next; kTimeNever while nothing runs.
    Picoseconds due() const
    {
        const Picoseconds array = job_.op == ArrayOp::None ? kTimeNever : job_.end;
        return op_ == ArrayOp::None ? array : min(array, ready_at_);
    }
    /// The record of the first page that advance() will read or write; null where it touches none.
    const void* cells_due() const
    {
        const u32 planes = job_.planes & ~job_.broken;
        return job_.op == ArrayOp::None || planes == 0 ? nullptr : cells_at(static_cast<u32>(__builtin_ctz(planes)));
    }
    /// Cells, registers and status at `now`. The operation that R/B# was low for, where R/B# rises
    /// now; None where it does not.
    ArrayOp advance(Picoseconds now);

    /// Next bytes out come from here (06h..E0h).
    void select(u32 plane, u32 column) { port_.select(plane, column); }
    /// 05h..E0h, or 85h and a column.
    void set_column(u32 column) { port_.set_column(column); }
    /// Burst out: fills tags and OOB that `bytes` from the current column cover, and cells.page where
    /// there is one and the store keeps bytes; column advances.
    onfi::Rule read_out(u32 bytes, onfi::DataCells& cells);
    /// Burst in, into the register of begin_program().
    onfi::Rule write_in(u32 bytes, const onfi::DataCells& cells)
    {
        return port_.take(planes_[port_.plane()], bytes, cells);
    }
    /// 80h to any LUN of the target without program clear: all registers are lost.
    void clear_registers();
    /// Fault injection: replace the first tag of the last burst out (and the bytes under it) by a
    /// different one of another plane, unit or page. False where none differs or the burst carried
    /// no tag.
    bool swap_delivered(onfi::DataCells& cells) const;

    void set_retry(u32 level) { retry_ = level; } ///< feature 89h
    u32 retry() const { return retry_; }
    void set_protected(bool low) { protected_ = low; } ///< WP#
    /// Its cells, which the fault script can break.
    CellArray& cells() { return cells_; }

    bool busy() const { return op_ != ArrayOp::None; } ///< R/B# is low
    bool array_busy() const { return job_.op != ArrayOp::None; }
    /// What R/B# is low for; else the operation in the background (cache), else None.
    ArrayOp op() const { return op_ != ArrayOp::None ? op_ : job_.op; }
    /// The operation of the array; None while it rests or is suspended.
    ArrayOp array_op() const { return job_.op; }
    /// Planes whose array works now: bit p.
    u32 array_planes() const { return job_.op != ArrayOp::None ? job_.planes : 0; }
    /// Its work is a cache operation's: R/B# may be ready.
    bool array_cached() const { return job_.op != ArrayOp::None && job_.cached; }
    Picoseconds array_end() const { return job_.end; } ///< of the work of the array
    ArrayOp suspended() const { return suspended_.op; }
    /// Status register of `plane`, or of the LUN (FAIL of any plane) for kAllPlanes.
    u8 status(u32 plane) const;
    u32 die() const { return die_; }
    u32 selected_plane() const { return port_.plane(); }
    const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = Statistics{}; }

private:
    /// The work of the array, in the foreground or with R/B# ready.
    struct Job {
        ArrayOp op = ArrayOp::None; ///< Read, Program or Erase
        bool cached = false;        ///< goes on after R/B# has risen
        u32 planes = 0;
        u32 broken = 0;   ///< bits of `planes` that broke a rule: FAIL, or no data
        Picoseconds end;
        Picoseconds time; ///< in all
        std::array<BlockPage, kMaxPlanes> at{};
    };

    template <class Visit>
    static void for_planes(u32 mask, Visit visit)
    {
        for (; mask != 0; mask &= mask - 1) {
            visit(static_cast<u32>(__builtin_ctz(mask)));
        }
    }
    Place place_of(u32 plane, BlockPage at) const { return {die_, plane, at.block, at.page}; }
    const void* cells_at(u32 plane) const { return store_.address(place_of(plane, job_.at[plane])); }

    // lun.cpp: putting operations together, bursts
    onfi::Rule join(ArrayOp op, const Place& place);
    void take_pending(Job& job, ArrayOp op, bool cached);
    Start begin(ArrayOp op, onfi::Rule rule, Picoseconds ready_at);
    Start begin_queue(onfi::Rule rule, Picoseconds at);
    void account(const Job& job);
    Picoseconds& time_of(ArrayOp op)
    {
        return op == ArrayOp::Read      ? statistics_.reading
               : op == ArrayOp::Program ? statistics_.programming
                                        : statistics_.erasing;
    }
    onfi::Rule page_rule(const Place& place) const;
    bool suspended_at(const Place& place, bool whole_block) const;
    void deliver_errors(const PlaneRegister& reg, u32 column, u32 end, onfi::DataCells& cells);

    // lun_array.cpp: what the array has done when its time has passed, and cache operations
    void finish_job();
    void finish_read();
    void finish_program();
    void finish_erase();
    void spend(const Job& job);
    bool follows_cached(Access access) const;
    void begin_cached_read(Job& job, Picoseconds at);
    void select_cached();
    Picoseconds read_time(const Job& job) const;
    Picoseconds program_time(const Job& job) const;
    Picoseconds erase_time(const Job& job) const;
    void become_ready();
    void start_next();

    // lun_suspend.cpp: what stops an operation
    Picoseconds abort(Picoseconds now);
    void tear(Job& job, Picoseconds now);

    // Members that every operation touches come first.
    Picoseconds ready_at_;  ///< op_ != None: R/B# will rise; else: it rose
    Picoseconds array_end_; ///< of the last job
    ArrayOp op_ = ArrayOp::None;
    ArrayOp pending_op_ = ArrayOp::None;
    ArrayOp background_ = ArrayOp::None; ///< the last job, if it was a cached one
    ArrayOp ended_ = ArrayOp::None;      ///< what R/B# was low for last
    bool protected_ = false;
    bool page_side_ = false;     ///< cache read: the page registers hold what was read last
    bool cache_program_ = false; ///< a 15h came, no 10h yet
    Job job_;                ///< the array at work
    u32 pending_ = 0;        ///< planes gathered for one (multi-plane) operation
    u32 pending_broken_ = 0;
    u32 fail_ = 0;           ///< planes whose last program or erase failed
    u32 fail_previous_ = 0;  ///< and the one before it, in cache programming
    u32 read_planes_ = 0;    ///< planes of the last read, where 31h may follow
    u32 copyback_ = 0;       ///< planes whose register a copyback read has filled
    std::array<BlockPage, kMaxPlanes> pending_at_{};
    Statistics statistics_;
    Job suspended_;          ///< `end` is unused
    RegisterPort port_;
    std::vector<PlaneRegister> planes_; ///< cache registers: what the bus sees
    Device& device_;
    PageStore& store_;
    u32 die_;
    u32 units_;
    u32 retry_ = 0;
    Job next_;           ///< waits for job_ or for the registers
    Picoseconds remaining_; ///< of suspended_
    std::vector<PlaneRegister> page_registers_; ///< what the array reads into and programs from
    std::vector<PlaneRegister> suspended_registers_;
    CellArray cells_;
};

} // namespace tlmssd::nand
