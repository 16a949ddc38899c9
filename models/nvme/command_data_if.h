// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the data of commands in host memory, where tags may stand for bytes.
#pragma once

#include "models/common/tag.h"
#include "models/common/types.h"

namespace tlmssd::nvme {

/// Without time: that is PcieLink's. `sectors` of 512 bytes from `address` on; cells[i] is the i-th unit that they touch,
/// `bytes` null where tags stand for the data.
class CommandDataIf {
public:
    virtual ~CommandDataIf() = default;
    /// Data of a read have arrived.
    virtual void receive(u64 address, u32 sectors, const UnitTag* cells, const u8* bytes) = 0;
    /// Data of a write are in the page buffer.
    virtual void provide(u64 address, u32 sectors, UnitTag* cells, u8* bytes) = 0;
};

} // namespace tlmssd::nvme
