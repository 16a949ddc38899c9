// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where the bytes of a live client's requests come from and go to.
#pragma once

#include "models/common/types.h"

namespace tlmssd::host {

/// Instead of the pattern that a workload's sectors carry. `offset` and `sectors` as in LinkClientIf; a
/// command that is sent once more moves its data from the start.
class HostDataIf {
public:
    virtual ~HostDataIf() = default;
    /// Data of a WRITE are wanted.
    virtual void give(u32 tag, u32 offset, u32 sectors, u8* bytes) = 0;
    /// Data of a READ have arrived.
    virtual void take(u32 tag, u32 offset, u32 sectors, const u8* bytes) = 0;
};

} // namespace tlmssd::host
