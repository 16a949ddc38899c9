// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a device finds in host memory.
#pragma once

#include "models/common/tag.h"
#include "models/nvme/entry.h"

namespace tlmssd::nvme {

/// Contents of host memory, without time: that is PcieLink's.
class HostMemoryIf {
public:
    virtual ~HostMemoryIf() = default;
    virtual const SubmissionEntry& submission(u32 queue, u32 slot) const = 0;
    virtual void post(u32 queue, u32 slot, const CompletionEntry& entry) = 0;
    /// The range that the dataset management command `tag` points to.
    virtual RangeEntry range(u32 tag) const = 0;
    /// Data of a read or of a write: `sectors` from `offset` of the command on; cells[i] is the i-th unit
    /// that they touch, `bytes` null where tags stand for the data.
    virtual void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes) = 0;
    virtual void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes) = 0;
};

} // namespace tlmssd::nvme
