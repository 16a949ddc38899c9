// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Verilated rtl/rr_controller.sv.
#include "models/flash/rtl_verilated_models.h"

#include <Vrr_controller.h>

#include "models/flash/rtl_verilated.h"

namespace tlmssd::flash {

static void configure(Vrr_controller& top, RtlModelIf&, const RtlStraps& straps)
{
    top.channels_i = static_cast<u8>(straps.channels);
    top.ces_i = static_cast<u8>(straps.ces);
    top.luns_i = static_cast<u8>(straps.luns);
    top.lun_shift_i = static_cast<u8>(straps.lun_shift);
    top.mode_serial_i = straps.mode == config::ControllerMode::Serial;
}

std::unique_ptr<RtlModelIf> make_rtl_round_robin(bool waves)
{
    RtlShape shape;
    shape.tags = TLMSSD_RTL_TAGS;
    return std::make_unique<RtlVerilated<Vrr_controller, false, TLMSSD_RTL_CHANNELS, TLMSSD_RTL_LUNS>>(
        "rr_controller", shape, waves);
}

} // namespace tlmssd::flash
