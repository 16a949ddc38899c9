// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: arbitration and timing of the SATA link.
#include "models/sata/link.h"

namespace tlmssd::sata {

namespace {

constexpr u32 kFramingDwords = 3; // SOF, CRC, EOF
constexpr u64 kAlignEvery = 256;  // dwords between ALIGN pairs
constexpr u64 kAlignPair = 2;
// 40 bits at 1 tenth of a Gb/s take 40 / 10^8 s = 400,000 ps.
constexpr u64 kDwordAtOneTenth = 400000;

} // namespace

Picoseconds frame_time(const config::Sata& config, u32 fis_dwords)
{
    const u64 dwords = u64{fis_dwords} + kFramingDwords + config.handshake_dwords;
    const u64 numerator = dwords * (kAlignEvery + kAlignPair) * kDwordAtOneTenth;
    const u64 denominator = kAlignEvery * config.gbps_tenths;
    return Picoseconds((numerator + denominator - 1) / denominator);
}

void Link::Queue::push(Frame& frame)
{
    frame.next = nullptr;
    if (head == nullptr) {
        head = &frame;
    } else {
        tail->next = &frame;
    }
    tail = &frame;
}

Frame* Link::Queue::pop()
{
    Frame* frame = head;
    head = frame->next;
    return frame;
}

Link::Link(sc_core::sc_module_name name, time::EventWheel& wheel, const config::Sata& config)
    : sc_module(name), host_socket("host_socket"), device_socket("device_socket"), wheel_(wheel),
      config_(config),
      timer_(wheel, time::Priority::Link, time::Timer::call<&Link::on_timer, Link>, this)
{
    host_socket.bind(*this);
    device_socket.bind(*this);
}

tlm::tlm_sync_enum Link::nb_transport_fw(Frame& frame, FramePhase&, sc_core::sc_time&)
{
    const u32 data = frame.is_data ? 2 : 0;
    const u32 host = frame.from == Side::Host ? 1 : 0;
    queues_[data + host].push(frame);
    if (current_ == nullptr) {
        start_next();
    }
    return tlm::TLM_ACCEPTED;
}

void Link::start_next()
{
    const Picoseconds now = wheel_.now();
    Picoseconds earliest = kTimeNever;
    for (Queue& queue : queues_) {
        if (queue.head == nullptr) {
            continue;
        }
        if (queue.head->ready_at <= now) {
            current_ = queue.pop();
            current_->started = true;
            start_ = now;
            timer_.arm(now + frame_time(config_, current_->dwords));
            return;
        }
        earliest = min(earliest, queue.head->ready_at);
    }
    if (earliest != kTimeNever && !(timer_.armed() && timer_.at() == earliest)) {
        timer_.arm(earliest); // nobody may send before a payload is there
    }
}

Picoseconds Link::busy(Side from, Picoseconds now) const
{
    const Picoseconds ended =
        (from == Side::Host ? stats_.from_host : stats_.from_device).busy;
    return current_ != nullptr && current_->from == from ? ended + (now - start_) : ended;
}

void Link::call(Side side, Frame& frame, FramePhase phase)
{
    sc_core::sc_time zero;
    LinkSocket& socket = side == Side::Host ? host_socket : device_socket;
    socket->nb_transport_bw(frame, phase, zero);
}

void Link::on_timer()
{
    if (current_ != nullptr) {
        Frame& frame = *current_;
        const bool from_host = frame.from == Side::Host;
        LinkStats::Direction& direction = from_host ? stats_.from_host : stats_.from_device;
        ++direction.frames;
        direction.data_frames += frame.is_data;
        direction.payload_bytes += u64{frame.sectors} * 512;
        direction.busy += wheel_.now() - start_;
        if (observer_ != nullptr) {
            observer_->on_frame(frame, start_, wheel_.now());
        }
        start_ = wheel_.now(); // all of it is counted
        // current_ stays set: what the ends send now waits until both have seen the frame's end.
        if (frame.notify_sent) {
            call(frame.from, frame, FramePhase::Sent);
        }
        call(from_host ? Side::Device : Side::Host, frame, FramePhase::Arrived);
        current_ = nullptr;
    }
    start_next();
}

} // namespace tlmssd::sata
