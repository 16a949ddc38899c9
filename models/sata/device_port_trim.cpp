// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ranges of TRIMs, queued or not, and the order of commands around them.
#include "models/sata/device_port.h"

#include <algorithm>

namespace tlmssd::sata {

void DevicePort::hand_over(const hal_host_command& command)
{
    const bool trim = command.opcode == HAL_HOST_TRIM;
    if (held_.empty() && !trim) {
        sink_->on_host_command(command);
        return;
    }
    held_.push(command);
    if (trim) {
        ranges_.push(command.tag);
        if (!active_) {
            begin_next_dma();
        }
    }
}

/// The range of the first command in held_: ranges come in the order of their commands.
void DevicePort::on_range_data(Frame& frame)
{
    hal_host_command command = held_.pop();
    const bool good = range_of(frame, command) && in_range(command.lba, command.sectors);
    frame.release();
    commands_[command.tag].lba = command.lba;
    commands_[command.tag].sectors = command.sectors;
    if (queue_ == Queue::Failing) {
        free_tag(command.tag); // it is aborted
        begin_next_dma();
        return;
    }
    begin_next_dma();
    if (good) {
        sink_->on_host_command(command);
    } else {
        complete(command.tag, HAL_HOST_ERROR);
    }
    release_held();
}

/// What waits behind a TRIM whose range has come.
void DevicePort::release_held()
{
    while (!held_.empty() && held_.front().opcode != HAL_HOST_TRIM) {
        sink_->on_host_command(held_.pop());
    }
    if (!active_) {
        begin_next_dma();
    }
}

void DevicePort::on_trim_data(Frame& frame)
{
    hal_host_command command{};
    command.opcode = HAL_HOST_TRIM;
    const bool good = range_of(frame, command) && in_range(command.lba, command.sectors);
    frame.release();
    trim_data_ = false;
    if (!good) {
        complete(0, HAL_HOST_ERROR);
        return;
    }
    commands_[0].lba = command.lba;
    commands_[0].sectors = command.sectors;
    sink_->on_host_command(command);
}

/// A block of 512 bytes as such, or as the bytes of a host's memory.
bool DevicePort::range_of(const Frame& frame, hal_host_command& command)
{
    if (frame.is_block) {
        return unpack_trim(*frame.block, command.lba, command.sectors);
    }
    Block block;
    if (!frame.bytes) {
        return false;
    }
    std::copy_n(frame.bytes.get(), block.size(), block.begin());
    return unpack_trim(block, command.lba, command.sectors);
}

} // namespace tlmssd::sata
