// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bytes that the host writes, and expects to read back (`data: full`).
#pragma once

#include "models/common/types.h"
#include "models/common/zero_memory.h"

namespace tlmssd::host {

/// The bits of a word that says what the host expects: a version (0: never written) and two flags.
struct VersionWord {
    static constexpr u32 kTrimmed = 0x80000000u;
    static constexpr u32 kDoubtful = 0x40000000u; ///< a write has failed
    static constexpr u32 kVersion = 0x3fffffffu;
};

/// One VersionWord per sector, in memory that costs nothing until touched: the version of the sector's unit
/// when the sector was written last. The bytes of a sector are a pure function of seed, LBA and
/// version; version 0 is zeros.
class ExpectedBytes {
public:
    ExpectedBytes(u64 sectors, u64 seed)
        : seed_(seed), words_(sectors, BackedBy::SmallPages)
    {
    }

    /// A write with the unit's version `version` touches the sector.
    void write(u64 lba, u32 version) { words_[lba] = version; }
    void trim(u64 lba) { words_[lba] |= VersionWord::kTrimmed; }
    void doubt(u64 lba) { words_[lba] |= VersionWord::kDoubtful; }
    u32 word(u64 lba) const { return words_[lba]; }
    u64 sectors() const { return words_.size(); }

    /// The 512 bytes that version `word` of the sector holds: LBA and version (8 and 4 bytes, lowest
    /// first), the rest pseudo-random.
    void fill(u64 lba, u32 word, u8* out) const;
    /// Offset of the first byte that a read which expected `word` may not return; kSectorBytes where
    /// all are right. Trimmed: zeros may come too; doubtful: zeros and every version up to its own.
    u32 first_wrong(u64 lba, u32 word, const u8* got) const;

private:
    u64 seed_;
    ZeroMemory<u32> words_;
};

} // namespace tlmssd::host
