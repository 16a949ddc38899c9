// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device that also checks what FLUSH, FUA and a device without write cache promise.
#pragma once

#include "tb/firmware/device.h"

namespace tlmssd::tb {

/// At the end of a FLUSH all that was written before it is in flash. At the end of a write with FUA, or of
/// any write without write cache, its own data are, or those of a younger write, which may also be on their
/// way. Without recovery its own data need to have been there, if the device has accepted a younger write of the
/// page: it may have erased what that write replaces, which matters where power is cut, see PowerDevice. A younger
/// TRIM may have removed the data. Else std::runtime_error. For a flash without faults, and pages as mapping units.
class DurableDevice : public Device {
public:
    using Device::Device;

    void post(u32 module, const hal_event& event) override;
    void host_complete(u32 tag, u32 status) override;
    void finish(std::size_t index) override;

    u64 promises_kept = 0; ///< FLUSHes and FUA writes that have ended

private:
    struct Promise {
        hal_host_command command;
        std::vector<u64> versions; ///< 0: trimmed or never written
    };
    void check(const Promise& promise) const;
    std::vector<u64> newest_on_their_way() const;
    u64 newest_expected(u64 page) const;

    std::map<u32, Promise> promises_; ///< by tag
    std::map<u64, u64> trimmed_;      ///< by LBA: the newest version when a TRIM of it arrived
    std::vector<u64> reached_ = std::vector<u64>(host_sectors()); ///< by LBA: the newest ever programmed
};

} // namespace tlmssd::tb
