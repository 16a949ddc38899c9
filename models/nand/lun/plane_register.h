// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a page or cache register of one plane.
#pragma once

#include <array>
#include <vector>

#include "models/nand/device.h"

namespace tlmssd::nand {

struct BlockPage {
    u32 block = 0;
    u32 page = 0;
};

struct PlaneRegister { // what every read touches comes first
    BlockPage at;       ///< whose content it is, or where the program goes
    bool valid = false; ///< holds what a read has fetched
    bool sensed = false; ///< errors are on and the page is not erased: `cells`, `rber` count
    std::array<u8, kOobBytes> oob{};
    std::array<UnitTag, PageStore::kMaxUnits> tags{};
    CellState cells;
    double rber = 0;
    std::vector<u16> carried; ///< by codeword: bit errors that a copyback programs; empty: none
    std::vector<u8> bytes; ///< the physical page; empty unless the store keeps bytes
};

} // namespace tlmssd::nand
