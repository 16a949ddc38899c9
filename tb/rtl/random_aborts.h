// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: aborts at random through the registers of o3_top; FakeFlash checks which operations end so.
#pragma once

#include "models/common/types.h"
#include "tb/rtl/fake_flash.h"

namespace tlmssd::tb {

/// Operations by their tags, channels, and soft resets. What it does depends on the completions alone, so it is the
/// same gated and free running.
class RandomAborts {
public:
    /// `bench` outlives this.
    RandomAborts(FakeFlash& bench, u64 seed, u32 tags, u32 channels)
        : bench_(bench), seed_(seed), tags_(tags), channels_(channels)
    {
    }
    void at_completion();
    u64 found() const { return found_; }             ///< tags in use
    u64 not_found() const { return not_found_; }     ///< tags not in use
    u64 soft_resets() const { return soft_resets_; } ///< that have ended

private:
    void abort_operation(u32 tag);
    void wait_for_found(u32 tag);
    void abort_channels(u32 channels);
    void soft_reset();
    void wait_for_its_end();

    FakeFlash& bench_;
    u64 seed_;
    u32 tags_, channels_;
    u64 count_ = 0; ///< completions
    u32 on_ = 0;    ///< register abort
    u64 found_ = 0, not_found_ = 0, soft_resets_ = 0;
};

} // namespace tlmssd::tb
