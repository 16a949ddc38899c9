// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host after an error of the queue, and after COMRESET.
#include <algorithm>
#include <string>

#include "models/common/error.h"
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
        recovery_.on_work();
    }
    send_again(named ? Victims::Pardoned : Victims::Counted);
    if (named) {
        client_->on_completed(error.tag, HAL_HOST_ERROR);
    }
}

/// A command that has met too many resets.
bool SataPort::to_be_given_up(Open& open, Victims victims) const
{
    if (!open.sent || victims == Victims::Pardoned) {
        return false;
    }
    return ++open.resets > command_retries_;
}

/// All that the device does not know of any more, in the order of submit(), but what is given up.
void SataPort::send_again(Victims victims)
{
    state_ = State::Running;
    while (!again_.empty()) {
        again_.drop();
    }
    while (!waiting_.empty()) {
        waiting_.drop();
    }
    sorting_.clear();
    given_up_.clear();
    for (u32 tag = 0; tag < kMaxTags; ++tag) {
        if (open_[tag].order == 0) {
            continue;
        }
        if (to_be_given_up(open_[tag], victims)) {
            open_[tag].order = 0;
            given_up_.push_back(tag);
        } else {
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
    stats_.given_up += given_up_.size();
    for (const u32 tag : given_up_) {
        client_->on_completed(tag, kIoError);
    }
}

void SataPort::reset()
{
    Frame nothing;
    FramePhase phase = FramePhase::Reset;
    sc_core::sc_time zero;
    socket->nb_transport_fw(nothing, phase, zero);
}

void SataPort::on_reset(Frame& reset)
{
    ++stats_.resets;
    state_ = State::Reset;
    busy_ = false;
    switch (recovery_.on_reset(event_queue_.now())) {
    case LinkRecovery::Measure::SendAgain: break;
    case LinkRecovery::Measure::Slower: reset.rate_limit = recovery_.gbps_tenths(); break;
    case LinkRecovery::Measure::NcqOff: one_at_a_time_ = true; break;
    case LinkRecovery::Measure::GiveUp: give_device_up();
    }
}

void SataPort::give_device_up() const
{
    const u32 tenths = recovery_.gbps_tenths();
    throw ModelError("sata: the host gives the device up: " + std::to_string(recovery_.resets_in_a_row() - 1) +
                     " COMRESETs in a row without a command that ended, and one more (sata.resets_in_a_row); line rate " +
                     std::to_string(tenths / 10) + (tenths % 10 != 0 ? ".5" : "") + " Gb/s, NCQ " +
                     (ncq() ? "on" : "off") + ", " + std::to_string(stats_.given_up) +
                     " commands ended with an I/O error");
}

} // namespace tlmssd::host
