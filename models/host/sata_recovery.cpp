// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host after an error of the queue, and after COMRESET.
#include <algorithm>

#include "models/host/sata_port.h"
#include "models/sata/logs.h"

namespace tlmssd::host {

using namespace sata;

void SataPort::ask_log()
{
    state_ = State::Asked;
    busy_ = true;
    ++stats_.queue_errors;
    RegisterH2D fis;
    fis.command = ata::kReadLogExt;
    fis.device = ata::kDeviceLba;
    fis.lba = kLogNcqError;
    fis.count = 1;
    Frame& frame = pool_.take(kRegisterDwords);
    pack(fis, frame.fis);
    queue_frame(socket, frame);
}

void SataPort::on_log(const Block& block)
{
    NcqError error;
    read_ncq_error(block, error);
    busy_ = false;
    const bool named = !error.not_queued && open_[error.tag].order != 0;
    if (named) {
        open_[error.tag].order = 0; // not sent again
    }
    send_again();
    if (named) {
        client_->on_completed(error.tag, HAL_HOST_ERROR);
    }
}

/// All that the device does not know of any more, in the order of submit().
void SataPort::send_again()
{
    state_ = State::Running;
    while (!again_.empty()) {
        again_.drop();
    }
    while (!waiting_.empty()) {
        waiting_.drop();
    }
    sorting_.clear();
    for (u32 tag = 0; tag < kMaxTags; ++tag) {
        if (open_[tag].order != 0) {
            sorting_.push_back(open_[tag].order << 8 | tag);
        }
    }
    std::sort(sorting_.begin(), sorting_.end());
    for (const u64 entry : sorting_) {
        const u32 tag = entry & 0xff;
        if (open_[tag].sent) {
            ++stats_.repeated;
            open_[tag].sent = false;
            client_->on_repeated(tag);
        }
        again_.push(open_[tag].command);
    }
    send_next();
}

void SataPort::reset()
{
    Frame nothing;
    FramePhase phase = FramePhase::Reset;
    sc_core::sc_time zero;
    socket->nb_transport_fw(nothing, phase, zero);
}

void SataPort::on_reset()
{
    ++stats_.resets;
    state_ = State::Reset;
    busy_ = false;
}

} // namespace tlmssd::host
