// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the memory that the controller reads and writes.
#pragma once

#include "models/common/types.h"

namespace tlmssd::nvme_device {

/// A call may take simulated time, in which registers are written. False: an error; nothing or a part has moved.
class HostMemoryIf {
public:
    virtual ~HostMemoryIf() = default;
    virtual bool read(u64 address, u8* data, u32 bytes) = 0;
    virtual bool write(u64 address, const u8* data, u32 bytes) = 0;
};

} // namespace tlmssd::nvme_device
