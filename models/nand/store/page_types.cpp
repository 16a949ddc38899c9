// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pairing tables in closed form.
#include "models/nand/store/page_types.h"

#include "models/common/error.h"

namespace tlmssd::nand {

namespace {

using config::Pairing;

constexpr u32 kMaxBits = 4;

/// Index of config::Nand::types of bit `bit` (0 is written first) in a cell of `bits`.
constexpr u8 kTypeOf[kMaxBits][kMaxBits] = {
    {0, 0, 0, 0}, // SLC
    {0, 2, 0, 0}, // MLC: lower and upper
    {0, 1, 2, 0}, // TLC
    {0, 1, 2, 3}, // QLC
};

} // namespace

PageTypes::PageTypes(Pairing pairing, u32 bits_per_cell, u32 pages)
{
    if (bits_per_cell < 1 || bits_per_cell > kMaxBits) {
        throw ModelError("page types: bits per cell are 1 to 4");
    }
    types_.reserve(pages);
    partners_.reserve(pages);
    switch (pairing) {
    case Pairing::Uniform:
        adjacent(1, pages);
        break;
    case Pairing::Adjacent:
        adjacent(bits_per_cell, pages);
        break;
    case Pairing::Distance3:
        staircase(bits_per_cell, pages, 1);
        break;
    case Pairing::Distance6:
        staircase(bits_per_cell, pages, 2);
        break;
    }
}

void PageTypes::add(u32 bits, u32 bit, u32 partner)
{
    const u8 type = kTypeOf[bits - 1][bit];
    types_.push_back(type);
    partners_.push_back(partner);
    used_ |= 1u << type;
}

void PageTypes::adjacent(u32 bits, u32 pages)
{
    for (u32 page = 0; page < pages; ++page) {
        const u32 bit = page % bits;
        add(bits, bit, bit == 0 ? kNoPage : page - 1);
    }
}

/// A cell's bit is written when its neighbours have all lower bits: step s writes bit 0 of word
/// line s, bit 1 of s - 1, ... Each word line has `group` pages of a bit (2: even and odd bit lines).
void PageTypes::staircase(u32 bits, u32 pages, u32 group)
{
    const u32 per_line = bits * group;
    const u32 lines = (pages + per_line - 1) / per_line;
    std::vector<u32> last(lines, kNoPage); // page of the word line's highest bit so far
    for (u32 step = 0; this->pages() < pages; ++step) {
        for (u32 bit = 0; bit < bits && bit <= step; ++bit) {
            const u32 line = step - bit;
            if (line >= lines) {
                continue;
            }
            const u32 below = last[line];
            last[line] = this->pages();
            for (u32 i = 0; i < group && this->pages() < pages; ++i) {
                add(bits, bit, bit == 0 ? kNoPage : below + i);
            }
        }
    }
}

} // namespace tlmssd::nand
