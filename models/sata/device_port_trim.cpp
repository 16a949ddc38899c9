// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ranges of TRIMs, queued or not, and the order of commands around them.
#include "models/sata/device_port.h"

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
    const bool good = unpack_trim(frame.trim, command.lba, command.sectors);
    frame.release();
    commands_[command.tag].lba = command.lba;
    commands_[command.tag].sectors = command.sectors;
    begin_next_dma();
    if (good) {
        sink_->on_host_command(command);
    } else {
        complete(command.tag, HAL_HOST_ERROR);
    }
    while (!held_.empty() && held_.front().opcode != HAL_HOST_TRIM) {
        sink_->on_host_command(held_.pop());
    }
}

void DevicePort::on_trim_data(Frame& frame)
{
    hal_host_command command{};
    command.opcode = HAL_HOST_TRIM;
    u64 lba = 0;
    u32 sectors = 0;
    const bool good = unpack_trim(frame.trim, lba, sectors);
    frame.release();
    trim_data_ = false;
    if (!good) {
        complete(0, HAL_HOST_ERROR);
        return;
    }
    command.lba = lba;
    command.sectors = sectors;
    commands_[0].lba = lba;
    commands_[0].sectors = sectors;
    sink_->on_host_command(command);
}

} // namespace tlmssd::sata
