// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the state machine of one LUN (die): page registers, plane queue, array operations.
#pragma once

#include <array>
#include <vector>

#include "models/config/config.h"
#include "models/nand/page_store.h"
#include "models/onfi/segment.h"
#include "models/onfi/violation.h"

namespace tlmssd::nand {

/// What the array of a LUN does. Pure state: who calls keeps the time.
enum class ArrayOp : u8 {
    None,
    QueuePlane, ///< tDBSY after 11h, 32h, D1h
    Read,
    Program,
    Erase,
    Reset
};

/// One LUN. Rows come range-checked and only while the LUN is ready (the target sees to both).
/// Each operation answers the rule it broke (the LUN is busy all the same; the outcome is FAIL or
/// an invalid register) and its array time; array_done() must follow after that time.
class Lun {
public:
    struct Start {
        onfi::Rule rule = onfi::Rule::None;
        Picoseconds busy; ///< array time without tWB
    };
    struct Statistics {
        u64 reads = 0;    ///< pages
        u64 programs = 0; ///< pages
        u64 erases = 0;   ///< blocks
        Picoseconds busy; ///< array time started
    };
    /// Duration of a reset by what it interrupts (ONFI tRST: 5, 10, 500 us; from memory).
    static constexpr Picoseconds kResetIdle = tlmssd::microseconds(5);
    static constexpr Picoseconds kResetProgram = tlmssd::microseconds(10);
    static constexpr Picoseconds kResetErase = tlmssd::microseconds(500);
    static constexpr u32 kMaxPlanes = 16;
    static constexpr u32 kAllPlanes = 0xff;

    /// `place.die` is the LUN's number over the device; `store` outlives the LUN.
    Lun(PageStore& store, const config::Nand& nand, u64 seed, u32 die);

    /// 00h..30h, or 32h where `queue`. The register of place.plane feeds later bursts.
    Start read(const Place& place, u32 column, bool queue);
    /// 80h and its address: clears the plane's register (program clear of one plane is assumed).
    void begin_program(const Place& place, u32 column);
    /// 10h, or 11h where `queue`, after begin_program().
    Start program(bool queue);
    /// 60h..D0h, or D1h where `queue`.
    Start erase(const Place& place, bool queue);
    Start reset();
    /// The array time has passed: registers, cells and status change now.
    void array_done();

    /// Next bytes out come from here (06h..E0h).
    void select(u32 plane, u32 column);
    /// 05h..E0h
    void set_column(u32 column) { column_ = column; }
    /// Burst out: fills tags and OOB that `bytes` from the current column cover; column advances.
    onfi::Rule read_out(u32 bytes, onfi::DataCells& cells);
    /// Burst in, into the register of begin_program().
    onfi::Rule write_in(u32 bytes, const onfi::DataCells& cells);
    /// Fault injection: replace the first tag of the last burst out by a different one of another
    /// plane, unit or page. False where none differs or the burst carried no tag.
    bool swap_delivered(onfi::DataCells& cells) const;

    bool busy() const { return op_ != ArrayOp::None; }
    ArrayOp op() const { return op_; }
    /// Status register of `plane`, or of the LUN (FAIL of any plane) for kAllPlanes.
    u8 status(u32 plane) const;
    u32 die() const { return die_; }
    const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = Statistics{}; }

private:
    struct PlaneRegister {
        std::array<UnitTag, PageStore::kMaxUnits> tags{};
        std::array<u8, kOobBytes> oob{};
        u32 block = 0; ///< of the operation that used the plane last
        u32 page = 0;
        bool valid = false; ///< holds what a read has fetched
    };
    struct UnitRange {
        u32 first = 0;
        u32 end = 0;
    };

    Place place_of(u32 plane) const
    {
        return {die_, plane, planes_[plane].block, planes_[plane].page};
    }
    onfi::Rule join(ArrayOp op, u32 plane, u32 page);
    Start begin(ArrayOp op, onfi::Rule rule, Picoseconds busy);
    Start begin_queue(onfi::Rule rule);
    template <class Visit>
    void for_pending(Visit visit) const;
    Picoseconds varied(Picoseconds mean, u64 purpose, const Place& place) const;
    Picoseconds longest(Picoseconds mean, u64 purpose) const;
    UnitRange units_of(u32 column, u32 end) const;
    void load(u32 plane);
    void finish_program();

    PageStore& store_;
    std::vector<PlaneRegister> planes_;
    Picoseconds t_read_;
    Picoseconds t_program_;
    Picoseconds t_erase_;
    Picoseconds t_queue_;
    double variation_;
    u64 seed_;
    u32 die_;
    u32 units_;
    u32 unit_columns_;  ///< bytes of one unit on the bus, parity included
    u32 oob_column_;
    u32 physical_bytes_; ///< a page with its spare area
    ArrayOp op_ = ArrayOp::None;
    ArrayOp pending_op_ = ArrayOp::None;
    u32 pending_ = 0;      ///< planes of the (multi-plane) operation
    u32 pending_page_ = 0; ///< page offset they share
    u32 broken_ = 0;       ///< planes that broke a rule: FAIL, or no data
    u32 fail_ = 0;         ///< planes whose last program or erase failed
    u32 plane_ = 0;        ///< whose register the bus sees
    u32 column_ = 0;
    UnitRange delivered_;  ///< units of the last burst out
    Statistics statistics_;
};

} // namespace tlmssd::nand
