// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DRAM with banks and open rows: when a transfer ends, in closed form for each row it touches
// (docs/explanation/dram.md, "Banks").
#pragma once

#include <array>
#include <vector>

#include "models/config/config.h"
#include "models/interfaces/dram_if.h"

namespace tlmssd::dram {

/// A part's times as the controller keeps them: whole clocks, in picoseconds.
struct BankTimes {
    explicit BankTimes(const config::DramTiming& part);
    Picoseconds rounded(Picoseconds time) const; ///< up to whole clocks

    Picoseconds clock;
    u32 burst_bytes = 0; ///< of one column command
    Picoseconds burst;   ///< its time on the data bus
    Picoseconds rcd, rp, ras, wr, wtr, rtp, rrd, faw, rfc;
    Picoseconds refi;        ///< 0: no refresh
    Picoseconds read, write; ///< column command to the first data: CL, CWL
    Picoseconds turnaround;  ///< idle data bus from a read to a write
};

/// Transfers are served in the order of the calls, whole. Rows are opened ahead: for all rows of a
/// transfer from its arrival on.
class Banks {
public:
    struct Statistics {
        u64 hits = 0;      ///< rows of transfers that were open
        u64 closed = 0;    ///< that had to be opened
        u64 conflicts = 0; ///< whose bank had another row open
        u64 refreshes = 0;
        u64 turnarounds = 0; ///< a read after a write, or the other way round
        Picoseconds data;    ///< the data bus carried data, those of transfers to come included

        /// Counts since `before`.
        Statistics since(const Statistics& before) const
        {
            return {hits - before.hits, closed - before.closed, conflicts - before.conflicts,
                    refreshes - before.refreshes, turnarounds - before.turnarounds, data - before.data};
        }
    };

    explicit Banks(const config::DramTiming& part);

    /// End of the last data beat. `now` never goes back.
    Picoseconds transfer(Picoseconds now, const DramAccess& access);
    const Statistics& statistics() const { return statistics_; }

    /// For an arbiter: the first clock from `time` on; the first column command of the row that was reached
    /// last; data time of a transfer; the earliest data of one that comes at `now`.
    Picoseconds edge(Picoseconds time) const { return t_.rounded(time); }
    Picoseconds last_column() const { return column_; }
    Picoseconds data_time(const DramAccess& access) const;
    Picoseconds earliest_data(Picoseconds now, bool write) const
    {
        return t_.rounded(now) + (write ? t_.write : t_.read);
    }

private:
    static constexpr u32 kNoRow = ~0u;
    struct Bank {
        u32 row = kNoRow;
        Picoseconds may_open;  ///< earliest ACTIVATE
        Picoseconds may_close; ///< earliest PRECHARGE
    };
    /// Times to open and reach a row, before anything is decided.
    struct Plan {
        Picoseconds activate; ///< only where the row is not open
        Picoseconds column;   ///< first column command
    };

    Plan plan(Picoseconds now, const Bank& bank, u32 row, bool write) const;
    void refresh(Picoseconds until);
    void row(Picoseconds now, Bank& bank, u32 row, u32 bursts, bool write);

    BankTimes t_;
    u32 row_shift_;
    u32 bank_mask_;
    u32 bank_shift_;
    std::vector<Bank> banks_;
    std::array<Picoseconds, 4> activates_{}; ///< the last four
    u32 activate_ = 0;                       ///< the oldest of them
    u64 opened_ = 0;
    Picoseconds column_;
    Picoseconds bus_free_;   ///< end of the last data
    Picoseconds write_end_;  ///< of the last write's data
    bool moved_ = false, wrote_ = false; ///< something has; the last was a write
    Picoseconds next_refresh_;
    Statistics statistics_;
};

} // namespace tlmssd::dram
