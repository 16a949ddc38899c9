// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: who follows the DRAM copies of the firmware.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd {

/// Follows copies, by the page buffer that they fill. May be absent; must not call back.
class CopyObserverIf {
public:
    virtual ~CopyObserverIf() = default;
    virtual void on_copy_start(u32 dst, Picoseconds now) = 0;
    /// Called before the CPU gets the event.
    virtual void on_copy_end(u32 dst, Picoseconds now) = 0;
};

} // namespace tlmssd
