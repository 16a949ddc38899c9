// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what each kind of fault does to a LUN.
#include "models/nand/target/fault_player.h"

namespace tlmssd::nand {

FaultPlayer::FaultPlayer(time::EventQueue& event_queue, const std::vector<Fault>& faults,
                         FixedArray<TimedLun>& luns)
    : luns_(luns)
{
    const u32 first_die = luns.front().lun.die();
    for (const Fault& fault : faults) {
        if (fault.die >= first_die && fault.die < first_die + luns.size()) {
            faults_.push_back(fault);
        }
    }
    if (!faults_.empty()) {
        timer_ = std::make_unique<time::Timer>(
            event_queue, time::Priority::Array, time::Timer::call<&FaultPlayer::on_due, FaultPlayer>,
            this);
    }
}

void FaultPlayer::start()
{
    if (timer_) {
        timer_->arm(faults_.front().at);
    }
}

void FaultPlayer::on_due()
{
    const Fault& fault = faults_[next_++];
    apply(fault, luns_[fault.die - luns_.front().lun.die()]);
    if (next_ < faults_.size()) {
        timer_->arm(faults_[next_].at);
    }
}

void FaultPlayer::apply(const Fault& fault, TimedLun& lun)
{
    switch (fault.kind) {
    case FaultKind::StopsAnswering:
        lun.stop_answering();
        break;
    case FaultKind::AnswersAgain:
        lun.answer_again(fault.at);
        break;
    case FaultKind::FailsPrograms:
        lun.lun.cells().fail_programs();
        break;
    case FaultKind::FailsErases:
        lun.lun.cells().fail_erases();
        break;
    case FaultKind::BlockGoesBad:
        lun.lun.cells().spoil_block(fault.plane, fault.block);
        break;
    }
}

} // namespace tlmssd::nand
