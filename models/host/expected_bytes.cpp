// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the pattern of a sector, and its comparison.
#include "models/host/expected_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/common/geometry.h"
#include "models/common/hash.h"

namespace tlmssd::host {

namespace {

constexpr u64 kPattern = 0x62797465; ///< purpose of the draws
constexpr u64 kStep = 0x9e3779b97f4a7c15ull;
constexpr u32 kWords = kSectorBytes / sizeof(u64);
constexpr u32 kHeaderWords = 2; ///< LBA; version and 32 pseudo-random bits

using Sector = std::array<u64, kWords>;

Sector pattern(u64 seed, u64 lba, u32 version)
{
    Sector words{};
    if (version == 0) {
        return words;
    }
    const u64 first = draw64(draw64(seed, kPattern, lba), kPattern, version);
    words[0] = lba;
    words[1] = version | first << 32;
    for (u32 i = kHeaderWords; i < kWords; ++i) {
        words[i] = mix64(first + i * kStep);
    }
    return words;
}

bool equal(const Sector& want, const u8* got)
{
    return std::memcmp(want.data(), got, kSectorBytes) == 0;
}

} // namespace

void ExpectedBytes::fill(u64 lba, u32 word, u8* out) const
{
    const Sector words = pattern(seed_, lba, word & VersionWord::kVersion);
    std::memcpy(out, words.data(), kSectorBytes);
}

u32 ExpectedBytes::first_wrong(u64 lba, u32 word, const u8* got) const
{
    const u32 version = word & VersionWord::kVersion;
    const Sector want = pattern(seed_, lba, version);
    if (equal(want, got)) {
        return kSectorBytes;
    }
    if ((word & (VersionWord::kTrimmed | VersionWord::kDoubtful)) != 0 &&
        equal(Sector{}, got)) {
        return kSectorBytes;
    }
    if ((word & VersionWord::kDoubtful) != 0) {
        u32 other = 0;
        std::memcpy(&other, got + sizeof(u64), sizeof other);
        if (other != 0 && other <= version && equal(pattern(seed_, lba, other), got)) {
            return kSectorBytes;
        }
    }
    const auto* bytes = reinterpret_cast<const u8*>(want.data());
    return static_cast<u32>(std::mismatch(bytes, bytes + kSectorBytes, got).first - bytes);
}

} // namespace tlmssd::host
