// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: aborts at random through the registers of o3_top.
#include "tb/rtl/random_aborts.h"

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "models/flash/o3/o3_regs.h"

namespace tlmssd::tb {

using namespace flash::o3_regs;
using Result = flash::RtlRegisters::Result;

void RandomAborts::at_completion()
{
    const u64 word = draw64(seed_, 210, count_++);
    if (bench_.driver().registers()->busy()) {
        return; // one after the other
    }
    const u32 what = static_cast<u32>(word % 100);
    const u32 bits = static_cast<u32>(word >> 32);
    if (what < 50) {
        abort_operation(bits % tags_);
    } else if (what < 55) {
        abort_channels(1u << bits % channels_);
    } else if (what < 65) {
        abort_channels(0);
    } else if (what < 67) {
        soft_reset();
    }
}

void RandomAborts::abort_operation(u32 tag)
{
    bench_.abort_operation(tag, true);
    bench_.driver().registers()->write(kAbortOp, tag | kAbortOpGoMask, [this, tag](const Result& r) {
        EXPECT_EQ(r.response, 0);
        wait_for_found(tag);
    });
}

void RandomAborts::wait_for_found(u32 tag)
{
    bench_.driver().registers()->read(kAbortOp, [this, tag](const Result& r) {
        EXPECT_EQ(r.data & kAbortOpTagMask, tag);
        if ((r.data & kAbortOpBusyMask) != 0) {
            wait_for_found(tag);
            return;
        }
        bench_.abort_operation(tag, false);
        const bool found = (r.data & kAbortOpFoundMask) != 0;
        found_ += found;
        not_found_ += !found;
    });
}

void RandomAborts::abort_channels(u32 channels)
{
    bench_.abort_channels(on_ | channels);
    bench_.driver().registers()->write(kAbort, channels, [this, channels](const Result& r) {
        EXPECT_EQ(r.response, 0);
        on_ = channels;
        bench_.abort_channels(on_);
    });
}

void RandomAborts::soft_reset()
{
    bench_.abort_channels(~u64{0});
    bench_.driver().registers()->write(kCtrl, kCtrlSoftResetMask, [this](const Result& r) {
        EXPECT_EQ(r.response, 0);
        wait_for_its_end();
    });
}

void RandomAborts::wait_for_its_end()
{
    bench_.driver().registers()->read(kCtrl, [this](const Result& r) {
        if ((r.data & kCtrlSoftResetMask) != 0) {
            wait_for_its_end();
            return;
        }
        bench_.abort_channels(on_);
        ++soft_resets_;
    });
}

} // namespace tlmssd::tb
