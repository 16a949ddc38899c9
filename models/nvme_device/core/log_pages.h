// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: log pages: errors, SMART, firmware slots.
#pragma once

#include <vector>

#include "models/nvme_device/core/backend_if.h"
#include "models/nvme_device/core/identify.h"

namespace tlmssd::nvme_device {

/// Counted since the device was built.
struct Usage {
    u64 read_sectors = 0; ///< of 512 bytes
    u64 written_sectors = 0;
    u64 reads = 0; ///< commands
    u64 writes = 0;
    u64 unsafe_shutdowns = 0;
    Picoseconds busy; ///< some command was outstanding
};

/// An error as its log entry has it.
struct ErrorEntry {
    u16 sq = 0xffff;
    u16 id = 0xffff;
    u16 status = 0;      ///< with kMore and kDoNotRetry
    u16 location = 0xffff; ///< byte of the command in 7:0, bit in 10:8
    u64 lba = 0;
    u32 nsid = 0;
};

class LogPages {
public:
    enum Id : u8 { kErrors = 1, kHealth = 2, kFirmware = 3 };

    explicit LogPages(const Facts& facts) : facts_(facts) {}

    void add_error(const ErrorEntry& entry);
    u64 errors() const { return errors_; }
    /// Byte 0 of SMART.
    static u8 critical_warning(const Health& health, bool read_only);
    /// The whole page that Get Log Page asks for; kInvalidLogPage where there is none.
    Status build(u8 id, const Usage& usage, const BackendIf& backend, std::vector<u8>& page) const;

private:
    void put_errors(u8* at) const;

    const Facts& facts_;
    std::vector<ErrorEntry> newest_; ///< a ring, `errors_` counts
    u64 errors_ = 0;
};

} // namespace tlmssd::nvme_device
