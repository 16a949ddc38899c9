// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: limits of a part from its geometry and its configuration.
#include "models/onfi/checker/part_limits.h"

#include "models/common/error.h"

namespace tlmssd::onfi {

PartLimits::PartLimits(const Geometry& geometry, const config::Nand& nand,
                       bool tolerate_silent_luns)
    : luns_of_ce(geometry.luns_per_ce()), planes(geometry.planes), blocks(geometry.blocks),
      pages(geometry.pages), plane_shift(bits_for(geometry.pages)),
      block_shift(plane_shift + bits_for(geometry.planes)),
      lun_shift(block_shift + bits_for(geometry.blocks)), page_mask((1u << plane_shift) - 1),
      plane_mask((1u << (block_shift - plane_shift)) - 1), block_mask((1u << (lun_shift - block_shift)) - 1),
      physical_bytes(geometry.physical_bytes()), retry_levels(nand.errors.retry_levels),
      modes{nand.sdr_modes, nand.nvddr_modes, nand.nvddr2_modes, nand.nvddr3_modes},
      block_restriction(nand.block_restriction), tolerate(tolerate_silent_luns),
      falls_late(nand.ready_falls != config::ReadyFalls::AtOnce),
      array(array_minima(nand))
{
    if (geometry.planes > kMaxPlanes) {
        throw ModelError("checker: more than 16 planes");
    }
}

} // namespace tlmssd::onfi
