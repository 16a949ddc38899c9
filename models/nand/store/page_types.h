// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which bit of its cells each page of a block holds.
#pragma once

#include <vector>

#include "models/common/types.h"
#include "models/config/config.h"

namespace tlmssd::nand {

/// Pairing table of a block. Types are indices into config::Nand::types: SLC uses {0}, MLC {0, 2}
/// (lower, upper), TLC {0, 1, 2}, QLC {0, 1, 2, 3}; with Pairing::Uniform every page is of type 0
/// and has no partner. Equations and sources in docs/explanation/nand-cells.md.
class PageTypes {
public:
    /// `bits_per_cell` 1 to 4. Word lines fill in programming order; where `pages` is no multiple
    /// of the pages of a word line, the last ones lack upper bits.
    PageTypes(config::Pairing pairing, u32 bits_per_cell, u32 pages);

    u32 type(u32 page) const { return types_[page]; }
    /// Page of the same cells that holds the next lower bit; kNoPage for a lower page.
    u32 partner(u32 page) const { return partners_[page]; }
    /// Bit i is set where some page is of type i.
    u32 used() const { return used_; }
    u32 pages() const { return static_cast<u32>(types_.size()); }

    static constexpr u32 kNoPage = 0xffffffff;

private:
    void adjacent(u32 bits, u32 pages);
    void staircase(u32 bits, u32 pages, u32 group);
    void add(u32 bits, u32 bit, u32 partner);

    std::vector<u8> types_;
    std::vector<u32> partners_;
    u32 used_ = 0;
};

} // namespace tlmssd::nand
