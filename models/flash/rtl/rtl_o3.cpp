// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Verilated rtl/o3/o3_top.sv: the out-of-order controller with its registers. ADAPTER of its
// tlmssd_add_rtl_controller(); rtl_registry.cpp declares the function.
#include <Vo3_top.h>
#include <Vo3_top_clump.h>

#include "models/flash/rtl/rtl_o3_verilated.h"

namespace tlmssd::flash {

std::unique_ptr<RtlModelIf> make_rtl_o3(bool waves)
{
    return make_rtl_o3_of<Vo3_top, TLMSSD_RTL_CHANNELS, TLMSSD_RTL_LUNS>(TLMSSD_RTL_TAGS, TLMSSD_RTL_STATIONS,
                                                                         waves);
}

/// The same with ISSUE_POLICY clump.
std::unique_ptr<RtlModelIf> make_rtl_o3_clump(bool waves)
{
    return make_rtl_o3_of<Vo3_top_clump, TLMSSD_RTL_CHANNELS, TLMSSD_RTL_LUNS>(TLMSSD_RTL_TAGS,
                                                                               TLMSSD_RTL_STATIONS, waves);
}

} // namespace tlmssd::flash
