// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: finds out that an RTL controller has come to a stop, and says what is inside it. No kernel.
#pragma once

#include <string>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/common/picoseconds.h"
#include "models/interfaces/controller_if.h"

namespace tlmssd::flash {

struct RtlPatience {
    u64 edges = 1000000;                  ///< at which the RTL was not idle
    Picoseconds time = microseconds(1000000); ///< 1 s; more than its own time outs
};

/// Progress is an operation that the RTL takes, a segment of it that starts or ends (status reads, which
/// may be repeated without end, are none; but each may cost some clocks) and its completion. Looks on only: no result depends on it.
class RtlWatchdog {
public:
    RtlWatchdog(u32 tags, u32 channels, const RtlPatience& patience);

    void taken(const flash_op& op, Picoseconds now);
    void segment_starts(u32 channel, const SegmentRequest& request, Picoseconds now);
    void segment_ends(u32 channel, Phase phase);
    void completed(u32 tag, Picoseconds now);
    /// After each edge. Throws ModelError with report() when there was no progress for too long while
    /// operations are inside.
    void edge(Picoseconds now, bool idle)
    {
        busy_edges_ += !idle;
        if (outstanding_ != 0 && (busy_edges_ >= patience_.edges || now - progress_ >= patience_.time)) {
            bark(now);
        }
    }
    /// The oldest operation, and each channel that has some; lines end with \n. "": nothing is inside.
    std::string report() const;

private:
    struct Entry {
        u64 number = 0; ///< order of coming in, from 1; 0: not inside
        Picoseconds taken_at;
        u8 opcode = 0, channel = 0, ce = 0, lun = 0;
        bool started = false;
        Phase phase = Phase::Command; ///< of its last segment
    };
    struct Bus {
        bool used = false; ///< a segment is running
        u32 tag = 0;
        Picoseconds since; ///< start of the last segment
        bool ever = false;
    };
    void progress(Picoseconds now)
    {
        busy_edges_ = 0;
        progress_ = now;
    }
    void bark(Picoseconds now) const;
    std::string oldest() const;

    RtlPatience patience_;
    std::vector<Entry> entries_; ///< by tag
    std::vector<Bus> buses_;
    u64 count_ = 0;
    u32 outstanding_ = 0;
    u64 busy_edges_ = 0; ///< since the last progress
    Picoseconds progress_;
};

} // namespace tlmssd::flash
