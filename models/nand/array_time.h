// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how long the array takes: page type, variation of page and die, wear.
#pragma once

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/nand/store/page_store.h"
#include "models/nand/store/page_types.h"

namespace tlmssd::nand {

/// Pure functions of (seed, place, erases): every scheduler meets the same device. `erases` counts
/// config wear.initial_erases too. A page type whose time is zero has the part's (a Nand that was
/// not made by load()). Equations in docs/explanation/nand-cells.md.
class ArrayTime {
public:
    ArrayTime(const config::Nand& nand, const Geometry& geometry, u64 seed);

    /// `retry`: level of feature 89h.
    Picoseconds read(const Place& place, u32 erases, u32 retry = 0) const
    {
        return plain_ && retry == 0 ? types_read_[0] : varied_read(place, erases, retry);
    }
    Picoseconds program(const Place& place, u32 erases) const
    {
        return plain_ ? types_program_[0] : varied_program(place, erases);
    }
    Picoseconds erase(const Place& place, u32 erases) const
    {
        return plain_ ? erase_ : varied_erase(place, erases);
    }

    /// Bounds over all places, types and wear, for those who check: never above what the functions
    /// above return.
    Picoseconds least_read() const;
    Picoseconds least_program() const;
    Picoseconds least_erase() const;
    /// Never below it (parameter page, time limits); reads up to level `retry`.
    Picoseconds most_read(u32 retry = 0) const;
    Picoseconds most_program() const;
    Picoseconds most_erase() const;

    /// Typical time of a page's type without variation and wear: what a controller may expect.
    Picoseconds typical_read(u32 page) const { return types_read_[types_.type(page)]; }
    Picoseconds typical_program(u32 page) const { return types_program_[types_.type(page)]; }

    const PageTypes& types() const { return types_; }

private:
    using Times = std::array<Picoseconds, 4>;

    Picoseconds varied_read(const Place& place, u32 erases, u32 retry) const;
    Picoseconds varied_program(const Place& place, u32 erases) const;
    Picoseconds varied_erase(const Place& place, u32 erases) const;
    double page_factor(u64 purpose, const Place& place, u32 erases) const;
    double die_factor(u32 die) const;
    double wear_factor(double change, u32 erases) const;
    double retry_factor(u32 retry) const;
    Picoseconds bound(Picoseconds mean, double variation, double change, bool most) const;
    Picoseconds least_of(const Times& times) const;
    Picoseconds most_of(const Times& times) const;

    Times types_read_;
    Times types_program_;
    Picoseconds erase_;
    config::NandWear wear_;
    double array_variation_;
    double die_variation_;
    double retry_read_factor_;
    double endurance_;
    Geometry geometry_;
    u64 seed_;
    PageTypes types_;
    bool plain_; ///< all times are the part's: nothing varies
};

} // namespace tlmssd::nand
