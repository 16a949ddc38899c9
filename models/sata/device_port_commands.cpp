// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a register FIS asks of the device: commands for the firmware, and those the port
// answers itself.
#include "models/sata/device_port.h"

namespace tlmssd::sata {

namespace {

/// The registers of a command that failed, for log 10h.
NcqError error_of(const RegisterH2D& fis, u8 error)
{
    NcqError why;
    why.tag = static_cast<u8>((fis.count >> 3 & 0x1f) | (fis.port & 7) << 5);
    why.status = ata::kStatusError;
    why.error = error;
    why.lba = fis.lba;
    why.device = fis.device;
    why.count = fis.count;
    return why;
}

} // namespace

void DevicePort::on_register(const RegisterH2D& fis)
{
    if (fis.c) {
        if (!resetting_ && !soft_reset_) { // else BSY is set, and nobody may ask
            on_command(fis);
        } else {
            ++stats_.illegal_fises;
        }
        return;
    }
    const bool was = soft_reset_;
    soft_reset_ = fis.control & ata::kControlReset;
    if (was && !soft_reset_) {
        const bool sending = active_ && dma_.to_host;
        reset_waits_ = sending;
        resetting_ = true;
        if (!sending) {
            reset(false);
        }
    }
}

bool DevicePort::in_range(u64 lba, u32 sectors) const
{
    return lba < facts_.sectors && sectors <= facts_.sectors - lba;
}

void DevicePort::count(const hal_host_command& command)
{
    if (command.opcode == HAL_HOST_READ) {
        ++counters_.read_commands;
        counters_.sectors_read += command.sectors;
    } else if (command.opcode == HAL_HOST_WRITE) {
        ++counters_.write_commands;
        counters_.sectors_written += command.sectors;
    }
}

void DevicePort::on_command(const RegisterH2D& fis)
{
    if (queue_ == Queue::Failing) {
        ++owed_;
        return;
    }
    hal_host_command command;
    const bool known = decode_command(fis, command);
    if (!is_queued(fis.command)) {
        if (queue_ == Queue::Aborted) {
            on_own_command(fis); // READ LOG EXT, or nothing
        } else if (not_queued_ || reading_.left != 0) {
            send_register(ata::kStatusError, ata::kErrorAbort);
        } else if (open_ != 0) {
            NcqError why = error_of(fis, ata::kErrorAbort);
            why.tag = 0;
            why.not_queued = true;
            queue_error(why, true);
        } else if (known) {
            on_known(fis, command);
        } else {
            on_own_command(fis);
        }
        return;
    }
    const bool has = facts_.ncq && (facts_.queued_trim || fis.command != ata::kSendFpdma);
    if (!has || queue_ != Queue::Good || not_queued_ || reading_.left != 0) {
        send_register(ata::kStatusError, ata::kErrorAbort);
        return;
    }
    if (!known || command.tag >= tags_ || commands_[command.tag].opcode != 0) {
        queue_error(error_of(fis, ata::kErrorAbort), true);
        return;
    }
    on_known(fis, command);
}

void DevicePort::on_known(const RegisterH2D& fis, hal_host_command command)
{
    const bool queued = is_queued(fis.command);
    const bool addressed = command.opcode == HAL_HOST_READ || command.opcode == HAL_HOST_WRITE;
    if (addressed && !in_range(command.lba, command.sectors)) {
        queued ? queue_error(error_of(fis, ata::kErrorNotFound), true)
               : send_register(ata::kStatusError, ata::kErrorNotFound);
        return;
    }
    if (command.opcode == HAL_HOST_WRITE && !settings_.write_cache) {
        command.flags = static_cast<u8>(command.flags | HAL_HOST_FUA);
    }
    count(command);
    ++open_;
    Command& c = commands_[command.tag];
    c.lba = command.lba;
    c.sectors = command.sectors;
    c.opcode = command.opcode;
    if (queued) {
        send_register(ata::kStatusReady, 0, Told::Release); // the host may send the next command
        hand_over(command);
        return;
    }
    not_queued_ = true;
    received_ = 0;
    if (command.opcode == HAL_HOST_TRIM) {
        trim_data_ = true;
        send_activate();
    } else {
        sink_->on_host_command(command);
    }
}

void DevicePort::on_own_command(const RegisterH2D& fis)
{
    const bool log = fis.command == ata::kReadLogExt || fis.command == ata::kReadLogDmaExt;
    if (queue_ == Queue::Aborted && log && after_drain_ == AfterDrain::Nothing &&
        (fis.lba & 0xff) == kLogNcqError) {
        on_read_log(fis);
        return;
    }
    if (queue_ == Queue::Aborted) {
        send_register(ata::kStatusError, ata::kErrorAbort);
        return;
    }
    switch (fis.command) {
    case ata::kIdentifyDevice:
        reading_ = {kIdentity, 0, 1, false, false};
        send_log_page();
        return;
    case ata::kSetFeatures: on_set_features(fis); return;
    case ata::kReadLogExt:
    case ata::kReadLogDmaExt: on_read_log(fis); return;
    default: send_register(ata::kStatusError, ata::kErrorAbort); return;
    }
}

void DevicePort::on_set_features(const RegisterH2D& fis)
{
    bool good = true;
    switch (fis.features & 0xff) {
    case ata::kSetWriteCacheOn: settings_.write_cache = true; break;
    case ata::kSetWriteCacheOff: settings_.write_cache = false; break;
    case ata::kSetReadAheadOn: settings_.read_ahead = true; break;
    case ata::kSetReadAheadOff: settings_.read_ahead = false; break;
    case ata::kSetTransferMode: { // PIO default or 0 to 4, multiword 0 to 2, Ultra DMA 0 to 6
        const u32 mode = fis.count & 0xff;
        good = mode <= 1 || (mode >= 0x08 && mode <= 0x0c) || (mode >= 0x20 && mode <= 0x22) ||
               (mode >= 0x40 && mode <= 0x46);
        break;
    }
    case ata::kSetSataOn:
    case ata::kSetSataOff: {
        const bool on = (fis.features & 0xff) == ata::kSetSataOn;
        const u32 feature = fis.count & 0xff;
        if (feature == ata::kSataAutoActivate && facts_.ncq) {
            settings_.auto_activate = on;
        } else { // offsets are always on: the firmware moves page by page
            good = feature == ata::kSataOffsets && facts_.ncq && on;
        }
        break;
    }
    default: good = false; break;
    }
    send_register(good ? ata::kStatusReady : ata::kStatusError, good ? 0 : ata::kErrorAbort);
}

/// Log in LBA 7:0, page in 15:8 (and 39:32 for its high byte), pages in count.
void DevicePort::on_read_log(const RegisterH2D& fis)
{
    const auto log = static_cast<u8>(fis.lba);
    const u32 page = static_cast<u32>(fis.lba >> 8 & 0xff) | static_cast<u32>(fis.lba >> 32 & 0xff) << 8;
    if (fis.count == 0 || page + fis.count > log_pages(log)) {
        send_register(ata::kStatusError, ata::kErrorAbort);
        return;
    }
    reading_ = {log, page, fis.count, fis.command == ata::kReadLogDmaExt, false};
    if (queue_ == Queue::Aborted) {
        after_drain_ = AfterDrain::Log;
        after_drain();
    } else {
        send_log_page();
    }
}

void DevicePort::make_log_page(Block& block)
{
    switch (reading_.log) {
    case kLogDirectory: make_log_directory(block); return;
    case kLogNcqError: make_ncq_error(error_, block); return;
    case kLogStatistics: {
        DeviceStatistics all = counters_;
        all.power_on_hours = static_cast<u32>(event_queue_.now().seconds() / 3600);
        const u32 used = statistics_ != nullptr ? statistics_->percentage_used() : 0;
        all.percentage_used = static_cast<u8>(used > 255 ? 255 : used);
        make_statistics(all, reading_.page, block);
        return;
    }
    default: make_identity(facts_, settings_, block); return;
    }
}

/// Also called when a page has been sent.
void DevicePort::send_log_page()
{
    if (reading_.left == 0) {
        return;
    }
    if (reading_.sent) {
        reading_.sent = false;
        ++reading_.page;
        if (--reading_.left == 0) {
            if (reading_.dma) {
                send_register(ata::kStatusReady, 0);
            }
            return;
        }
    }
    if (!reading_.dma) {
        send_pio_setup();
    }
    Frame& frame = pool_.take_block();
    make_log_page(*frame.block);
    frame.notify_sent = true;
    reading_.sent = true;
    queue_frame(socket, frame);
}

void DevicePort::send_pio_setup()
{
    Frame& frame = pool_.take(kPioSetupDwords);
    PioSetup fis;
    fis.status = ata::kStatusData;
    fis.device = ata::kDeviceLba;
    fis.end_status = reading_.left > 1 ? ata::kStatusReady | 0x80 : ata::kStatusReady; // BSY
    fis.bytes = 512;
    pack(fis, frame.fis);
    queue_frame(socket, frame);
}

} // namespace tlmssd::sata
