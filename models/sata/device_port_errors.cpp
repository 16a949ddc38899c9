// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: errors of the queue, aborts and resets of the device's end.
#include "models/sata/device_port.h"

namespace tlmssd::sata {

/// A command of the queue, or one that may not stand beside it, has failed. The first error is the
/// one that the log tells.
void DevicePort::queue_error(const NcqError& error, bool in_register)
{
    if (queue_ != Queue::Good) { // the host will find the command aborted
        return;
    }
    error_ = error;
    in_register_ = in_register;
    queue_ = Queue::Failing;
    if (!active_) {
        report_error();
    }
}

/// No DMA is on the link.
void DevicePort::report_error()
{
    queue_ = Queue::Aborted;
    ++stats_.aborts;
    if (in_register_) {
        send_register(error_.status, error_.error);
    } else {
        send_set_device_bits(error_.status & 0x77, error_.error, 0);
    }
    for (; owed_ != 0; --owed_) {
        send_register(ata::kStatusError, ata::kErrorAbort);
    }
    abort_all();
}

void DevicePort::abort_all()
{
    while (!held_.empty()) { // the firmware has not seen these
        free_tag(held_.pop().tag);
    }
    while (!ranges_.empty()) {
        ranges_.pop();
    }
    for (u32 tag = 0; tag < tags_; ++tag) {
        commands_[tag].aborted = commands_[tag].opcode != 0;
    }
    while (!reads_ready_.empty()) {
        reads_ready_.pop();
    }
    // In the order in which they were started: the firmware takes a page buffer's place in its window
    // for free once 64 later pages have ended.
    if (active_ && !range_data_) {
        dma_.to_host ? drop_dma(dma_) : drop_active_write();
    }
    active_ = range_data_ = false;
    while (!dmas_.empty()) {
        drop_dma(dmas_.pop());
    }
}

/// The firmware's transfer does not take place.
void DevicePort::drop_dma(const hal_host_dma& dma)
{
    sink_->on_host_dma_done(dma.tag, dma.to_host ? dma.cookie : dma.cookie | HAL_HOST_DMA_ABORTED);
    if (dma.complete) {
        complete(dma.tag, HAL_HOST_OK);
    }
}

/// A command has failed: its DMA on the link ends, and those that wait behind, in their order. What
/// start_dma() drops from here on would end before them.
void DevicePort::drop_command(u32 tag)
{
    for (std::size_t left = dmas_.size(); left != 0; --left) {
        const hal_host_dma dma = dmas_.pop();
        (dma.tag == tag ? failed_ : dmas_).push(dma);
    }
    drop_active_write();
    while (!failed_.empty()) {
        drop_dma(failed_.pop());
    }
}

/// What is left of a data FIS whose command has been aborted.
void DevicePort::drop_staged()
{
    if (staged_ == nullptr) {
        return;
    }
    if (staged_used_ != 0 && !writes_.empty()) {
        writes_.back().release = true; // behind the part that is on its way
    } else {
        staged_->release();
    }
    staged_ = nullptr;
}

/// The firmware gets its buffer back when what has come is in DRAM.
void DevicePort::drop_active_write()
{
    active_ = false;
    if (moved_ != 0 && !writes_.empty()) {
        writes_.back().last = writes_.back().aborted = true;
    } else {
        drop_dma(dma_);
    }
}

/// Data that do not fit what the device waits for: their command fails.
void DevicePort::wrong_data()
{
    if (trim_data_) {
        trim_data_ = false;
        complete(0, HAL_HOST_ERROR);
    } else if (active_ && range_data_) {
        const u32 tag = held_.pop().tag;
        active_ = range_data_ = false;
        commands_[tag].error = ata::kErrorAbort;
        complete(tag, HAL_HOST_ERROR);
        release_held();
    } else if (active_ && !dma_.to_host) {
        const u32 tag = dma_.tag;
        commands_[tag].error = ata::kErrorAbort;
        drop_command(tag);
        begin_next_dma();
    }
}

void DevicePort::free_tag(u32 tag)
{
    commands_[tag] = Command();
    --open_;
    if (open_ == 0 && after_drain_ != AfterDrain::Nothing) {
        after_drain();
    }
}

/// READ LOG EXT and the signature wait for the firmware.
void DevicePort::after_drain()
{
    if (open_ != 0) {
        return;
    }
    const AfterDrain what = after_drain_;
    after_drain_ = AfterDrain::Nothing;
    queue_ = Queue::Good;
    if (what == AfterDrain::Signature) {
        resetting_ = false;
        send_register(ata::kStatusReady, ata::kDiagnosticPassed, Told::Signature);
        return;
    }
    send_set_device_bits(ata::kStatusReady, 0, 0xffffffff); // SActive is empty
    send_log_page();
}

/// SRST or COMRESET (`link_too`: all frames are gone). No data FIS of the device is on the link.
void DevicePort::reset(bool link_too)
{
    ++stats_.resets;
    resetting_ = true;
    reset_waits_ = false;
    read_timer_.cancel();
    owed_ = 0;
    soft_reset_ = false;
    trim_data_ = false;
    reading_ = {};
    if (link_too) {
        set_device_bits_.fill(nullptr);
        settings_ = DeviceSettings();
        ++counters_.power_on_resets;
    }
    if (not_queued_ && commands_[0].opcode == HAL_HOST_TRIM && commands_[0].sectors == 0) {
        free_tag(0); // its range has not come: the firmware does not know of it
    }
    not_queued_ = false;
    drop_staged();
    queue_ = Queue::Aborted;
    abort_all();
    after_drain_ = AfterDrain::Signature;
    after_drain();
}

} // namespace tlmssd::sata
