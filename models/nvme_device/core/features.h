// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the features of the controller: their values, defaults and what may be changed.
#pragma once

#include <array>

#include "models/nvme_device/core/facts.h"
#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

/// Values as dword 11 of Set Features has them. None can be saved: a controller reset brings the defaults.
class Features {
public:
    enum Id : u8 {
        kArbitration = 0x01,
        kPower = 0x02,
        kTemperature = 0x04,
        kErrorRecovery = 0x05,
        kWriteCache = 0x06,
        kQueueCount = 0x07,
        kCoalescing = 0x08,
        kVector = 0x09,
        kAtomicity = 0x0a,
        kAsyncEvents = 0x0b,
    };
    static constexpr u32 kAsyncEventBits = 0x1f; ///< critical warnings of SMART

    explicit Features(const Facts& facts);

    void reset();
    /// `queues_exist`: I/O queues have been created.
    Status set(const Submission& command, bool queues_exist, u32& result);
    Status get(const Submission& command, u32& result) const;
    u32 value(Id id) const { return values_[id]; }
    bool coalescing_disabled(u32 vector) const { return at_once_[vector]; }

private:
    static constexpr u32 kEnd = 0x0c;
    Status check(u32 id, u32 value) const;
    Status get_vector(u32 dword11, u32& result) const;
    Status get_temperature(u32 dword11, bool defaults, u32& result) const;
    bool exists(u32 id) const;
    u32 fallback(u32 id) const;
    u32 queue_count() const { return (pairs_ - 1) | (pairs_ - 1) << 16; }

    u32 pairs_;
    u32 vectors_;
    bool volatile_cache_;
    std::array<u32, kEnd> values_{};
    u32 under_temperature_ = 0; ///< threshold; that from above is values_[kTemperature]
    std::array<bool, kQueues> at_once_{};
};

} // namespace tlmssd::nvme_device
