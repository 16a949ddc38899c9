// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the end of a change of interface.
#include "models/onfi/checker/target_interface.h"

namespace tlmssd::onfi {

void TargetInterface::apply(u64 now)
{
    if (!pending_) {
        return;
    }
    pending_ = false;
    program_clear_ = next_program_clear_;
    if (next_row_ != MinimaTable::kNoIndex) {
        old_row_ = row_;
        row_ = next_row_;
        set_at_ = now;
    }
}

} // namespace tlmssd::onfi
