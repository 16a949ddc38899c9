// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host does about a SATA link whose resets repeat: slower, one command at a time, give up.
#pragma once

#include <deque>

#include "models/common/picoseconds.h"
#include "models/config/sata.h"

namespace tlmssd::host {

/// The measures of a driver, in their order (docs/explanation/sata-errors.md). No SystemC.
class LinkRecovery {
public:
    enum class Measure : u8 {
        SendAgain, ///< nothing but that
        Slower,    ///< the next lower line rate
        NcqOff,    ///< one command at a time
        GiveUp     ///< the device is lost
    };
    /// libata (ata_eh_speed_down_verdict): two errors before the link has done any work at this rate are
    /// enough; others count for ten minutes.
    static constexpr u32 kErrorsWithoutWork = 2;
    static constexpr Picoseconds kWindow = milliseconds(600000);

    explicit LinkRecovery(const config::Sata& config)
        : config_(config), gbps_tenths_(config.gbps_tenths), ncq_(config.ncq)
    {
    }

    /// A COMRESET at `now`.
    Measure on_reset(Picoseconds now);
    /// A command has ended, and not because the host gave it up.
    void on_work()
    {
        in_a_row_ = 0;
        worked_ = true;
    }

    u32 gbps_tenths() const { return gbps_tenths_; }
    bool ncq() const { return ncq_; }
    u32 resets_in_a_row() const { return in_a_row_; }

private:
    bool errors_repeat(Picoseconds now);
    Measure next_measure();

    config::Sata config_;
    u32 gbps_tenths_;
    bool ncq_;
    bool worked_ = false;          ///< since the start, or the last measure
    u32 in_a_row_ = 0;             ///< COMRESETs since a command has ended
    std::deque<Picoseconds> errors_; ///< since the last measure, `slower_after` at most
};

} // namespace tlmssd::host
