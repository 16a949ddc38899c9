// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads and writes of NVMe registers.
#include "models/nvme_device/core/registers.h"

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kVersion = 0x00010400;
constexpr u32 kResetWord = 0x4e564d65; // "NVMe"
constexpr u32 kCcBits = 0x00fffff1;
constexpr u32 kCcFixed = 0x00003ff0; // AMS, MPS, CSS: not while EN is 1
constexpr u32 kAqaBits = 0x0fff0fff;

u64 capabilities(const Facts& f)
{
    return u64{f.queue_entries - 1} | u64{1} << 16 /* CQR */ | u64{1} << 17 /* weighted round robin */ |
           u64{f.timeout_500ms} << 24 | u64{f.doorbell_stride} << 32 | u64{1} << 36 /* NSSRS */ |
           u64{1} << 37 /* NVM command set */ | u64{kMaxPageShift} << 52;
}

void put_half(u64& whole, bool high, u32 value, u32 mask)
{
    const u32 shift = high ? 32 : 0;
    whole = (whole & ~(u64{mask} << shift)) | u64{value & mask} << shift;
    whole &= ~u64{0xfff};
}

} // namespace

Registers::Registers(const Facts& facts) : cap_(capabilities(facts)) {}

u32 Registers::read(u32 offset) const
{
    switch (offset) {
    case reg::kCap: return static_cast<u32>(cap_);
    case reg::kCap + 4: return static_cast<u32>(cap_ >> 32);
    case reg::kVs: return kVersion;
    case reg::kIntms:
    case reg::kIntmc: return mask_;
    case reg::kCc: return cc_;
    case reg::kCsts:
        return u32{ready_} | u32{failed_} << 1 | shutdown_ << 2 | u32{subsystem_reset_} << 4;
    case reg::kAqa: return aqa_;
    case reg::kAsq: return static_cast<u32>(asq_);
    case reg::kAsq + 4: return static_cast<u32>(asq_ >> 32);
    case reg::kAcq: return static_cast<u32>(acq_);
    case reg::kAcq + 4: return static_cast<u32>(acq_ >> 32);
    default: return 0;
    }
}

u32 Registers::write(u32 offset, u32 value, u32 mask)
{
    switch (offset) {
    case reg::kIntms: mask_ |= value & mask; return kNewMask;
    case reg::kIntmc: mask_ &= ~(value & mask); return kNewMask;
    case reg::kCc: return write_cc((cc_ & ~mask) | (value & mask));
    case reg::kCsts:
        subsystem_reset_ = subsystem_reset_ && (value & mask & 1u << 4) == 0;
        return kNothing;
    case reg::kNssr: return mask == ~0u && value == kResetWord ? kSubsystemReset : kNothing;
    default: break;
    }
    if (enabled()) {
        return kNothing;
    }
    switch (offset) {
    case reg::kAqa: aqa_ = ((aqa_ & ~mask) | (value & mask)) & kAqaBits; break;
    case reg::kAsq:
    case reg::kAsq + 4: put_half(asq_, offset != reg::kAsq, value, mask); break;
    case reg::kAcq:
    case reg::kAcq + 4: put_half(acq_, offset != reg::kAcq, value, mask); break;
    default: break;
    }
    return kNothing;
}

u32 Registers::write_cc(u32 value)
{
    const u32 old = cc_;
    cc_ = value & kCcBits;
    if (old & cc_ & 1) {
        cc_ = (cc_ & ~kCcFixed) | (old & kCcFixed);
    }
    u32 actions = kNothing;
    if (((old ^ cc_) & 1) != 0) {
        actions = cc_ & 1 ? kEnable : kDisable;
    }
    const u32 notice = cc_ >> 14 & 3; // SHN: 1 normal, 2 abrupt
    if ((notice == 1 || notice == 2) && shutdown_ == 0 && actions != kDisable) {
        shutdown_ = 1;
        actions |= kShutdown;
    }
    return actions;
}

/// The controller can run with CC, AQA, ASQ and ACQ as they are.
bool Registers::settings_right() const
{
    const u32 command_set = cc_ >> 4 & 7;
    const bool queues = admin_sq_entries() >= 2 && admin_cq_entries() >= 2 && asq_ % page_bytes() == 0 &&
                        acq_ % page_bytes() == 0;
    return command_set == 0 && arbitration() <= 1 && (cc_ >> 7 & 15) <= kMaxPageShift && queues;
}

/// A shutdown while the controller was disabled is over.
void Registers::set_ready()
{
    ready_ = true;
    shutdown_ = shutdown_ == 2 && (cc_ >> 14 & 3) == 0 ? 0 : shutdown_;
}

void Registers::end_reset()
{
    ready_ = failed_ = false;
    shutdown_ = 0;
    mask_ = 0;
}

void Registers::function_reset()
{
    cc_ = 0;
    aqa_ = 0;
    asq_ = acq_ = 0;
}

void Registers::subsystem_reset()
{
    function_reset();
    subsystem_reset_ = true;
}

} // namespace tlmssd::nvme_device
