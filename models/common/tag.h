// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: integrity tags. They travel with the data instead of it and are checked by the host.
#pragma once

#include "models/common/types.h"

namespace tlmssd {

/// The content of one unit (4 KiB, or a page where pages are smaller). All zero: never written.
struct UnitTag {
    u32 unit = 0;    ///< logical unit number + 1, so that 0 means "no data"
    u32 version = 0; ///< counts host writes that touch the unit, from 1
    friend constexpr bool operator==(UnitTag a, UnitTag b)
    {
        return a.unit == b.unit && a.version == b.version;
    }
    friend constexpr bool operator!=(UnitTag a, UnitTag b) { return !(a == b); }
};

/// Tag of a unit whose data are lost. No unit of the host has it, so the content of an
/// uncorrectable codeword, or of a page whose program was cut, cannot be taken for data; stored on
/// flash again it reads as lost again. A burst out that no die has driven also has it.
inline constexpr UnitTag kLostUnit{0xffffffff, 0xffffffff};

/// UnitTag::unit of a page of the firmware's own tables; `version` is then its number in TablePages
/// (table_pages.h). No unit of the host has it: logical units number at most 2^32 - 3.
inline constexpr u32 kTableUnit = 0xfffffffe;

} // namespace tlmssd
