// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what one pass over a workload has measured: windows of requests in simulated time.
#pragma once

#include <array>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/interfaces/request.h"

namespace tlmssd::sample {

/// A request that has ended.
struct Ended {
    u64 at_ps = 0;      ///< simulated time
    u64 latency_ps = 0; ///< from issue
    u32 sectors = 0;    ///< 0: no data (FLUSH, TRIM)
    workload::Kind kind = workload::Kind::Read;
};

/// Requests in the order of their ends, the first ones of which are warm-up.
struct Window {
    std::vector<Ended> measured;
    std::vector<Ended> control; ///< the same by the controller that stands by, from the same state; none without one
};

/// The windows of a pass. Each stratum, of equal numbers of requests, has one; where in it, is drawn.
struct Plan {
    u64 windows = 0;
    u64 length = 0; ///< requests that end in a window
    u64 draw = 0;   ///< another number draws other places
    Picoseconds longer_ecc = Picoseconds(); ///< of each read, so that this is another run of the same workload
    u64 sections = 0;       ///< of the workload that another run serves, too: one in each stratum of as many
    u64 section_length = 0; ///< requests that end in a section and count; a quarter as many before them do not
    Picoseconds section_ecc = Picoseconds(); ///< `longer_ecc` of the other runs of sections
    u64 outline_every = 0; ///< requests behind which the pass shows what it has so far, each time; 0: it does not

    u64 warmup() const { return length / 4; } ///< of them, those that are not measured
    u64 measured() const { return length - warmup(); }
    u64 section_warmup() const { return section_length / 4; }
};

/// Counters of the firmware over a whole pass; with mapping units, units.
struct Exact {
    u64 host_pages = 0;  ///< programmed for the host
    u64 flash_pages = 0; ///< programmed in all
};

/// Requests that the controller that stands by has served: the whole workload, or a part of it.
struct Whole {
    u64 requests = 0;
    u64 transfers = 0; ///< of them, reads and writes
    u64 bytes = 0;
    u64 time_ps = 0;   ///< to the end of the last one; of a part: from the end of the part before
    struct Kind {
        u64 requests = 0;
        double latency_ps = 0;    ///< sum
        std::vector<u64> buckets; ///< latencies, by bucket of observe::Histogram
    };
    std::array<Kind, 2> kinds; ///< reads, writes
};

/// Equal numbers of requests by the controller that stands by, in two runs; parts one behind the other, of kParts in all.
struct Twins {
    std::vector<Whole> pass;
    std::vector<Whole> other;
    double share = 1; ///< of the workload that the parts are
};
constexpr u64 kParts = 32; ///< a power of two

struct PassResult {
    std::vector<Window> windows;
    Exact exact;
    Whole whole; ///< no requests: no controller stands by
    std::vector<Whole> parts; ///< of it: kParts of equal numbers of requests, in the order of their ends; not with sections
    Twins sections;           ///< of the plan
};

/// The contents of a workload: one reading of its source.
struct Census {
    u64 requests = 0;
    u64 reads = 0; ///< of them
};

} // namespace tlmssd::sample
