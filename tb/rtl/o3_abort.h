// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: aborts and soft resets by software of o3_top's registers; FakeFlash checks which operations end so.
#pragma once

#include <gtest/gtest.h>

#include "tb/rtl/o3_software.h"

namespace tlmssd::tb {

class O3Abort : public O3Software {
protected:
    using O3Software::O3Software;

    void run_to(u64 at)
    {
        limit = at;
        bench().run(limit);
    }
    void run_to_the_end() { ASSERT_TRUE(bench().run(kEnough)); }
    /// Marks the operation that has `tag` at `at`; true: there is one.
    bool abort_at(u64 at, u32 tag)
    {
        run_to(at);
        bench().abort_operation(tag, true);
        EXPECT_EQ(write(regs::kAbortOp, tag | regs::kAbortOpGoMask), 0u);
        const u32 found = read(regs::kAbortOp);
        EXPECT_EQ(found & regs::kAbortOpBusyMask, 0u);
        bench().abort_operation(tag, false);
        return (found & regs::kAbortOpFoundMask) != 0;
    }
    void abort_channels_at(u64 at, u32 channels)
    {
        run_to(at);
        bench().abort_channels(channels);
        EXPECT_EQ(write(regs::kAbort, channels), 0u);
    }
    void soft_reset_at(u64 at)
    {
        run_to(at);
        bench().abort_channels(~u64{0});
        EXPECT_EQ(write(regs::kCtrl, read(regs::kCtrl) | regs::kCtrlSoftResetMask), 0u);
    }
    /// Until the bit falls; then no operation is aborted.
    void soft_reset_ends()
    {
        while ((read(regs::kCtrl) & regs::kCtrlSoftResetMask) != 0) {
            ASSERT_TRUE(step());
        }
        bench().abort_channels(0);
    }
    u32 status(std::size_t n) { return bench().completion(n).status; }
    std::size_t segments(std::size_t n) { return bench().steps(n).size(); }
    flash_op planes(flash_op o, u32 n)
    {
        o.nplanes = static_cast<u8>(n);
        return o;
    }
};

} // namespace tlmssd::tb
