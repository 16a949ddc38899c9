// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bits of the feature bytes.
#include "models/nand/target/features.h"

namespace tlmssd::nand {

namespace {

namespace feature = onfi::feature;
using config::BusInterface;

constexpr u8 kModeMask = 0x0f;
constexpr u32 kInterfaceShift = 4;
constexpr u8 kInterfaceMask = 0x03;
constexpr u8 kReservedMask = 0x80;
constexpr u8 kDriveStrengths = 4; ///< 18, 25, 35, 50 ohm (ONFI 2.3, from memory)

BusInterface interface_of(u8 p1)
{
    return static_cast<BusInterface>((p1 >> kInterfaceShift) & kInterfaceMask);
}

} // namespace

Features::Features(const config::Nand& nand, BusInterface interface, u32 mode)
    : nand_(nand), interface_(interface), mode_(mode), program_clear_(nand.program_clear)
{
}

bool Features::known(u8 address, bool of_lun)
{
    switch (address) {
    case feature::kReadRetry:
        return true;
    case feature::kTimingMode:
    case feature::kDriveStrength:
        return !of_lun;
    default:
        return false;
    }
}

u32 Features::modes(BusInterface interface) const
{
    switch (interface) {
    case BusInterface::Sdr:
        return nand_.sdr_modes;
    case BusInterface::NvDdr:
        return nand_.nvddr_modes;
    case BusInterface::NvDdr2:
        return nand_.nvddr2_modes;
    case BusInterface::NvDdr3:
        return nand_.nvddr3_modes;
    }
    return 0;
}

bool Features::legal(u8 address, const FeatureBytes& bytes) const
{
    switch (address) {
    case feature::kTimingMode:
        return (bytes[0] & kReservedMask) == 0 &&
               u32{bytes[0]} % (kModeMask + 1u) < modes(interface_of(bytes[0]));
    case feature::kReadRetry:
        return bytes[0] <= nand_.errors.retry_levels;
    default:
        return bytes[0] < kDriveStrengths;
    }
}

/// BusTiming objects stay as they are while a target knows them.
bool Features::judge(const onfi::BusTiming& timing)
{
    const onfi::DataSheet& sheet = timing.sheet;
    const bool fits = sheet.interface == interface_ && sheet.mode <= mode_;
    understood_ = fits ? &timing : nullptr;
    return fits;
}

void Features::set(u8 address, const FeatureBytes& bytes)
{
    understood_ = nullptr;
    if (address == feature::kDriveStrength) {
        drive_ = bytes;
        return;
    }
    interface_ = interface_of(bytes[0]);
    mode_ = bytes[0] & kModeMask;
    program_clear_ = (bytes[0] & feature::kProgramClear) != 0;
}

FeatureBytes Features::get(u8 address) const
{
    if (address == feature::kDriveStrength) {
        return drive_;
    }
    const u32 p1 = mode_ | (static_cast<u32>(interface_) << kInterfaceShift) |
                   (program_clear_ ? feature::kProgramClear : 0u);
    return {static_cast<u8>(p1), 0, 0, 0};
}

/// In SDR the timing mode stays (ONFI, from memory).
void Features::reset()
{
    understood_ = nullptr;
    if (interface_ != BusInterface::Sdr) {
        interface_ = BusInterface::Sdr;
        mode_ = 0;
    }
}

} // namespace tlmssd::nand
