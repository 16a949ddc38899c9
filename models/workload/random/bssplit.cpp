// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: request sizes in the shares that bssplit gives.
#include "models/workload/random/bssplit.h"

#include <numeric>

namespace tlmssd::workload {

u64 exact_window(const std::vector<config::SizeShare>& split)
{
    u32 divisor = config::kWhole;
    for (const config::SizeShare& size : split) {
        divisor = std::gcd(divisor, size.share);
    }
    return config::kWhole / divisor;
}

Sizes::Sizes(const std::vector<config::SizeShare>& split, u32 sectors, u64 window, u64 seed,
             u64 purpose)
    : single_(split.empty() ? sectors : split.size() == 1 ? split[0].sectors : 0),
      permutation_(window != 0 ? window : exact_window(split)), seed_(seed), purpose_(purpose)
{
    u64 share = 0;
    for (const config::SizeShare& size : split) {
        share += size.share;
        // Rounded from the sum: rounding never adds up, and the last step ends at the window.
        // Below 2^64: a quota is at most 10^15.
        const u64 end = (share * permutation_.size() + config::kWhole / 2) / config::kWhole;
        steps_.push_back({end, size.sectors});
    }
    rekey();
}

void Sizes::rekey() { key_ = draw64(seed_, purpose_, windows_++); }

} // namespace tlmssd::workload
