// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: observes where the firmware's steps begin and end (a recording of them).
#pragma once

#include "models/common/types.h"

namespace tlmssd::cpu {

class StepBoundsIf {
public:
    virtual ~StepBoundsIf() = default;
    virtual void begin_step(u32 core, u64 now_us) = 0;
    virtual void end_step() = 0;
};

} // namespace tlmssd::cpu
