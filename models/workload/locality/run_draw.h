// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: draws from the distributions of a workload with locality.
#pragma once

#include <vector>

#include "models/common/hash.h"
#include "models/config/locality.h"
#include "models/workload/random/permutation.h"

namespace tlmssd::workload {

/// Draws a place of a list in proportion to weights: O(log n).
class WeightedDraw {
public:
    void add(u64 weight) { ends_.push_back((ends_.empty() ? 0 : ends_.back()) + weight); }
    u64 sum() const { return ends_.empty() ? 0 : ends_.back(); }
    /// sum() > 0.
    std::size_t operator()(u64 word) const;

private:
    std::vector<u64> ends_;
};

/// Random words of which each window has one in each of as many equal parts of all words, in hashed order: so that
/// short streams have the shares that are asked for, as those of bssplit (random/bssplit.h).
class EvenWords {
public:
    EvenWords(u64 seed, u64 purpose) : seed_(seed), purpose_(purpose) {}

    u64 next()
    {
        const u64 place = index_ % kWindow;
        if (place == 0) {
            key_ = draw64(seed_, purpose_, index_);
        }
        const u64 word = draw64(key_, purpose_, index_++);
        return order_(place, key_) << (64 - kBits) | word >> kBits;
    }

private:
    static constexpr u32 kBits = 8;
    static constexpr u64 kWindow = u64{1} << kBits;

    u64 seed_;
    u64 purpose_;
    Permutation order_{kWindow};
    u64 key_ = 0;
    u64 index_ = 0;
};

/// Runs of requests of one kind.
class RunDraw {
public:
    RunDraw(const config::RunTypes& runs, u64 seed, u64 purpose);

    const config::RunType& next() { return types_[draw_(words_.next())]; }
    double mean_requests() const { return mean_requests_; } ///< of a run
    u32 longest() const { return longest_; }                ///< sectors

private:
    std::vector<config::RunType> types_;
    WeightedDraw draw_;
    EvenWords words_;
    double mean_requests_ = 0;
    u32 longest_ = 0;
};

/// The distance that a run should have.
struct Reuse {
    u64 distance; ///< 0: a place that was never used
    config::BlockState state; ///< of its blocks
};

/// Stack distances of one kind. P(d <= limit of a step) is the sum of the weights up to that step, over the sum of all
/// weights of the class, `new` included; in a step all distances are equally likely.
class ReuseDraw {
public:
    /// Takes one purpose for each class, from `purpose` on.
    ReuseDraw(const config::Reuse& reuse, u64 seed, u64 purpose);

    /// Of a run of `blocks` blocks.
    Reuse next(u64 blocks);

private:
    struct Class {
        u64 blocks;
        std::vector<u64> limits; ///< the first is 0
        EvenWords words;
        WeightedDraw draw;       ///< 0: never used; 3 i - 2 to 3 i: from limits[i - 1] + 1 to limits[i], by state
    };
    std::vector<Class> classes_;
};

} // namespace tlmssd::workload
