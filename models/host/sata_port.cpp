// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's half of the NCQ protocol.
#include "models/host/sata_port.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/geometry.h"

namespace tlmssd::host {

using namespace sata;

SataPort::SataPort(sc_core::sc_module_name name, config::DataKind data, bool queued_trim)
    : sc_module(name), socket("socket"), queued_trim_(queued_trim),
      pool_(Side::Host, data == config::DataKind::Full)
{
    socket.bind(*this);
}

void SataPort::submit(const hal_host_command& command)
{
    if (busy_) {
        waiting_.push(command);
    } else {
        send_command(command);
    }
}

void SataPort::send_command(const hal_host_command& command)
{
    busy_ = true;
    sent_ = command;
    if (queued_trim_) {
        const bool trim = command.opcode == HAL_HOST_TRIM;
        ranges_[command.tag] = {command.lba, trim ? command.sectors : 0};
    }
    Frame& frame = pool_.take(kRegisterDwords);
    pack(encode_command(command, queued_trim_), frame.fis);
    queue_frame(socket, frame);
}

tlm::tlm_sync_enum SataPort::nb_transport_bw(Frame& frame, FramePhase&, sc_core::sc_time&)
{
    const FisType type = fis_type(frame.fis);
    if (type == FisType::Data) {
        on_data(frame);
        frame.release();
        return tlm::TLM_COMPLETED;
    }
    const FisBytes bytes = frame.fis;
    frame.release();
    switch (type) {
    case FisType::RegisterD2H: on_register(bytes); break;
    case FisType::DmaSetup: on_dma_setup(bytes); break;
    case FisType::DmaActivate: on_activate(); break;
    case FisType::SetDeviceBits: on_set_device_bits(bytes); break;
    default: throw ModelError("sata: the device sent a FIS that only a host sends");
    }
    return tlm::TLM_COMPLETED;
}

void SataPort::on_register(const FisBytes& bytes)
{
    RegisterD2H fis;
    unpack(bytes, fis);
    if (!busy_) {
        throw ModelError("sata: a register FIS without a command");
    }
    const hal_host_command answered = sent_;
    busy_ = false;
    if (!waiting_.empty()) {
        send_command(waiting_.pop());
    }
    const bool queued = answered.opcode == HAL_HOST_READ || answered.opcode == HAL_HOST_WRITE ||
                        (answered.opcode == HAL_HOST_TRIM && queued_trim_);
    const bool failed = fis.status & 1;
    if (!queued || failed) { // the release of a queued command that was accepted ends nothing
        client_->on_completed(answered.tag, failed ? HAL_HOST_ERROR : HAL_HOST_OK);
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
    if (busy_ && sent_.opcode == HAL_HOST_TRIM && !queued_trim_) {
        send_range(sent_.lba, sent_.sectors);
        return;
    }
    send_write_data();
}

void SataPort::send_range(u64 lba, u32 sectors)
{
    Frame& frame = pool_.take_data(1);
    pack_trim(lba, sectors, frame.trim);
    queue_frame(socket, frame);
}

void SataPort::send_write_data()
{
    if (context_.to_host || context_.sectors == 0) {
        throw ModelError("sata: the device asked for data beyond its DMA setup");
    }
    if (const Range& range = ranges_[context_.tag]; range.sectors != 0) {
        context_.sectors = 0; // one block has all of it
        send_range(range.lba, range.sectors);
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

void SataPort::on_data(const Frame& frame)
{
    if (!context_.to_host || frame.sectors > context_.sectors) {
        throw ModelError("sata: the device sent data beyond its DMA setup");
    }
    client_->receive(context_.tag, context_.offset, frame.sectors, frame.tags.data(),
                     frame.bytes.get());
    context_.offset += frame.sectors;
    context_.sectors -= frame.sectors;
}

void SataPort::on_set_device_bits(const FisBytes& bytes)
{
    SetDeviceBits fis;
    unpack(bytes, fis);
    const u32 status = fis.status & 1 ? HAL_HOST_ERROR : HAL_HOST_OK;
    for (u32 left = fis.sactive; left != 0; left &= left - 1) {
        const u32 bit = static_cast<u32>(__builtin_ctz(left));
        client_->on_completed(u32{fis.port} * 32 + bit, status);
    }
}

} // namespace tlmssd::host
