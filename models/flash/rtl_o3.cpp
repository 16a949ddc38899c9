// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Verilated rtl/o3_controller.sv.
#include "models/flash/rtl_verilated_models.h"

#include <Vo3_controller.h>

#include "models/flash/rtl_verilated.h"

namespace tlmssd::flash {

static void set_straps(Vo3_controller& top, const RtlStraps& straps)
{
    top.channels_i = static_cast<u8>(straps.channels);
    top.ces_i = static_cast<u8>(straps.ces);
    top.luns_i = static_cast<u8>(straps.luns);
    top.lun_shift_i = static_cast<u8>(straps.lun_shift);
    top.mode_i = straps.mode == config::ControllerMode::Serial    ? 0
                 : straps.mode == config::ControllerMode::InOrder ? 1
                                                                  : 2;
    top.stations_i = static_cast<u8>(straps.stations);
    top.age_limit_i = straps.age_limit;
    top.timeout_i = straps.timeout;
    top.page_bits_i = static_cast<u8>(straps.page_bits);
    const RtlPolling& p = straps.polling;
    const u32 times[] = {p.read,  p.program,         p.erase,         p.plane_queue, // o3_pkg::POLL_*
                         p.reset, p.suspend_program, p.suspend_erase, p.interval};
    top.poll_i = p.on;
    for (u32 i = 0; i < 8 * 24; ++i) {
        set_port_bits(top.poll_times_i, i, 1, times[i / 24] >> i % 24 & 1);
    }
    top.row_lun_i = static_cast<u8>(straps.row_lun);
    top.suspend_i = static_cast<u8>(straps.suspend == config::Suspend::None    ? 0
                                    : straps.suspend == config::Suspend::Erase ? 1
                                                                               : 3);
    top.suspends_i = static_cast<u8>(straps.suspends);
    top.suspend_priority_i = static_cast<u8>(straps.suspend_priority);
    top.suspend_progress_i = straps.suspend_progress;
}

std::unique_ptr<RtlModelIf> make_rtl_o3(bool waves)
{
    return std::make_unique<RtlVerilated<Vo3_controller>>("o3_controller", TLMSSD_RTL_STATIONS, waves);
}

} // namespace tlmssd::flash
