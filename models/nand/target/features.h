// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the features of a target: SET FEATURES and GET FEATURES.
#pragma once

#include <array>

#include "models/config/config.h"
#include "models/onfi/bus/segment.h"
#include "models/onfi/bus/timing.h"

namespace tlmssd::nand {

using FeatureBytes = std::array<u8, 4>; ///< P1 to P4

/// Timing mode and drive strength belong to the target; the read-retry level to each LUN, which
/// keeps it (Lun::set_retry()). docs/reference/nand-commands.md lists the features.
class Features {
public:
    Features(const config::Nand& nand, config::BusInterface interface, u32 mode);

    /// Is there such a feature: of the target, or (`of_lun`) of a single LUN?
    static bool known(u8 address, bool of_lun);
    /// Has the part what `bytes` ask for? A mode that it lacks must not be set.
    bool legal(u8 address, const FeatureBytes& bytes) const;
    void set(u8 address, const FeatureBytes& bytes);
    FeatureBytes get(u8 address) const;
    /// SET FEATURES: set() at the end of tFEAT, which is apply(); cancel() before it drops the
    /// request.
    void request(u8 address, const FeatureBytes& bytes)
    {
        due_ = true;
        due_address_ = address;
        due_bytes_ = bytes;
    }
    void apply()
    {
        if (due_) {
            due_ = false;
            set(due_address_, due_bytes_);
        }
    }
    void cancel() { due_ = false; }
    /// FFh: a DDR interface falls back to SDR, timing mode 0; in SDR the mode stays (from memory).
    void reset();
    /// Are cycles driven as the target is set, or slower?
    bool understands(const onfi::BusTiming& timing)
    {
        return &timing == understood_ || judge(timing);
    }

    config::BusInterface interface() const { return interface_; }
    u32 mode() const { return mode_; }
    bool program_clear() const { return program_clear_; }

private:
    u32 modes(config::BusInterface interface) const;
    bool judge(const onfi::BusTiming& timing);

    const onfi::BusTiming* understood_ = nullptr; ///< the last timing that fits the setting
    const config::Nand& nand_;
    config::BusInterface interface_;
    u32 mode_;
    bool program_clear_;
    bool due_ = false; ///< a request waits for the end of tFEAT
    u8 due_address_ = 0;
    FeatureBytes due_bytes_{};
    FeatureBytes drive_{};
};

} // namespace tlmssd::nand
