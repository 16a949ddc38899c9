// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Verilated rtl/rr_controller.sv as an RtlModelIf.
#pragma once

#include <memory>

#include "models/flash/rtl_model.h"

namespace tlmssd::flash {

/// `waves`: keep the simulator's trace structures ready (before anything is traced).
std::unique_ptr<RtlModelIf> make_rtl_round_robin(bool waves);

} // namespace tlmssd::flash
