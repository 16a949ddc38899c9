// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one segment at a time in front of a class of the checker.
#pragma once

#include <vector>

#include "models/onfi/checker/observed_segment.h"
#include "tb/onfi/bytes.h"

namespace tlmssd::tb {

/// SDR mode 5 (docs/reference/onfi-facts.md): tCS 15, tWC 20, tRC 20, tRR 20, tWHR 80, tCCS 500, tADL 400,
/// tRHW 100 ns.
struct ObservedBus {
    static constexpr u32 kSdr5 = 5; ///< row of the MinimaTable

    config::Nand nand;
    onfi::MinimaTable minima{nand, 8};
    onfi::CommandSequence sequence;
    onfi::ViolationLog log;

    /// `visit(seen)` for the segment that occupies [start_ps, end_ps).
    template <class Visit>
    void observe(Segment s, u64 start_ps, u64 end_ps, Visit visit, u8 row = kSdr5)
    {
        s.start = Picoseconds(start_ps);
        s.end = Picoseconds(end_ps);
        onfi::ObservedSegment seen(0, s, minima[row], row, sequence, log);
        visit(seen);
    }
    std::vector<onfi::Rule> rules() const
    {
        std::vector<onfi::Rule> all;
        for (const onfi::Violation& v : log.first()) {
            all.push_back(v.rule);
        }
        return all;
    }
};

constexpr u64 ns(u64 n) { return n * 1000; }
constexpr u64 us(u64 n) { return n * 1000000; }

} // namespace tlmssd::tb
