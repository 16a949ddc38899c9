// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Get Features and Set Features.
#include "models/nvme_device/core/features.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kDefaultThreshold = 0xffff; // kelvin: no warning
constexpr u32 kNamespaceWide = 0xffffffff;

u32 threshold(u32 dword11) { return dword11 & 0xffff; }
u32 sensor(u32 dword11) { return dword11 >> 16 & 15; }    // 0: composite, 15: all
u32 direction(u32 dword11) { return dword11 >> 20 & 3; }  // 0: over, 1: under

} // namespace

Features::Features(const Facts& facts)
    : pairs_(facts.queue_pairs), vectors_(facts.vectors), volatile_cache_(facts.volatile_cache)
{
    reset();
}

bool Features::exists(u32 id) const
{
    return (id >= kArbitration && id < kEnd && id != 0x03) && (id != kWriteCache || volatile_cache_);
}

u32 Features::fallback(u32 id) const
{
    switch (id) {
    case kTemperature: return kDefaultThreshold;
    case kWriteCache: return 1;
    case kQueueCount: return queue_count();
    default: return 0;
    }
}

void Features::reset()
{
    for (u32 id = 0; id < kEnd; ++id) {
        values_[id] = fallback(id);
    }
    under_temperature_ = 0;
    at_once_.fill(false);
}

/// Values that the device cannot take.
Status Features::check(u32 id, u32 value) const
{
    switch (id) {
    case kPower: return (value & 0x1f) != 0 ? kInvalidField : kSuccess; // one power state
    case kTemperature:
        return (sensor(value) != 0 && sensor(value) != 15) || direction(value) > 1 ? kInvalidField : kSuccess;
    case kErrorRecovery: return value >> 16 & 1 ? kInvalidField : kSuccess; // DULBE
    case kQueueCount:
        return (value & 0xffff) == 0xffff || value >> 16 == 0xffff ? kInvalidField : kSuccess;
    case kVector: return (value & 0xffff) >= vectors_ ? kInvalidField : kSuccess;
    default: return kSuccess;
    }
}

Status Features::set(const Submission& c, bool queues_exist, u32& result)
{
    const u32 id = c.dw[10] & 0xff;
    const u32 value = c.dw[11];
    if (!exists(id)) {
        return kInvalidField;
    }
    if (c.dw[10] >> 31) {
        return kNotSaveable;
    }
    if (c.nsid() != 0 && c.nsid() != kNamespaceWide) { // none belongs to a namespace
        return c.nsid() > kNamespaces ? kInvalidNamespace : kNotNamespaceSpecific;
    }
    if (const Status status = check(id, value); status != kSuccess) {
        return status;
    }
    switch (id) {
    case kQueueCount:
        if (queues_exist) {
            return kSequenceError;
        }
        result = queue_count(); // as many as there are, whatever was asked for
        break;
    case kVector: at_once_[value & 0xffff] = value >> 16 & 1; break;
    case kTemperature: (direction(value) == 1 ? under_temperature_ : values_[id]) = threshold(value); break;
    case kWriteCache:
    case kAtomicity: values_[id] = value & 1; break;
    case kCoalescing:
    case kErrorRecovery: values_[id] = value & 0xffff; break;
    case kAsyncEvents: values_[id] = value & kAsyncEventBits; break;
    case kArbitration: values_[id] = value & 0xffffff07; break;
    default: break;
    }
    return kSuccess;
}

Status Features::get_vector(u32 dword11, u32& result) const
{
    const u32 vector = dword11 & 0xffff;
    if (vector >= vectors_) {
        return kInvalidField;
    }
    result = vector | u32{at_once_[vector]} << 16;
    return kSuccess;
}

Status Features::get_temperature(u32 dword11, bool defaults, u32& result) const
{
    if (sensor(dword11) != 0 || direction(dword11) > 1) {
        return kInvalidField;
    }
    const bool under = direction(dword11) == 1;
    result = defaults ? (under ? 0 : kDefaultThreshold) : under ? under_temperature_ : values_[kTemperature];
    return kSuccess;
}

Status Features::get(const Submission& c, u32& result) const
{
    enum Select : u32 { kCurrent, kDefault, kSaved, kCapabilities };
    const u32 id = c.dw[10] & 0xff;
    const u32 select = c.dw[10] >> 8 & 7;
    if (!exists(id) || select > kCapabilities) {
        return kInvalidField;
    }
    if (select == kCapabilities) {
        result = id == kPower ? 0 : 1u << 2; // changeable, not saveable
        return kSuccess;
    }
    const bool defaults = select != kCurrent; // nothing is saved: the defaults are
    if (id == kVector) {
        if (const Status status = get_vector(c.dw[11], result); status != kSuccess) {
            return status;
        }
        result &= defaults ? 0xffff : ~0u;
        return kSuccess;
    }
    if (id == kTemperature) {
        return get_temperature(c.dw[11], defaults, result);
    }
    result = defaults ? fallback(id) : values_[id];
    return kSuccess;
}

} // namespace tlmssd::nvme_device
