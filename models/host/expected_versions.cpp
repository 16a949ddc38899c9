// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memory of the version table.
#include "models/host/expected_versions.h"

#include <sys/mman.h>

#include <string>

#include "models/common/error.h"

namespace tlmssd::host {

namespace {
constexpr u64 kHugePage = u64{2} << 20;
} // namespace

ExpectedVersions::ExpectedVersions(u64 units)
    : units_(units), mapped_bytes_((units * sizeof(u32) / kHugePage + 2) * kHugePage)
{
    mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping_ == MAP_FAILED) {
        throw ModelError("out of memory: the versions of " + std::to_string(units) + " units need " +
                         std::to_string(mapped_bytes_ >> 20) + " MiB");
    }
    const u64 aligned = (reinterpret_cast<u64>(mapping_) + kHugePage - 1) & ~(kHugePage - 1);
    words_ = reinterpret_cast<u32*>(aligned);
    madvise(words_, units * sizeof(u32), MADV_HUGEPAGE); // a hint: failure changes only speed
}

u32* ExpectedVersions::memory()
{
    for (u64 unit = 0; unit < filled_; ++unit) {
        words_[unit] = word(unit);
    }
    filled_ = 0;
    return words_;
}

ExpectedVersions::~ExpectedVersions() { munmap(mapping_, mapped_bytes_); }

} // namespace tlmssd::host
