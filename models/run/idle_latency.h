// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lower bounds of the latency of a request that is alone in the device.
#pragma once

#include "models/config/config.h"

namespace tlmssd::run {

/// Every term is a time that a request of its kind cannot avoid: its frames on the link or its DRAM
/// transfer, and, where flash was read or written for it, one array operation with the shortest bus
/// segments. Firmware time is left out, so the sum is a lower bound for any scheduler.
class Unloaded {
public:
    explicit Unloaded(const config::Config& config);

    /// Reads and writes that have ended.
    struct Work {
        u64 requests = 0;
        u64 bytes = 0;
        u64 flash_reads = 0;  ///< requests that waited for a flash read of their own
        u64 flash_writes = 0; ///< requests that waited for a program
    };
    /// Sum over all of them.
    Picoseconds total(const Work& work) const;
    /// Of the cheapest request.
    Picoseconds least() const { return transfer(0, 1); }

private:
    Picoseconds transfer(u64 bytes, u64 requests) const;

    config::Config config_;
    Picoseconds flash_read_;
    Picoseconds flash_program_;
};

} // namespace tlmssd::run
