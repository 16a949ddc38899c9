// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the pins of the Verilated PHY as ONFI pins.
#pragma once

#include "models/flash/pins/phy_model.h"
#include "models/onfi/pins/pins.h"

namespace tlmssd::flash {

inline onfi::Pins onfi_pins(const PhyPins& from)
{
    onfi::Pins pins;
    pins.dq = from.dq;
    pins.dq_driven = from.dq_driven;
    pins.ce_n = from.ce_n;
    pins.cle = from.cle;
    pins.ale = from.ale;
    pins.we_n = from.we_n;
    pins.re_n = from.re_n;
    pins.dqs = from.dqs;
    pins.dqs_driven = from.dqs_driven;
    return pins;
}

} // namespace tlmssd::flash
