// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a sequential fill by arithmetic: the pages that it leaves, and how much of it the arithmetic may stand for.
#pragma once

#include <vector>

#include "firmware/core/config.h"
#include "models/nand/store/page_store.h"

namespace tlmssd::aging {

/// Page n of a sequential write goes to the plane at position n mod planes of the allocation order, and there to page
/// n div planes, counted over its blocks; it is the first version of its data (docs/explanation/filled-devices.md).
class SequentialPages final : public nand::PageRule {
public:
    /// `allocation`: fw_config::allocation.
    SequentialPages(const Geometry& geometry, const u32 (&allocation)[4]);
    void page(const nand::Place& place, UnitTag* tags, u8* oob) const override;

private:
    Geometry geometry_;
    std::vector<u32> position_; ///< by plane over the device: its place in the order
};

/// A part of a fill from LPN 0 on, in whole turns: a page of each plane.
struct FillPlan {
    u64 pages = 0;   ///< by arithmetic: a multiple of the period; 0: none
    u64 period = 0;  ///< pages after which the firmware is as before, if at all: rehearse()
    u64 written = 0; ///< pages that have to be written after the arithmetic, at least
};

/// Pages after which sequential writes by commands of `command_pages` use the same page buffers in the same order
/// again; 0: not within two turns of the buffer.
u64 turn_of_buffer(const fw_config& firmware, u32 command_pages);

/// For a fill of `pages` pages; `turn`: of turn_of_buffer(). No block with which garbage collection could begin, and
/// no page where the writes are faster than the rehearsal.
FillPlan plan_fill(const fw_config& firmware, u64 pages, u32 command_pages, u64 turn);

/// Whether a firmware of this configuration that is filled by arithmetic for one period and then writes plan.written
/// pages is word for word the one that has written all of them: then it is for any number of periods.
bool rehearse(const fw_config& firmware, const FillPlan& plan, u32 command_pages);

} // namespace tlmssd::aging
