// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one row of a trace, before it is split, placed on the device and timed.
#pragma once

#include "models/interfaces/request.h"

namespace tlmssd::workload {

/// The result of a reader for one line. Times are in the format's own ticks (TraceFormat::tick_ps).
struct Row {
    u64 time = 0;          ///< ticks, from the format's own origin
    u64 device = 0;        ///< device number (ASU, disk number, major << 32 | minor)
    u64 lba = 0;           ///< first 512-byte sector on that device
    u64 sectors = 0;       ///< 0 for Flush; else 0 means an empty request
    u64 line = 0;          ///< line number in the file, from 1
    Kind kind = Kind::Read;
    bool fua = false;
    bool preflush = false; ///< a FLUSH goes before it (blkparse: F in front of the direction)
};

inline constexpr u64 kMaxRowSectors = u64{1} << 32; ///< 2 TiB; a longer row is a broken line
inline constexpr u64 kMaxRowLba = u64{1} << 55;     ///< byte addresses end at 2^64
inline constexpr u64 kMaxRequestSectors = 65536;    ///< longer rows are split
inline constexpr u64 kMaxArrival = u64{1} << 63;    ///< ps, 106 days; a row that arrives then or later is an error

} // namespace tlmssd::workload
