// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which versions of each unit the host may find after a cut of the supply.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "models/host/expected_versions.h"
#include "models/host/request_record.h"

namespace tlmssd::powercut {

/// Of each unit: the newest version that must survive, and those that were written or trimmed (version
/// 0) since and may survive. A write must survive once it is acknowledged with FUA or without a write
/// cache; everything that had ended before a FLUSH was issued must once that has ended. A TRIM of a part of a page, and a write that
/// has failed, may have taken effect or not (docs/explanation/power-loss.md).
class PowerHistory {
public:
    /// `durable_writes`: a write that was acknowledged survives; `durable_trims`: so does a TRIM.
    PowerHistory(u64 units, u32 sectors_per_unit, u32 units_per_page, bool durable_writes,
                 bool durable_trims = false);

    /// Everything that was written so far is durable; trimmed units may be gone or, where only a part of
    /// a page was trimmed, not.
    void all_durable(const host::ExpectedVersions& versions);
    /// `versions` has heard of the command already.
    void on_issued(const hal_host_command& command, const host::ExpectedVersions& versions);
    void on_ended(const hal_host_command& command, u32 status);

    u64 units() const { return durable_.size(); }
    bool allows(u64 unit, u32 version) const;
    u32 durable(u64 unit) const { return durable_[unit]; }
    /// The unit has `version`, though something newer had been acknowledged: what a volatile cache may lose.
    bool lost(u64 unit, u32 version) const;
    /// A device that was mounted has this version: it is in flash, and the only one from now on.
    void found(u64 unit, u32 version);

    /// To and from a file, for the process of the next life. InputError.
    void save(const std::string& path) const;
    void load(const std::string& path);

private:
    struct Entry {
        u32 version;
        u16 sure;  ///< 0: it may have had no effect
        u16 told;  ///< 1: it was acknowledged
        u64 ended; ///< number of its end; kOpen before
    };
    static constexpr u64 kOpen = ~u64{0};
    struct Since {
        u64 dropped = 0; ///< entries that are no longer in the list
        std::vector<Entry> entries;
    };
    struct Mark {
        u64 unit;
        u64 index; ///< of its entry, those dropped included
    };
    void settle(u64 unit, u64 index);

    u32 sectors_per_unit_;
    u32 units_per_page_;
    bool durable_writes_;
    bool durable_trims_;
    std::vector<u32> durable_;
    std::unordered_map<u64, Since> since_;
    struct Command {
        std::vector<Mark> marks; ///< what a write or a TRIM has added
        u64 ends = 0;            ///< of a FLUSH: commands that had ended when it was issued
    };
    std::vector<Command> open_ = std::vector<Command>(HAL_HOST_TAGS); ///< by tag
    u64 ends_ = 0;                                                    ///< commands that have ended
};

} // namespace tlmssd::powercut
