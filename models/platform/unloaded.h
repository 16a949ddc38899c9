// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lower bounds of the latency of a request that is alone in the device.
#pragma once

#include "firmware/core/fw.h"
#include "models/config/config.h"
#include "models/host/initiator_stats.h"

namespace tlmssd::platform {

/// Every term is a time that a request of its kind cannot avoid: its frames on the link or its DRAM
/// transfer, and, where flash was read or written for it, one array operation with the shortest bus
/// segments. Firmware time is left out, so the sum is a lower bound for any scheduler.
class Unloaded {
public:
    explicit Unloaded(const config::Config& config);

    /// Sum over all reads and writes that have ended.
    Picoseconds total(const host::InitiatorStats& host, const fw_stats& firmware) const;
    /// Of the cheapest request.
    Picoseconds least() const { return transfer(0, 1); }

private:
    Picoseconds transfer(u64 bytes, u64 requests) const;

    config::Config config_;
    Picoseconds flash_read_;
    Picoseconds flash_program_;
};

} // namespace tlmssd::platform
