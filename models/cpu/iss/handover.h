// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the state of one firmware given to another one of the same layout at other addresses.
#pragma once

#include <array>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::cpu {

/// Memory of firmware with 32-bit pointers: where it is here, and where the firmware sees it.
struct FirmwareMemory {
    u8* data = nullptr;
    u32 address = 0; ///< a multiple of 4
    u64 bytes = 0;   ///< a multiple of 4
};

struct AddressRange {
    u32 begin = 0;
    u64 bytes = 0;
};

/// A firmware between two steps.
struct FirmwareSide {
    std::array<FirmwareMemory, 3> memories; ///< its `struct fw`, the fast tables, DRAM from the OOB records on
    std::vector<AddressRange> fixed; ///< code, constants, the HAL's object: each image has its own
};

/// Both firmwares are built from the same sources and have booted from the same configuration, so their memories are
/// equal but for pointers. These stand where the two differ now. A firmware sets them when it boots; afterwards none
/// but to its own memories is changed.
class Handover {
public:
    Handover(FirmwareSide from, FirmwareSide to);

    /// False: words differ that are no pointers to the same place, so the firmwares are not the same.
    bool possible() const { return possible_; }
    /// `to` becomes what `from` is. Where possible(), once. ModelError where a pointer has an unknown target.
    void hand_over() const;

private:
    struct Pointer {
        u32 memory;
        u64 offset; ///< in it
        u32 from, to; ///< as they were after the boot
    };
    bool same_target(u32 from, u32 to) const;

    FirmwareSide from_, to_;
    std::vector<Pointer> pointers_;
    bool possible_ = true;
};

} // namespace tlmssd::cpu
