// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blocks that random requests start at, by fio's random_distribution.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/common/hash.h"
#include "models/config/workload.h"
#include "models/workload/random/purposes.h"
#include "models/workload/random/scatter.h"
#include "models/workload/random/zipf.h"

namespace tlmssd::workload {

/// Ranks of fio's Pareto: floor((n - 1) u^(log h / log(1 - h))) with u uniform in [0, 1), so that a
/// share h of the ranks gets a share 1 - h of the requests (fio lib/zipf.c, pareto_next).
class Pareto {
public:
    /// n >= 1, 0 < power < 1.
    Pareto(u64 n, double power);
    u64 rank(double unit) const;

private:
    u64 n_;
    double most_;     ///< n - 1
    double exponent_; ///< log h / log(1 - h)
};

/// Ranks of fio's normal: the mean of twelve uniform ranks (variance n^2/144) and a uniform offset
/// of at most half the deviation to either side (fio lib/gauss.c, gauss_next). The deviation counts
/// as 50 % where it is more.
class Normal {
public:
    /// n >= 1, deviation in % of n, 0 to 100.
    Normal(u64 n, double deviation);
    /// `index`: number of the draw.
    u64 rank(u64 seed, u64 purpose, u64 index) const;

private:
    u64 n_;
    double width_; ///< of the offset
};

/// The block for each random request of one direction. Zipf, Pareto and normal give ranks, which a
/// seeded permutation spreads over the region, as fio's hash does, but so that each block keeps
/// exactly its share; `center` moves the hottest block to a place. Zones keep their places.
class BlockDraw {
public:
    /// blocks >= 1.
    BlockDraw(const config::AddressRule& rule, config::Direction direction, u64 blocks, u64 seed);

    /// In [0, blocks). For uniform draws in [0, fitting), of which there may be fewer.
    u64 operator()(u64 index, u64 fitting) const
    {
        const u64 word = draw64(seed_, purpose::kOffset, index);
        return kind_ == config::Distribution::Random ? draw_below(word, fitting)
                                                     : skewed(index, word);
    }

private:
    struct ZoneBlocks {
        u32 access_end; ///< share of the requests up to the end of this zone
        u64 first;
        u64 count;
    };

    u64 spread(u64 rank) const;
    u64 skewed(u64 index, u64 word) const;
    u64 zoned(u64 index, u64 word) const;

    u64 seed_;
    u64 blocks_;
    config::Distribution kind_;
    std::optional<Zipf> zipf_;
    std::optional<Pareto> pareto_;
    std::optional<Normal> normal_;
    std::vector<ZoneBlocks> zones_;
    Scatter scatter_;
    u64 shift_ = 0; ///< added behind the permutation
};

} // namespace tlmssd::workload
