// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the cells of one LUN: what reads, programs and erases do to them, and how long they take.
#pragma once

#include <vector>

#include "models/nand/lun/plane_register.h"

namespace tlmssd::nand {

/// Places are of this LUN. Knows the faults of the fault script.
class CellArray {
public:
    /// `device` outlives it.
    explicit CellArray(Device& device);

    /// Array times of one page or block; `retry`: read-retry level.
    Picoseconds read_time(const Place& place, u32 retry) const
    {
        return device_.time.read(place, device_.erases(place), retry);
    }
    Picoseconds program_time(const Place& place) const
    {
        return device_.time.program(place, device_.erases(place));
    }
    Picoseconds erase_time(const Place& place) const
    {
        return device_.time.erase(place, device_.erases(place));
    }

    /// The page goes into the register at `end`; a `broken` read leaves it without valid data.
    void load(PlaneRegister& reg, const Place& place, bool broken, Picoseconds end, u32 retry);
    /// The register goes into the page at `end`. False: FAIL, the page holds nothing of use.
    bool program(const Place& place, const PlaneRegister& reg, Picoseconds end);
    /// False: FAIL, the block keeps its content.
    bool erase(const Place& place);
    /// An interrupted program: the page cannot be programmed again, and holds nothing of use.
    void tear_program(const Place& place, Picoseconds end);
    void tear_erase(const Place& place, Picoseconds now);

    /// Bit errors of one codeword of what the register has sensed.
    u32 errors_of(const PlaneRegister& reg, u32 codeword) const;

    void fail_programs() { programs_fail_ = true; } ///< from now on, every one
    void fail_erases() { erases_fail_ = true; }
    void spoil_block(u32 plane, u32 block) { bad_blocks_.push_back({plane, block}); }

private:
    struct PlaneBlock {
        u32 plane;
        u32 block;
    };

    void sense(PlaneRegister& reg, const Place& place, bool erased, Picoseconds end, u32 retry);
    bool is_spoiled(const Place& place) const;
    bool programs_fail(const Place& place) const;
    bool erases_fail(const Place& place) const;

    Device& device_;
    PageStore& store_;
    u32 units_;
    u32 oob_column_;
    u32 physical_bytes_;
    bool programs_fail_ = false;
    bool erases_fail_ = false;
    std::vector<PlaneBlock> bad_blocks_; ///< by the fault script
};

} // namespace tlmssd::nand
