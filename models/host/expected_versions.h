// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host expects to read back: one version a unit.
#pragma once

#include "models/common/tag.h"
#include "models/common/types.h"

namespace tlmssd::host {

/// Table of 4 bytes a unit in lazily backed memory: bits 30:0 version (0: never written), bit 31
/// trimmed. A trimmed unit may read as its old version or as never written until written again.
class ExpectedVersions {
public:
    static constexpr u32 kTrimmed = 0x80000000u;

    explicit ExpectedVersions(u64 units);
    ~ExpectedVersions();
    ExpectedVersions(const ExpectedVersions&) = delete;
    ExpectedVersions& operator=(const ExpectedVersions&) = delete;

    u64 units() const { return units_; }
    /// A write touches `unit`: its new tag.
    UnitTag bump(u64 unit)
    {
        words_[unit] = (words_[unit] & ~kTrimmed) + 1;
        return tag_of(unit, words_[unit]);
    }
    /// A TRIM covers all of `unit`.
    void trim(u64 unit) { words_[unit] |= kTrimmed; }
    u32 word(u64 unit) const { return words_[unit]; }
    void prefetch(u64 unit) const { __builtin_prefetch(&words_[unit], 1); }

    /// The tag that a version word stands for.
    static UnitTag tag_of(u64 unit, u32 word)
    {
        const u32 version = word & ~kTrimmed;
        return version == 0 ? UnitTag{} : UnitTag{static_cast<u32>(unit) + 1, version};
    }
    /// May a read that expected `word` of `unit` return `got`?
    static bool accepts(u64 unit, u32 word, UnitTag got)
    {
        return got == tag_of(unit, word) || ((word & kTrimmed) != 0 && got == UnitTag{});
    }

private:
    u64 units_;
    u64 mapped_bytes_;
    void* mapping_;
    u32* words_;
};

} // namespace tlmssd::host
