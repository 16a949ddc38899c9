// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: two DRAM parts and random transfers for the tests of banks and arbiter.
#pragma once

#include <vector>

#include "models/common/hash.h"
#include "tb/dram/burst_reference.h"

namespace tlmssd::tb {

/// DDR3-1600, 11-11-11, 32 lines: a burst is 32 bytes and 4 clocks of 1.25 ns. In clocks: tRCD, tRP, CL
/// 11, CWL 8, tRAS 28, tWR 12, tWTR, tRTP, tRRD 6, tFAW 32, tRFC 128, tREFI 6240.
inline config::DramTiming ddr3()
{
    config::DramTiming t;
    t.clock = Picoseconds(1250);
    t.t_rcd = t.t_rp = Picoseconds(13750);
    t.t_ras = nanoseconds(35);
    t.t_wr = nanoseconds(15);
    t.t_wtr = t.t_rtp = t.t_rrd = Picoseconds(7500);
    t.t_faw = nanoseconds(40);
    t.t_rfc = nanoseconds(160);
    t.t_refi = nanoseconds(7800);
    return t;
}

/// 4 clocks' bursts of 16 bytes at 7.5 ns; write data come with the command.
inline config::DramTiming sdr()
{
    config::DramTiming t;
    t.clock = Picoseconds(7500);
    t.beats_per_clock = 1;
    t.bus_bits = 16;
    t.banks = 4;
    t.row_bytes = 1024;
    t.read_latency = 3;
    t.write_latency = 0;
    t.turnaround = 1;
    t.t_rcd = t.t_rp = nanoseconds(20);
    t.t_ras = nanoseconds(44);
    t.t_wr = t.t_rrd = nanoseconds(15);
    t.t_rfc = nanoseconds(66);
    t.t_refi = Picoseconds(7812500);
    return t;
}

inline config::DramTiming without_refresh(config::DramTiming t)
{
    t.t_refi = Picoseconds();
    return t;
}

/// `gap`: clocks between arrivals, below; `span`: sectors. In order of arrival, of all masters.
inline std::vector<BurstReference::Request> random_requests(u64 seed, u32 count, u64 gap, u32 span)
{
    std::vector<BurstReference::Request> all;
    u64 at = 0;
    for (u32 i = 0; i < count; ++i) {
        const auto draw = [&](u64 stream, u64 below) {
            return draw_below(draw64(seed, stream, i), static_cast<u32>(below));
        };
        at += draw(1, gap);
        const u32 bytes = 512 * (1 + static_cast<u32>(draw(2, draw(3, 2) == 0 ? 2 : 16)));
        all.push_back({at, {static_cast<u32>(draw(4, span)) * 512, bytes, draw(5, 2) == 0, static_cast<DramMaster>(draw(6, kDramMasters))}});
    }
    return all;
}

} // namespace tlmssd::tb
