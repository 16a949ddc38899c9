// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests from a rule, in fio's words.
#pragma once

#include <array>
#include <optional>

#include "models/config/rules/workload_check.h"
#include "models/config/workload.h"
#include "models/interfaces/request.h"
#include "models/workload/arrivals.h"
#include "models/workload/quota.h"
#include "models/workload/random/bssplit.h"
#include "models/workload/random/distributions.h"
#include "models/workload/random/random_map.h"

namespace tlmssd::workload {

/// Each draw is a hash of (seed, purpose, request number). Closed loop: all arrivals are 0.
/// Sequential reads and writes have a pointer each (trims use that of the writes), which starts at
/// the region's start and goes back to it where a request does not fit any more.
class Generator final : public RequestSource {
public:
    /// `device_sectors` > 0. Throws InputError naming the key that is wrong.
    Generator(const config::Workload& workload, u64 device_sectors, u64 seed);

    bool next(Request& request) override;
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return limit_; }
    double progress() const override;

private:
    /// The settings that differ between reads, writes and trims.
    struct Side {
        Sizes sizes;
        BlockDraw blocks;
        u32 step;                    ///< sectors; random starts are multiples of it
        u32 percentage_random;
        u32 fitting_sectors = 0;     ///< size that `fitting` is for
        u64 fitting = 0;             ///< starts from which such a request stays inside
        std::optional<Quota> follow; ///< says yes where the request follows the one before
        u64 end = 0;                 ///< of the last request of this direction
    };
    struct Place {
        u64 start; ///< sectors from the region's start
        u32 sectors;
    };

    Side make_side(const config::Workload& w, config::Direction direction) const;
    Kind draw_kind(u64 index);
    Place place(Kind kind, Side& side, u64 index);
    u64 random_start(Side& side, u64 index, u32 sectors) const;
    u64 ruled_start(Side& side, u64 index, u32 sectors);
    bool at_end() const;
    bool draw_percent(u64 purpose, u64 index, u32 percent) const;

    u64 seed_;
    u64 limit_;      ///< requests; 0: none
    config::Region region_;
    u64 byte_limit_; ///< 0: none
    u64 ios_limit_;  ///< reads, writes and trims; 0: none
    u32 read_percent_;
    u32 trim_percent_;
    u32 flush_every_;
    bool random_;
    bool trim_write_;
    bool fua_;
    std::optional<Quota> mix_;     ///< says yes for a read
    std::optional<RandomMap> map_; ///< norandommap: false
    std::array<Side, config::kDirections> sides_;
    Arrivals arrivals_;

    u64 index_ = 0;         ///< reads, writes and trims so far
    u64 read_pointer_ = 0;  ///< sectors from the region's start
    u64 write_pointer_ = 0;
    u64 previous_end_ = 0;  ///< of the last read, write or trim
    u64 bytes_ = 0;
    Request last_;          ///< trimwrite: the trim that is written next
    Picoseconds arrival_;
    u32 writes_ = 0;        ///< since the last flush
    SourceCounts counts_;
};

} // namespace tlmssd::workload
