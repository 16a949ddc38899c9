// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the measures against a SATA link whose resets repeat.
#include "models/host/link_recovery.h"

namespace tlmssd::host {

bool LinkRecovery::errors_repeat(Picoseconds now)
{
    if (config_.slower_after == 0) {
        return false;
    }
    errors_.push_back(now);
    while (errors_.size() > config_.slower_after || now - errors_.front() > kWindow) {
        errors_.pop_front();
    }
    return errors_.size() == config_.slower_after || (!worked_ && errors_.size() >= kErrorsWithoutWork);
}

LinkRecovery::Measure LinkRecovery::next_measure()
{
    if (gbps_tenths_ > 15) {
        gbps_tenths_ /= 2;
        return Measure::Slower;
    }
    if (ncq_) {
        ncq_ = false;
        return Measure::NcqOff;
    }
    return Measure::SendAgain;
}

LinkRecovery::Measure LinkRecovery::on_reset(Picoseconds now)
{
    if (++in_a_row_ > config_.resets_in_a_row) {
        return Measure::GiveUp;
    }
    if (!errors_repeat(now)) {
        return Measure::SendAgain;
    }
    errors_.clear();
    worked_ = false;
    return next_measure();
}

} // namespace tlmssd::host
