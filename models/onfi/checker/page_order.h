// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which page of each block may be programmed next.
#pragma once

#include "models/common/geometry.h"
#include "models/common/zero_memory.h"
#include "models/onfi/bus/violation.h"

namespace tlmssd::onfi {

/// The pages of a block are programmed in order, each once, or the last one up to
/// `partial_programs` times. Every block starts erased.
class PageOrder {
public:
    PageOrder(const Geometry& geometry, u32 partial_programs);

    /// Number of a block over the device; `die` counts over the device too.
    u64 block_at(u32 die, u32 plane, u32 block) const
    {
        return (u64{die} * planes_ + plane) * blocks_ + block;
    }
    /// The pages below `next_page` are programmed, once each; 0: the block is erased.
    void learn(u64 block, u32 next_page);
    /// The rule that a program of the page would break; Rule::None where it is legal.
    Rule judge(u64 block, u32 page) const;
    /// A program of the page that judge() allows has been confirmed.
    void program(u64 block, u32 page);
    /// The next program of the block is on this page, whatever was seen before.
    void believe(u64 block, u32 page) { next_page_[block] = static_cast<u16>(page); }

private:
    u32 planes_;
    u32 blocks_;
    u32 partial_programs_;
    ZeroMemory<u16> next_page_; ///< by block
    ZeroMemory<u8> repeats_; ///< by block: programs of its last page after the first; where allowed
};

} // namespace tlmssd::onfi
