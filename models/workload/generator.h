// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests from a rule, in fio's words.
#pragma once

#include <optional>

#include "models/config/config.h"
#include "models/workload/request.h"
#include "models/workload/scatter.h"
#include "models/workload/zipf.h"

namespace tlmssd::workload {

/// Closed loop: all arrivals are 0. Each draw is a hash of (seed, purpose, request number), so the
/// n-th request does not depend on how it is asked for. Sequential reads and writes have a pointer
/// each, which starts at 0 and wraps at the end of the region.
class Generator final : public RequestSource {
public:
    /// `device_sectors` > 0. Throws InputError naming the key that is wrong.
    Generator(const config::Workload& workload, u64 device_sectors, u64 seed);

    bool next(Request& request) override;
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return limit_; }
    double progress() const override;

private:
    bool draw_percent(u64 purpose, u64 index, u32 percent) const;
    u64 random_block(u64 index) const;
    u64 next_in(u64& pointer) const;

    u64 seed_;
    u64 limit_;
    u64 blocks_;     ///< of the region
    u32 sectors_;    ///< of a block
    u32 read_percent_;
    u32 trim_percent_;
    u32 flush_every_;
    bool random_;
    bool fua_;
    std::optional<Zipf> zipf_;
    Scatter scatter_;

    u64 index_ = 0;  ///< reads, writes and trims so far
    u64 read_pointer_ = 0;
    u64 write_pointer_ = 0;
    u32 writes_ = 0; ///< since the last flush
    SourceCounts counts_;
};

} // namespace tlmssd::workload
