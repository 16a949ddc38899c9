// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: faults of the fault script, at their times.
#pragma once

#include <memory>
#include <vector>

#include "models/common/fixed_array.h"
#include "models/nand/errors/fault_script.h"
#include "models/nand/target/timed_lun.h"

namespace tlmssd::nand {

/// Plays the faults of the LUNs of one CE#.
class FaultPlayer {
public:
    /// Picks from `faults`, sorted by time, those of `luns`, whose dies follow each other.
    FaultPlayer(time::EventQueue& event_queue, const std::vector<Fault>& faults,
                FixedArray<TimedLun>& luns);

    /// The simulation starts.
    void start();
    std::size_t left() const { return faults_.size() - next_; }

private:
    void on_due();
    static void apply(const Fault& fault, TimedLun& lun);

    FixedArray<TimedLun>& luns_;
    std::vector<Fault> faults_;
    std::size_t next_ = 0;
    std::unique_ptr<time::Timer> timer_; ///< null without faults
};

} // namespace tlmssd::nand
