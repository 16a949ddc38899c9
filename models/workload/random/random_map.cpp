// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random requests that visit each block once before any comes again (fio's random map).
#include "models/workload/random/random_map.h"

#include <algorithm>

#include "models/workload/random/bssplit.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {
namespace {

/// Ends of the pieces of one period, from 0.
std::vector<u64> period_of(const std::vector<config::SizeShare>& split, u32 sectors, u64 seed)
{
    Sizes sizes(split, sectors, 0, seed, purpose::kTiling);
    std::vector<u64> starts{0};
    const u64 pieces = split.empty() ? 1 : exact_window(split);
    for (u64 i = 0; i < pieces; ++i) {
        starts.push_back(starts.back() + sizes.next());
    }
    return starts;
}

} // namespace

RandomMap::RandomMap(const std::vector<config::SizeShare>& split, u32 sectors, u64 region_sectors,
                     u64 seed)
    : starts_(period_of(split, sectors, seed)), whole_(0), order_(1), seed_(seed)
{
    const u64 period = starts_.back();
    const u64 rest = region_sectors % period;
    const auto end = std::upper_bound(starts_.begin(), starts_.end(), rest);
    const u64 fitting = static_cast<u64>(end - starts_.begin()) - 1;
    whole_ = region_sectors / period * (starts_.size() - 1) + fitting;
    u32 step = sectors;
    for (const config::SizeShare& size : split) {
        step = &size == &split.front() ? size.sectors : std::min(step, size.sectors);
    }
    const u64 over = rest - starts_[fitting];
    cut_ = static_cast<u32>(over - over % step);
    order_ = Permutation(whole_ + (cut_ != 0 ? 1 : 0));
    key_ = draw64(seed_, purpose::kPass, 0);
}

RandomMap::Piece RandomMap::piece(u64 number) const
{
    const u64 in_period = starts_.size() - 1;
    const u64 base = number / in_period * starts_.back();
    const u64 place = number % in_period;
    const u64 length = starts_[place + 1] - starts_[place];
    return {base + starts_[place], number < whole_ ? static_cast<u32>(length) : cut_};
}

RandomMap::Piece RandomMap::next()
{
    if (at_ == order_.size()) {
        at_ = 0;
        key_ = draw64(seed_, purpose::kPass, ++passes_);
    }
    return piece(order_(at_++, key_));
}

} // namespace tlmssd::workload
