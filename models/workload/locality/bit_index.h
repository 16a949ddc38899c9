// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a set of small numbers that finds the nearest member.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::workload {

/// Bits in words of 64, with a bit for each word that is not empty, and so on up to a single word. Each call visits
/// one or two words of each level: log64(size) levels. 1.02 bits a number.
class BitIndex {
public:
    explicit BitIndex(u32 size = 0) { resize(size); }

    /// Empty again, for the numbers 0 to size - 1.
    void resize(u32 size)
    {
        levels_.clear();
        u32 words = size;
        do {
            words = (words + 63) / 64;
            levels_.emplace_back(words, 0);
        } while (words > 1);
    }

    void insert(u32 number)
    {
        for (std::vector<u64>& level : levels_) {
            level[number / 64] |= u64{1} << number % 64;
            number /= 64;
        }
    }

    void erase(u32 number)
    {
        for (std::vector<u64>& level : levels_) {
            u64& word = level[number / 64];
            word &= ~(u64{1} << number % 64);
            if (word != 0) {
                return;
            }
            number /= 64;
        }
    }

    /// The least member that is `from` or more.
    std::optional<u32> at_or_after(u32 from) const
    {
        for (std::size_t level = 0; level < levels_.size() && from / 64 < levels_[level].size(); ++level) {
            const u64 word = levels_[level][from / 64] & (~u64{0} << from % 64);
            if (word != 0) {
                return down(level, from / 64 * 64 + static_cast<u32>(__builtin_ctzll(word)), false);
            }
            from = from / 64 + 1;
        }
        return std::nullopt;
    }

    /// The greatest member below `to`.
    std::optional<u32> before(u32 to) const
    {
        for (std::size_t level = 0; level < levels_.size() && to > 0; ++level) {
            const u32 last = to - 1;
            const u64 word = levels_[level][last / 64] & (~u64{0} >> (63 - last % 64));
            if (word != 0) {
                return down(level, last / 64 * 64 + 63 - static_cast<u32>(__builtin_clzll(word)), true);
            }
            to = last / 64;
        }
        return std::nullopt;
    }

private:
    u32 down(std::size_t level, u32 number, bool greatest) const
    {
        while (level > 0) {
            const u64 word = levels_[--level][number];
            number = number * 64 + static_cast<u32>(greatest ? 63 - __builtin_clzll(word) : __builtin_ctzll(word));
        }
        return number;
    }

    std::vector<std::vector<u64>> levels_; ///< the numbers first
};

} // namespace tlmssd::workload
