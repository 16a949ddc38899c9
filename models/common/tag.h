// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: integrity tags. They travel with the data instead of it and are checked by the host.
#pragma once

#include "models/common/types.h"

namespace tlmssd {

/// What one unit (4 KiB, or a page where pages are smaller) holds. All zero: never written.
struct UnitTag {
    u32 unit = 0;    ///< logical unit number + 1, so that 0 means "no data"
    u32 version = 0; ///< counts host writes that touch the unit, from 1
    friend constexpr bool operator==(UnitTag a, UnitTag b)
    {
        return a.unit == b.unit && a.version == b.version;
    }
    friend constexpr bool operator!=(UnitTag a, UnitTag b) { return !(a == b); }
};

} // namespace tlmssd
