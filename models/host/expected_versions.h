// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host expects to read back: one version a unit.
#pragma once

#include <memory>

#include "models/common/tag.h"
#include "models/common/types.h"
#include "models/host/expected_bytes.h"

namespace tlmssd::host {

/// Table of one VersionWord per unit in lazily backed memory. A trimmed unit may read as its old version
/// or as never written until written again; a doubtful one as any version up to its own.
class ExpectedVersions {
public:
    static constexpr u32 kTrimmed = VersionWord::kTrimmed;
    static constexpr u32 kDoubtful = VersionWord::kDoubtful;
    static constexpr u32 kVersion = VersionWord::kVersion;

    explicit ExpectedVersions(u64 units);
    ~ExpectedVersions();
    ExpectedVersions(const ExpectedVersions&) = delete;
    ExpectedVersions& operator=(const ExpectedVersions&) = delete;

    u64 units() const { return units_; }
    /// `data: full`: expect bytes too, a sector each. Before the first write.
    void carry_bytes(u32 sectors_per_unit, u64 seed)
    {
        bytes_ = std::make_unique<ExpectedBytes>(units_ * sectors_per_unit, seed);
    }
    ExpectedBytes* bytes() const { return bytes_.get(); } ///< null: tags stand for the data

    /// A write touches `unit`: its new tag.
    UnitTag bump(u64 unit)
    {
        words_[unit] = (word(unit) & kVersion) + 1;
        return tag_of(unit, words_[unit]);
    }
    /// A TRIM covers all of `unit`.
    void trim(u64 unit) { words_[unit] = word(unit) | kTrimmed; }
    /// A write to `unit` has failed.
    void doubt(u64 unit) { words_[unit] = word(unit) | kDoubtful; }
    u32 word(u64 unit) const
    {
        const u32 touched = words_[unit];
        return touched != 0 || unit >= filled_ ? touched : kFirst;
    }
    /// As if a first write had touched each of the units [0, units); before any has. They cost no memory
    /// until they are touched.
    void fill(u64 units) { filled_ = units; }
    /// Puts back a result of word(), for a device that goes on (a snapshot).
    void restore(u64 unit, u32 word) { words_[unit] = word; }
    /// The words of all units, one behind the other; zero before the first write. Those that fill() stands
    /// for are written out first.
    u32* memory();
    void prefetch(u64 unit) const { __builtin_prefetch(&words_[unit], 1); }

    /// The tag that a version word stands for.
    static UnitTag tag_of(u64 unit, u32 word)
    {
        const u32 version = word & kVersion;
        return version == 0 ? UnitTag{} : UnitTag{static_cast<u32>(unit) + 1, version};
    }
    /// May a read that expected `word` of `unit` return `got`?
    static bool accepts(u64 unit, u32 word, UnitTag got)
    {
        return got == tag_of(unit, word) ||
               ((word & (kTrimmed | kDoubtful)) != 0 && got == UnitTag{}) ||
               ((word & kDoubtful) != 0 && got.unit == unit + 1 && got.version != 0 &&
                got.version <= (word & kVersion));
    }

private:
    static constexpr u32 kFirst = 1; ///< the version of a first write

    u64 units_;
    u64 filled_ = 0; ///< a word below it that is 0 stands for kFirst
    u64 mapped_bytes_;
    void* mapping_;
    u32* words_;
    std::unique_ptr<ExpectedBytes> bytes_;
};

} // namespace tlmssd::host
