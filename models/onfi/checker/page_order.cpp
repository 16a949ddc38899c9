// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: order of the programs in a block.
#include "models/onfi/checker/page_order.h"

namespace tlmssd::onfi {

namespace {

u64 total_blocks(const Geometry& geometry)
{
    return u64{geometry.total_planes()} * geometry.blocks;
}

} // namespace

PageOrder::PageOrder(const Geometry& geometry, u32 partial_programs)
    : planes_(geometry.planes), blocks_(geometry.blocks), partial_programs_(partial_programs),
      next_page_(total_blocks(geometry)),
      repeats_(partial_programs > 1 ? total_blocks(geometry) : 1)
{
}

void PageOrder::learn(u64 block, u32 next_page)
{
    next_page_[block] = static_cast<u16>(next_page);
    if (partial_programs_ > 1) {
        repeats_[block] = 0;
    }
}

Rule PageOrder::judge(u64 block, u32 page) const
{
    const u32 next = next_page_[block];
    if (page >= next) {
        return page == next ? Rule::None : Rule::PageOrder;
    }
    if (partial_programs_ > 1 && page + 1 == next) {
        return 1u + repeats_[block] < partial_programs_ ? Rule::None : Rule::PartialPrograms;
    }
    return Rule::NotErased;
}

void PageOrder::program(u64 block, u32 page)
{
    if (page == next_page_[block]) {
        learn(block, page + 1);
    } else {
        ++repeats_[block];
    }
}

} // namespace tlmssd::onfi
