// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what one flash operation says of another, written from docs/explanation/rtl.md and not from the RTL.
#pragma once

#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/common/geometry.h"

namespace tlmssd::tb {

class OpRules {
public:
    explicit OpRules(const Geometry& geometry) : geometry_(geometry) {}

    bool legal(const flash_op& op) const;
    /// Die of the operation, over the whole device.
    u32 lun_of(const flash_op& op) const { return geometry_.die_index_ce(op.channel, op.ce, op.lun); }
    /// Dies that no other operation may use meanwhile: RESET holds all of its CE#.
    std::vector<u32> luns_held(const flash_op& op) const;
    /// The younger one has to wait for the older one: the array must see both in order.
    bool depends(const flash_op& younger, const flash_op& older) const;

private:
    Geometry geometry_;
};

} // namespace tlmssd::tb
