// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SSD, as the NVMe controller needs it.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::nvme_device {

enum class Op : u8 { Read, Write, Flush, Trim };

struct BackendCommand {
    u32 tag = 0;
    Op op = Op::Read;
    u64 lba = 0;     ///< sectors of 512 bytes, inside the device
    u32 sectors = 0; ///< 1 to 65536; 0 for Flush
    bool fua = false;
    u8 priority = 0; ///< 0 low to 3 urgent
};

/// What SMART shows of the device.
struct Health {
    u32 used_percent = 0;   ///< of the rated life, at most 255
    u32 spare_percent = 100;
    u64 media_errors = 0;   ///< reads that could not be corrected
};

/// submit() ends with Controller::ended(tag), perhaps inside the call. Between them the back-end moves the data of a
/// command by Controller::to_host() and from_host(), in the order of their offsets, or not at all.
class BackendIf {
public:
    virtual ~BackendIf() = default;
    virtual void submit(const BackendCommand& command) = 0;
    virtual bool read_only() const = 0; ///< writes would fail
    virtual Health health() const = 0;
    virtual Picoseconds now() const = 0;
};

} // namespace tlmssd::nvme_device
