// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Verilated controllers of this build.
#pragma once

#include <memory>

#include "models/flash/rtl_model.h"

namespace tlmssd::flash {

/// `waves`: keep the simulator's trace structures ready (before anything is traced).
std::unique_ptr<RtlModelIf> make_rtl_round_robin(bool waves); ///< rtl/rr_controller.sv
std::unique_ptr<RtlModelIf> make_rtl_o3(bool waves);          ///< rtl/o3_top.sv

} // namespace tlmssd::flash
