// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the registers and memories of a Verilated model hold before its first reset.
#pragma once

#include <verilated.h>

namespace tlmssd::flash {

/// 0: zeros. Else a seed of random bits, as real flip-flops hold them; benches set it before they make a model, so
/// that nothing leans on a register that no reset sets.
inline int rtl_power_on_seed = 0;

/// Before the model is made in this context. It has to be Verilated with --x-initial unique.
inline void rtl_power_on(VerilatedContext& context)
{
    if (rtl_power_on_seed != 0) {
        context.randReset(2);
        context.randSeed(rtl_power_on_seed);
    }
}

} // namespace tlmssd::flash
