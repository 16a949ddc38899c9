// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the firmware's own pages on flash hold (translation pages, journal, roots): real
// bytes, also where tags stand for the host's data.
#pragma once

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/common/error.h"
#include "models/common/tag.h"
#include "models/common/zero_memory.h"

namespace tlmssd {

/// Numbered page contents, which never change. A page on its way, in DRAM or in flash carries the
/// number in its tags (kTableUnit), so that nothing between firmware and cells handles bytes. The
/// page store counts the flash pages that hold a number; the last one that is erased frees it. No
/// allocation a page: freed numbers are used again, and memory is mapped once, with the first page.
class TablePages {
public:
    /// `most` contents of `page_bytes` at once; memory is used as they come.
    TablePages(u64 most, u32 page_bytes)
        : page_bytes_(page_bytes), holders_(most)
    {
    }

    /// Contents are in `memory`, which outlives this; contents that it has already count as soon as
    /// hold() names them. restore() has to follow.
    TablePages(u64 most, u32 page_bytes, u8* memory) : TablePages(most, page_bytes)
    {
        bytes_ = std::make_unique<ZeroMemory<u8>>(most * page_bytes, memory);
    }
    /// All numbers below the highest that is held, and not held, are free.
    void restore()
    {
        for (u32 number = 0; number < holders_.size(); ++number) {
            if (holders_[number] != 0) {
                used_ = number + 1;
            }
        }
        for (u32 number = 0; number < used_; ++number) {
            if (holders_[number] == 0) {
                free_.push_back(number);
            }
        }
    }
    u64 most() const { return holders_.size(); }

    u32 page_bytes() const { return page_bytes_; }
    static constexpr u32 kNoSource = ~u32{0};
    /// A copy of `page_bytes()` bytes; returns its number. It stays until a flash page that holds it
    /// is erased. `source`: where the bytes come from, which has one program on its way at most. A number
    /// that no flash page has come to hold when its source is kept again was of a program that failed: it
    /// goes. ModelError when all numbers are in use.
    u32 keep(const u8* page, u32 source = kNoSource)
    {
        if (const auto last = on_the_way_.find(source); last != on_the_way_.end()) {
            std::memcpy(&(*bytes_)[u64{last->second} * page_bytes_], page, page_bytes_);
            return last->second;
        }
        const u32 number = keep_new(page);
        if (source != kNoSource) {
            on_the_way_.emplace(source, number);
        }
        return number;
    }
    const u8* bytes(u32 number) const { return &(*bytes_)[u64{number} * page_bytes_]; }

    static bool is_table(const UnitTag& tag) { return tag.unit == kTableUnit; }
    static UnitTag tag(u32 number) { return {kTableUnit, number}; }

    /// A flash page holds the number from now on.
    void hold(u32 number)
    {
        if (++holders_[number] == 1) {
            for (auto at = on_the_way_.begin(); at != on_the_way_.end(); ++at) {
                if (at->second == number) {
                    on_the_way_.erase(at);
                    return;
                }
            }
        }
    }
    /// A flash page that held it is erased or torn.
    void release(u32 number)
    {
        if (--holders_[number] == 0) {
            free_.push_back(number);
        }
    }
    /// Numbers in use, those of pages that have not reached the flash included.
    u64 in_use() const { return used_ - free_.size(); }

private:
    u32 keep_new(const u8* page)
    {
        if (!bytes_) {
            bytes_ = std::make_unique<ZeroMemory<u8>>(holders_.size() * page_bytes_, BackedBy::SmallPages);
        }
        u32 number = used_;
        if (!free_.empty()) {
            number = free_.back();
            free_.pop_back();
        } else if (used_++ == holders_.size()) {
            --used_;
            throw ModelError("table pages: more are in use than the flash has pages");
        }
        std::memcpy(&(*bytes_)[u64{number} * page_bytes_], page, page_bytes_);
        return number;
    }

    u32 page_bytes_;
    u32 used_ = 0; ///< numbers given out so far
    std::unique_ptr<ZeroMemory<u8>> bytes_;
    ZeroMemory<u32> holders_; ///< by number: flash pages
    std::vector<u32> free_;
    std::unordered_map<u32, u32> on_the_way_; ///< by source: its number, which no flash page holds yet
};

} // namespace tlmssd
