// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: faults of the fault script, at their times.
#include "models/nand/target/target.h"

namespace tlmssd::nand {

void Target::start_of_simulation()
{
    if (fault_timer_) {
        fault_timer_->arm(faults_.front().at);
    }
}

void Target::on_fault()
{
    const Fault& fault = faults_[next_fault_++];
    apply(fault, slots_[fault.die - slots_.front().lun.die()]);
    if (next_fault_ < faults_.size()) {
        fault_timer_->arm(faults_[next_fault_].at);
    }
}

void Target::apply(const Fault& fault, Slot& slot)
{
    switch (fault.kind) {
    case FaultKind::StopsAnswering: // R/B# stays where it is
        slot.silent = true;
        slot.timer.cancel();
        break;
    case FaultKind::AnswersAgain: {
        if (!slot.silent) {
            break;
        }
        slot.silent = false;
        const bool was_busy = slot.lun.busy();
        slot.lun.power_cycle(fault.at);
        if (was_busy) {
            channel_.set_ready(ce_, slot.index, true);
        }
        break;
    }
    case FaultKind::FailsPrograms:
        slot.lun.fail_programs();
        break;
    case FaultKind::FailsErases:
        slot.lun.fail_erases();
        break;
    case FaultKind::BlockGoesBad:
        slot.lun.spoil_block(fault.plane, fault.block);
        break;
    }
}

void Target::power_off(Picoseconds now)
{
    for (Slot& slot : slots_) {
        const bool was_busy = slot.lun.busy();
        slot.lun.power_off(now);
        slot.timer.cancel();
        slot.retry_due = Slot::kNoRetry;
        if (was_busy) {
            channel_.set_ready(ce_, slot.index, true);
        }
    }
    end_sequence();
}

} // namespace tlmssd::nand
