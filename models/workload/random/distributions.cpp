// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blocks that random requests start at, by fio's random_distribution.
#include "models/workload/random/distributions.h"

#include <cmath>

namespace tlmssd::workload {

using config::Distribution;

Pareto::Pareto(u64 n, double power)
    : n_(n), most_(static_cast<double>(n - 1)), exponent_(std::log(power) / std::log1p(-power))
{
}

u64 Pareto::rank(double unit) const
{
    const u64 rank = static_cast<u64>(most_ * std::pow(unit, exponent_));
    return rank < n_ ? rank : n_ - 1;
}

Normal::Normal(u64 n, double deviation)
    : n_(n), width_(static_cast<double>(n) * (deviation < 50 ? deviation : 50) / 100)
{
}

u64 Normal::rank(u64 seed, u64 purpose, u64 index) const
{
    constexpr u64 kUniforms = 12;
    double sum = 0;
    for (u64 i = 0; i < kUniforms; ++i) {
        sum += draw_unit(draw64(seed, purpose, index * (kUniforms + 1) + i));
    }
    const double n = static_cast<double>(n_);
    double offset =
        width_ * (draw_unit(draw64(seed, purpose, index * (kUniforms + 1) + kUniforms)) - 0.5);
    const double mean = sum / static_cast<double>(kUniforms) * n;
    while (mean + offset >= n || mean + offset < 0) { // fio halves what would leave the region
        offset /= 2;
    }
    return static_cast<u64>(mean + offset);
}

BlockDraw::BlockDraw(const config::AddressRule& rule, config::Direction direction, u64 blocks,
                     u64 seed)
    : seed_(seed), blocks_(blocks), kind_(rule.kind), scatter_(blocks, seed, purpose::kScatter)
{
    switch (kind_) {
    case Distribution::Random:
        return;
    case Distribution::Zipf:
        zipf_.emplace(blocks, rule.parameter);
        break;
    case Distribution::Pareto:
        pareto_.emplace(blocks, rule.parameter);
        break;
    case Distribution::Normal:
        normal_.emplace(blocks, rule.parameter);
        break;
    case Distribution::Zoned: {
        u32 access = 0;
        u64 region = 0;
        for (const config::Zone& zone : rule.zones[direction]) {
            const u64 first = blocks * region / config::kWhole;
            region += zone.region;
            access += zone.access;
            zones_.push_back({access, first, blocks * region / config::kWhole - first});
        }
        return;
    }
    }
    if (rule.center >= 0) {
        const u64 hottest = kind_ == Distribution::Normal ? blocks / 2 : 0;
        const u64 place = static_cast<u64>(rule.center * static_cast<double>(blocks - 1));
        shift_ = (place + blocks - scatter_(hottest)) % blocks;
    }
}

u64 BlockDraw::spread(u64 rank) const { return (scatter_(rank) + shift_) % blocks_; }

u64 BlockDraw::zoned(u64 index, u64 word) const
{
    const u64 share = draw_below(draw64(seed_, purpose::kZone, index), config::kWhole);
    std::size_t i = 0;
    while (share >= zones_[i].access_end) {
        ++i;
    }
    return zones_[i].first + draw_below(word, zones_[i].count);
}

u64 BlockDraw::skewed(u64 index, u64 word) const
{
    switch (kind_) {
    case Distribution::Zipf:
        return spread(zipf_->rank(draw_unit(word)));
    case Distribution::Pareto:
        return spread(pareto_->rank(draw_unit(word)));
    case Distribution::Normal:
        return spread(normal_->rank(seed_, purpose::kNormal, index));
    case Distribution::Random:
    case Distribution::Zoned:
        break;
    }
    return zoned(index, word);
}

} // namespace tlmssd::workload
