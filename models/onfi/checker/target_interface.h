// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the data interface and timing mode that one target is set to.
#pragma once

#include "models/onfi/bus/violation.h"
#include "models/onfi/checker/bus_minima.h"

namespace tlmssd::onfi {

/// Timing modes are rows of MinimaTable. SET FEATURES 01h holds from the end of tFEAT on.
class TargetInterface {
public:
    TargetInterface(u8 row, bool program_clear) : row_(row), program_clear_(program_clear) {}

    u8 row() const { return row_; }
    bool program_clear() const { return program_clear_; }
    const Cycle& set_by() const { return set_by_; } ///< what chose the interface; none: the start

    /// Does the target understand cycles driven in row `driven`, of a segment that has started at
    /// `start`? A slower mode of its interface it does. A segment that had started before the
    /// setting changed may end as it was.
    bool understands(u8 driven, u64 start) const
    {
        return fits(driven, row_) || (start < set_at_ && fits(driven, old_row_));
    }
    /// SET FEATURES 01h; `row` kNoIndex: the mode stays.
    void request(u8 row, bool program_clear, const Cycle& by)
    {
        pending_ = true;
        next_program_clear_ = program_clear;
        next_row_ = row;
        set_by_ = by;
    }
    /// The end of tFEAT: what has been asked for holds from now on.
    void apply(u64 now);
    /// FFh and FCh drop what waits for tFEAT. FFh (`interface_too`) in a DDR interface goes back to
    /// SDR mode 0; in SDR it leaves the mode (ONFI 2.3 clause 5.3, from memory).
    void reset(bool interface_too, const Cycle& by)
    {
        pending_ = false;
        if (interface_too && row_ >= MinimaTable::kModes) {
            row_ = 0;
            set_by_ = by;
        }
    }

private:
    static bool fits(u8 driven, u8 set)
    {
        return driven / MinimaTable::kModes == set / MinimaTable::kModes && driven <= set;
    }

    u8 row_;
    u8 old_row_ = 0; ///< before `set_at_`
    u8 next_row_ = MinimaTable::kNoIndex; ///< after tFEAT; kNoIndex: stays
    bool program_clear_;
    bool next_program_clear_ = true;
    bool pending_ = false;
    u64 set_at_ = 0;
    Cycle set_by_;
};

} // namespace tlmssd::onfi
