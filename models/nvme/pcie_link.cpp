// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: turns and times on a PCI Express link.
#include "models/nvme/pcie_link.h"

#include <cmath>

namespace tlmssd::nvme {

namespace {

constexpr u32 kInterruptBytes = 4;
constexpr u32 kLinkLayerBytes = 16; // acknowledgement and credit update

bool is_data(const Transfer& t)
{
    return t.kind == Transfer::Kind::WriteData || t.kind == Transfer::Kind::ReadData;
}

} // namespace

PcieStats PcieStats::since(const PcieStats& before) const
{
    const auto less = [](const Direction& now, const Direction& then) {
        return Direction{now.packets - then.packets, now.bytes - then.bytes,
                         now.payload_bytes - then.payload_bytes};
    };
    return {less(to_host, before.to_host), less(to_device, before.to_device)};
}

PcieLink::Lane::Lane(PcieLink& l, time::Timer::Callback on_arrival, time::Timer::Callback on_data)
    : link(l), arrival_timer(l.event_queue_, time::Priority::Link, on_arrival, &l),
      data_timer(l.event_queue_, time::Priority::Link, on_data, &l)
{
}

PcieLink::PcieLink(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Pcie& config)
    : sc_module(name), config_(config), event_queue_(event_queue), byte_ps_(byte_ps(config)),
      up_(*this, &PcieLink::up_arrives, &PcieLink::up_data),
      down_(*this, &PcieLink::down_arrives, &PcieLink::down_data), tags_(config.read_tags),
      memory_timer_(event_queue, time::Priority::Link, time::Timer::call<&PcieLink::on_memory, PcieLink>, this)
{
    up_.stats = &stats_.to_host;
    down_.stats = &stats_.to_device;
}

void PcieLink::up_arrives(void* link) { static_cast<PcieLink*>(link)->arrive(static_cast<PcieLink*>(link)->up_); }
void PcieLink::down_arrives(void* link)
{
    static_cast<PcieLink*>(link)->arrive(static_cast<PcieLink*>(link)->down_);
}
void PcieLink::up_data(void* link)
{
    static_cast<PcieLink*>(link)->up_.sending = false;
    static_cast<PcieLink*>(link)->next_data(static_cast<PcieLink*>(link)->up_);
}
void PcieLink::down_data(void* link)
{
    static_cast<PcieLink*>(link)->down_.sending = false;
    static_cast<PcieLink*>(link)->next_data(static_cast<PcieLink*>(link)->down_);
}

/// Book the direction; `arrives` may be null (requests, interrupts).
void PcieLink::occupy(Lane& lane, Packets packets, const Transfer* arrives)
{
    const Picoseconds start = max(lane.free, event_queue_.now());
    const u32 bytes = packets.bytes + lane.owed;
    lane.owed = 0;
    const Picoseconds time(static_cast<u64>(std::llround(bytes * byte_ps_)));
    lane.free = start + time;
    lane.booked += time;
    lane.stats->packets += packets.count;
    lane.stats->bytes += bytes;
    Lane& other = &lane == &up_ ? down_ : up_;
    other.unanswered += packets.count;
    other.owed += other.unanswered / config_.packets_per_dllp * kLinkLayerBytes;
    other.unanswered %= config_.packets_per_dllp;
    if (arrives != nullptr) {
        if (is_data(*arrives)) {
            lane.stats->payload_bytes += arrives->bytes;
        }
        if (observer_ != nullptr) {
            observer_->on_transfer(*arrives, &lane == &up_, start, lane.free);
        }
        Queued& queued = lane.arrivals.append();
        queued.transfer = *arrives;
        queued.at = lane.free + config_.latency;
        if (!lane.arrival_timer.armed()) {
            lane.arrival_timer.arm(lane.arrivals.front().at);
        }
    }
}

void PcieLink::send(Lane& lane, const Transfer& transfer, Packets packets)
{
    occupy(lane, packets, &transfer);
}

void PcieLink::on_arrival(const Lane& lane, const Transfer& transfer)
{
    if (&lane == &up_) {
        host_->on_arrival(transfer);
    } else {
        device_->on_arrival(transfer);
    }
}

void PcieLink::ring(const Transfer& transfer)
{
    if (timeless_) {
        device_->on_arrival(transfer);
    } else {
        send(down_, transfer, write_packets(config_, 4));
    }
}

/// An entry and its interrupt are two packets that follow each other. A host with a time of its own sees each as it
/// comes; others look at the entry when they get the interrupt.
void PcieLink::post(const Transfer& t)
{
    if (timeless_) {
        host_->on_arrival(t);
        return;
    }
    switch (t.kind) {
    case Transfer::Kind::Interrupt: send(up_, t, write_packets(config_, kInterruptBytes)); break;
    case Transfer::Kind::Level: send(up_, t, Packets()); break;
    default:
        if (t.interrupt && answers_) {
            Transfer part = t;
            part.interrupt = false;
            send(up_, part, write_packets(config_, t.bytes));
            part.kind = Transfer::Kind::Interrupt;
            send(up_, part, write_packets(config_, kInterruptBytes));
        } else if (t.interrupt) {
            occupy(up_, write_packets(config_, t.bytes), nullptr);
            send(up_, t, write_packets(config_, kInterruptBytes));
        } else {
            send(up_, t, write_packets(config_, t.bytes));
        }
    }
}

void PcieLink::write(const Transfer& transfer)
{
    up_.data.append() = transfer;
    next_data(up_);
}

void PcieLink::next_data(Lane& lane)
{
    if (lane.sending || lane.data.empty()) {
        return;
    }
    const Transfer transfer = lane.data.front();
    lane.data.drop();
    lane.sending = true;
    send(lane, transfer,
         &lane == &up_ ? write_packets(config_, transfer.bytes) : completion_packets(config_, transfer.bytes));
    lane.data_timer.arm(lane.free);
}

void PcieLink::arrive(Lane& lane)
{
    while (!lane.arrivals.empty() && lane.arrivals.front().at <= event_queue_.now()) {
        const Transfer transfer = lane.arrivals.front().transfer;
        lane.arrivals.drop();
        if (&lane == &down_ && transfer.kind == Transfer::Kind::WriteData) {
            tags_ += requests_of(transfer.bytes);
            ask();
        }
        on_arrival(lane, transfer);
    }
    if (!lane.arrivals.empty() && !lane.arrival_timer.armed()) {
        lane.arrival_timer.arm(lane.arrivals.front().at);
    }
}

void PcieLink::read(const Transfer& transfer, bool data)
{
    if (timeless_) {
        host_->on_read(transfer);
        device_->on_arrival(transfer);
        return;
    }
    if (data) {
        reads_.push(transfer);
        ask();
        return;
    }
    request(transfer, read_packets(config_, transfer.bytes));
}

void PcieLink::request(const Transfer& transfer, Packets packets)
{
    occupy(up_, packets, nullptr);
    Queued& queued = memory_.append();
    queued.transfer = transfer;
    queued.at = up_.free + config_.latency + (answers_ ? Picoseconds() : config_.host_memory);
    if (!memory_timer_.armed()) {
        memory_timer_.arm(memory_.front().at);
    }
}

/// Requests for data, as far as read tags go.
void PcieLink::ask()
{
    while (!reads_.empty()) {
        const Transfer& transfer = reads_.front();
        const Packets packets = read_packets(config_, transfer.bytes);
        if (packets.count > tags_) {
            return;
        }
        tags_ -= packets.count;
        request(transfer, packets);
        reads_.drop();
    }
}

void PcieLink::answer(const Transfer& transfer)
{
    if (transfer.kind == Transfer::Kind::WriteData) {
        down_.data.push(transfer);
        next_data(down_);
    } else {
        send(down_, transfer, completion_packets(config_, transfer.bytes));
    }
}

void PcieLink::on_memory()
{
    while (!memory_.empty() && memory_.front().at <= event_queue_.now()) {
        const Transfer transfer = memory_.front().transfer;
        memory_.drop();
        host_->on_read(transfer);
        if (!answers_) {
            answer(transfer);
        }
    }
    if (!memory_.empty() && !memory_timer_.armed()) {
        memory_timer_.arm(memory_.front().at);
    }
}

} // namespace tlmssd::nvme
