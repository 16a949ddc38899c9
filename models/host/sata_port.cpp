// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's half of the NCQ protocol.
#include "models/host/sata_port.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/geometry.h"

namespace tlmssd::host {

using namespace sata;

SataPort::SataPort(sc_core::sc_module_name name, time::EventQueue& event_queue, config::DataKind data,
                   const config::Sata& line)
    : sc_module(name), socket("socket"), event_queue_(event_queue), style_{line.queued_trim, line.ncq},
      command_retries_(line.command_retries), recovery_(line), pool_(Side::Host, data == config::DataKind::Full)
{
    socket.bind(*this);
    sorting_.reserve(kMaxTags);
}

bool SataPort::is_queued(u8 opcode) const
{
    return opcode == HAL_HOST_TRIM ? style_.queued_trim : opcode != HAL_HOST_FLUSH && style_.ncq;
}

void SataPort::submit(const hal_host_command& command)
{
    open_[command.tag] = {command, ++orders_, false, 0};
    // One at a time, a command that comes with the end of another would overtake those that wait.
    if (!may_send() || !again_.empty() || !waiting_.empty()) {
        waiting_.push(command);
    } else {
        send_command(command);
    }
}

void SataPort::send_command(const hal_host_command& command)
{
    busy_ = true;
    sent_ = command;
    open_[command.tag].sent = true;
    if (!is_queued(command.opcode)) {
        context_ = {command.tag, 0, command.sectors, command.opcode == HAL_HOST_READ};
    }
    Frame& frame = pool_.take(kRegisterDwords);
    pack(encode_command(command, style_), frame.fis);
    queue_frame(socket, frame);
}

bool SataPort::may_send() const
{
    if (busy_ || state_ != State::Running) {
        return false;
    }
    return !one_at_a_time_ ||
           std::none_of(open_.begin(), open_.end(), [](const Open& open) { return open.order != 0 && open.sent; });
}

void SataPort::send_next()
{
    if (!may_send()) {
        return;
    }
    if (!again_.empty()) {
        send_command(again_.pop());
    } else if (!waiting_.empty()) {
        send_command(waiting_.pop());
    }
}

void SataPort::end(u32 tag, u32 status)
{
    open_[tag].order = 0;
    recovery_.on_work();
    client_->on_completed(tag, status);
    if (one_at_a_time_) {
        send_next();
    }
}

tlm::tlm_sync_enum SataPort::nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&)
{
    if (phase == FramePhase::Reset) {
        on_reset(frame);
        return tlm::TLM_ACCEPTED;
    }
    const FisType type = fis_type(frame.fis);
    if (type == FisType::Data) {
        on_data(frame);
        return tlm::TLM_COMPLETED;
    }
    const FisBytes bytes = frame.fis;
    frame.release();
    switch (type) {
    case FisType::RegisterD2H: on_register(bytes); break;
    case FisType::DmaSetup: on_dma_setup(bytes); break;
    case FisType::DmaActivate: on_activate(); break;
    case FisType::SetDeviceBits: on_set_device_bits(bytes); break;
    case FisType::PioSetup: break; // the block that follows is the log
    default: throw ModelError("sata: the device sent a FIS that only a host sends");
    }
    return tlm::TLM_COMPLETED;
}

void SataPort::on_register(const FisBytes& bytes)
{
    RegisterD2H fis;
    unpack(bytes, fis);
    if (state_ == State::Reset) {
        send_again(Victims::Counted);
        return;
    }
    if (!busy_) {
        throw ModelError("sata: a register FIS without a command");
    }
    busy_ = false;
    const bool failed = fis.status & 1;
    if (state_ == State::Failed) { // released or refused: sent again in any case
        ask_log();
        return;
    }
    if (state_ == State::Asked) {
        reset(); // the log cannot be had
        return;
    }
    const hal_host_command answered = sent_;
    const bool queued = is_queued(answered.opcode);
    if (failed && queued) {
        ask_log();
        return;
    }
    send_next();
    if (!queued) { // the release of a queued command ends nothing
        end(answered.tag, failed ? HAL_HOST_ERROR : HAL_HOST_OK);
    }
}

void SataPort::on_dma_setup(const FisBytes& bytes)
{
    DmaSetup setup;
    unpack(bytes, setup);
    context_.tag = setup.tag | u32{setup.port} << 5;
    context_.offset = setup.offset / kSectorBytes;
    context_.sectors = setup.count / kSectorBytes;
    context_.to_host = setup.to_host;
    if (setup.auto_activate) {
        send_write_data();
    }
}

void SataPort::on_activate()
{
    if (busy_ && sent_.opcode == HAL_HOST_TRIM && !style_.queued_trim) {
        send_range(sent_.lba, sent_.sectors);
        return;
    }
    send_write_data();
}

void SataPort::send_range(u64 lba, u32 sectors)
{
    Frame& frame = pool_.take_block();
    pack_trim(lba, sectors, *frame.block);
    queue_frame(socket, frame);
}

void SataPort::send_write_data()
{
    if (context_.to_host || context_.sectors == 0) {
        throw ModelError("sata: the device asked for data beyond its DMA setup");
    }
    const hal_host_command& command = open_[context_.tag].command;
    if (style_.queued_trim && command.opcode == HAL_HOST_TRIM) {
        context_.sectors = 0; // one block has all of it
        send_range(command.lba, command.sectors);
        return;
    }
    const u32 sectors = std::min(context_.sectors, kMaxDataBytes / kSectorBytes);
    Frame& frame = pool_.take_data(sectors);
    client_->provide(context_.tag, context_.offset, sectors, frame.tags.data(),
                     frame.bytes.get());
    context_.offset += sectors;
    context_.sectors -= sectors;
    queue_frame(socket, frame);
}

void SataPort::on_data(Frame& frame)
{
    if (frame.is_block && state_ == State::Asked) {
        const Block block = *frame.block;
        frame.release();
        on_log(block);
        return;
    }
    if (!context_.to_host || frame.sectors > context_.sectors) {
        throw ModelError("sata: the device sent data beyond its DMA setup");
    }
    client_->receive(context_.tag, context_.offset, frame.sectors, frame.tags.data(),
                     frame.bytes.get());
    context_.offset += frame.sectors;
    context_.sectors -= frame.sectors;
    frame.release();
}

void SataPort::on_set_device_bits(const FisBytes& bytes)
{
    SetDeviceBits fis;
    unpack(bytes, fis);
    if (fis.status & 1) {
        state_ = State::Failed;
        if (!busy_) {
            ask_log();
        }
        return;
    }
    if (state_ == State::Asked) {
        return; // SActive is emptied; what was in it is sent again
    }
    for (u32 left = fis.sactive; left != 0; left &= left - 1) {
        const u32 bit = static_cast<u32>(__builtin_ctz(left));
        end(u32{fis.port} * 32 + bit, HAL_HOST_OK);
    }
}

} // namespace tlmssd::host
