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
    u8 level = 0; ///< of read retry
    friend bool operator==(const Step& a, const Step& b)
    {
        return a.phase == b.phase && a.plane == b.plane && a.level == b.level;
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

/// What a read of which `lost` planes are lost does at the next level: each of them alone.
inline std::vector<Step> retry_of(u32 lost, u8 level)
{
    using flash::Phase;
    std::vector<Step> plan = {{Phase::Feature, 0, level}};
    for (u8 p = 0; p < FLASH_MAX_PLANES; ++p) {
        if ((lost >> p & 1) != 0) {
            plan.push_back({Phase::Command, p, level});
            plan.push_back({Phase::DataOut, p, level});
        }
    }
    return plan;
}

} // namespace tlmssd::tb
