// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's logs: directory, statistics, NCQ error.
#pragma once

#include "models/sata/identify.h"

namespace tlmssd::sata {

inline constexpr u8 kLogDirectory = 0x00;
inline constexpr u8 kLogStatistics = 0x04;
inline constexpr u8 kLogNcqError = 0x10;

/// Why the queue was aborted: log 10h (docs/reference/sata-facts.md, "Native command queuing").
struct NcqError {
    bool not_queued = false; ///< NQ: no command of the queue was at fault
    u8 tag = 0;
    u8 status = 0;
    u8 error = 0;
    u64 lba = 0;
    u8 device = 0;
    u16 count = 0;
};

/// The content of log 04h. Temperature is not measured.
struct DeviceStatistics {
    u32 power_on_resets = 1;
    u32 power_on_hours = 0;
    u64 sectors_written = 0;
    u64 write_commands = 0;
    u64 sectors_read = 0;
    u64 read_commands = 0;
    u8 percentage_used = 0; ///< of the flash's endurance; 255: more than 254
};

/// Pages of 512 bytes of a log; 0: this device does not have it.
u32 log_pages(u8 log);

void make_ncq_error(const NcqError& error, Block& block);
void read_ncq_error(const Block& block, NcqError& error);
void make_log_directory(Block& block);
/// Page 0: which pages there are (0, 1, 7); 1: general; 7: solid state; others are empty.
void make_statistics(const DeviceStatistics& statistics, u32 page, Block& block);

} // namespace tlmssd::sata
