// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which optional ports of docs/start/own-rtl-controller.md a Verilated class has.
#pragma once

#include <type_traits>
#include <utility>

namespace tlmssd::flash {

#define TLMSSD_RTL_PORT(port) \
    template <class Top, class = void> \
    struct Has_##port : std::false_type {}; \
    template <class Top> \
    struct Has_##port<Top, std::void_t<decltype(std::declval<Top&>().port)>> : std::true_type {}; \
    template <class Top> \
    inline constexpr bool has_##port = Has_##port<Top>::value;
TLMSSD_RTL_PORT(done_ready_i)
TLMSSD_RTL_PORT(land_ready_o)
TLMSSD_RTL_PORT(idle_o)
TLMSSD_RTL_PORT(wake_at_o)
TLMSSD_RTL_PORT(now_i)
TLMSSD_RTL_PORT(cycle_i)
TLMSSD_RTL_PORT(channels_i)
TLMSSD_RTL_PORT(ces_i)
TLMSSD_RTL_PORT(luns_i)
TLMSSD_RTL_PORT(lun_shift_i)
TLMSSD_RTL_PORT(mode_serial_i)
TLMSSD_RTL_PORT(mode_ooo_i)
TLMSSD_RTL_PORT(no_grant_i)
TLMSSD_RTL_PORT(test_en_i)
#undef TLMSSD_RTL_PORT

} // namespace tlmssd::flash
