// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: do recorded flash operations fit the state of the device that is to replay them?
#pragma once

#include <string>
#include <vector>

#include "models/probes/ops/op_stream.h"
#include "models/ssd/include/tlmssd/ssd.h"

namespace tlmssd::replay {

/// Follows `ops` in their order, which every controller keeps for operations of one block: a program
/// goes to the next page of its block, a read to a programmed page, buffers lie in DRAM. `ssd` is
/// preconditioned. InputError "path:line: operation n (...): ..." for the first that does not fit.
void check_ops(const std::vector<probes::RecordedOp>& ops, const std::string& path, const Ssd& ssd);

/// "program ch1/ce0/lun1 plane 0 block 12 page 7", all planes.
std::string text_of_op(const flash_op& op, const Geometry& geometry);

} // namespace tlmssd::replay
