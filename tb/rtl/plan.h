// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the segments of an operation, written from its definition (docs/explanation/rtl.md) and not from the RTL.
#pragma once

#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/interfaces/controller_if.h"

namespace tlmssd::tb {

/// One step of an operation: what the bus must see next for it.
struct Step {
    flash::Phase phase;
    u8 plane;
    friend bool operator==(const Step& a, const Step& b)
    {
        return a.phase == b.phase && a.plane == b.plane;
    }
};

/// After each command and each data-in its LUN is busy; RESET has one for its whole CE#.
inline std::vector<Step> plan_of(const flash_op& op)
{
    using flash::Phase;
    std::vector<Step> plan;
    const u8 n = op.opcode == FLASH_OP_RESET ? u8{1} : op.nplanes;
    for (u8 p = 0; p < n; ++p) {
        plan.push_back({op.opcode == FLASH_OP_PROGRAM ? Phase::DataIn : Phase::Command, p});
    }
    if (op.opcode == FLASH_OP_READ) {
        for (u8 p = 0; p < n; ++p) {
            plan.push_back({Phase::DataOut, p});
        }
    } else if (op.opcode != FLASH_OP_RESET) {
        plan.push_back({Phase::Status, static_cast<u8>(n - 1)});
    }
    return plan;
}

} // namespace tlmssd::tb
