// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a controller with the ports of docs/start/own-rtl-controller.md: its straps. Adapters that
// cmake/rtl_ports.cmake makes include it; that has checked the ports' widths.
#pragma once

#include <memory>
#include <type_traits>

#include "models/flash/rtl/rtl_ports.h"
#include "models/flash/rtl/rtl_verilated.h"

namespace tlmssd::flash {

template <class Port>
void set_strap(Port& port, u32 value)
{
    port = static_cast<Port>(value);
}

template <class Top>
void configure(Top& top, RtlModelIf&, const RtlStraps& straps)
{
    if constexpr (has_channels_i<Top>) {
        set_strap(top.channels_i, straps.channels);
    }
    if constexpr (has_ces_i<Top>) {
        set_strap(top.ces_i, straps.ces);
    }
    if constexpr (has_luns_i<Top>) {
        set_strap(top.luns_i, straps.luns);
    }
    if constexpr (has_lun_shift_i<Top>) {
        set_strap(top.lun_shift_i, straps.lun_shift);
    }
    if constexpr (has_mode_serial_i<Top>) {
        set_strap(top.mode_serial_i, straps.mode == config::ControllerMode::Serial);
    }
    if constexpr (has_mode_ooo_i<Top>) {
        set_strap(top.mode_ooo_i, straps.mode == config::ControllerMode::Ooo);
    }
    if constexpr (has_no_grant_i<Top>) {
        set_strap(top.no_grant_i, straps.no_grants);
    }
}

/// `Top`: the Verilated class, built for `kChannels` of `kLuns` and `tags`; `name`: of its module.
template <class Top, u32 kChannels, u32 kLuns>
std::unique_ptr<RtlModelIf> make_rtl_own(const char* name, u32 tags, bool waves)
{
    RtlShape shape;
    shape.tags = tags;
    return std::make_unique<RtlVerilated<Top, false, kChannels, kLuns>>(name, shape, waves);
}

} // namespace tlmssd::flash
