// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: contents of the log pages (Base Specification 1.4, 5.14.1).
#include "models/nvme_device/core/log_pages.h"

#include <algorithm>

#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kErrorBytes = 64;
constexpr u32 kPageBytes = 512; // of SMART and of firmware slots
constexpr u32 kSpareThreshold = 10;
constexpr u64 kSecond = 1000000000000; // ps

/// Thousands of 512 bytes, rounded up.
u64 data_units(u64 sectors) { return (sectors + 999) / 1000; }

void put_health(u8* d, const Usage& u, const BackendIf& backend, u64 errors)
{
    const Health h = backend.health();
    d[0] = LogPages::critical_warning(h, backend.read_only());
    d[3] = static_cast<u8>(h.spare_percent);
    d[4] = kSpareThreshold;
    d[5] = static_cast<u8>(std::min(h.used_percent, 255u));
    put64(d + 32, data_units(u.read_sectors));
    put64(d + 48, data_units(u.written_sectors));
    put64(d + 64, u.reads);
    put64(d + 80, u.writes);
    put64(d + 96, u.busy.value() / (60 * kSecond));
    put64(d + 112, 1); // power cycles
    put64(d + 128, backend.now().value() / (3600 * kSecond));
    put64(d + 144, u.unsafe_shutdowns);
    put64(d + 160, h.media_errors);
    put64(d + 176, errors);
}

} // namespace

void LogPages::add_error(const ErrorEntry& entry)
{
    if (newest_.size() < kErrorLogEntries) {
        newest_.push_back(entry);
    } else {
        newest_[errors_ % kErrorLogEntries] = entry;
    }
    ++errors_;
}

u8 LogPages::critical_warning(const Health& h, bool read_only)
{
    return static_cast<u8>((h.spare_percent < kSpareThreshold ? 1 : 0) | (h.used_percent >= 100 ? 4 : 0) |
                           (read_only ? 8 : 0));
}

/// The newest first; entries with number 0 have never been used.
void LogPages::put_errors(u8* at) const
{
    for (u64 number = errors_; number != 0 && errors_ - number < newest_.size(); --number, at += kErrorBytes) {
        const ErrorEntry& e = newest_[(number - 1) % kErrorLogEntries];
        put64(at, number);
        put16(at + 8, e.sq);
        put16(at + 10, e.id);
        put16(at + 12, u32{e.status} << 1);
        put16(at + 14, e.location);
        put64(at + 16, e.lba);
        put32(at + 24, e.nsid);
    }
}

Status LogPages::build(u8 id, const Usage& usage, const BackendIf& backend, std::vector<u8>& page) const
{
    switch (id) {
    case kErrors:
        page.assign(kErrorLogEntries * kErrorBytes, 0);
        put_errors(page.data());
        return kSuccess;
    case kHealth:
        page.assign(kPageBytes, 0);
        put_health(page.data(), usage, backend, errors_);
        return kSuccess;
    case kFirmware:
        page.assign(kPageBytes, 0);
        page[0] = 1; // slot 1 is active
        put_text(page.data() + 8, facts_.firmware.c_str(), kFirmwareBytes);
        return kSuccess;
    default: return kInvalidLogPage;
    }
}

} // namespace tlmssd::nvme_device
