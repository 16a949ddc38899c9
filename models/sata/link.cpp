// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: arbitration and timing of the SATA link.
#include "models/sata/link.h"

#include <cmath>

#include "models/common/hash.h"

namespace tlmssd::sata {

namespace {

constexpr u64 kLineBits = 40;      // of a dword
constexpr u64 kPurpose = 0x73617461; // of the draws
// 40 bits at 1 tenth of a Gb/s take 40 / 10^8 s = 400,000 ps.
constexpr u64 kDwordAtOneTenth = 400000;

} // namespace

Picoseconds frame_time(const config::Sata& config, u32 fis_dwords)
{
    const u64 dwords = u64{fis_dwords} + kFramingDwords + config.handshake_dwords;
    const u64 numerator = dwords * u64{kAlignEvery + kAlignPair} * kDwordAtOneTenth;
    const u64 denominator = u64{kAlignEvery} * config.gbps_tenths;
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

Link::Link(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Sata& config,
           u64 seed)
    : sc_module(name), host_socket("host_socket"), device_socket("device_socket"), event_queue_(event_queue),
      config_(config),
      timer_(event_queue, time::Priority::Link, time::Timer::call<&Link::on_timer, Link>, this),
      seed_(seed)
{
    stats_.gbps_tenths = config_.gbps_tenths;
    if (config_.bit_error_rate > 0) {
        draw_gap();
    }
    host_socket.bind(*this);
    device_socket.bind(*this);
}

tlm::tlm_sync_enum Link::nb_transport_fw(Frame& frame, FramePhase& phase, sc_core::sc_time&)
{
    if (phase == FramePhase::Reset) {
        reset_asked_ = true;
        if (!calling_) {
            reset();
        }
        return tlm::TLM_ACCEPTED;
    }
    const u32 data = frame.is_data ? 2 : 0;
    const u32 host = frame.from == Side::Host ? 1 : 0;
    queues_[data + host].push(frame);
    if (current_ == nullptr && !down_ && !calling_) {
        start_next();
    }
    return tlm::TLM_ACCEPTED;
}

void Link::start_next()
{
    const Picoseconds now = event_queue_.now();
    Picoseconds earliest = kTimeNever;
    for (Queue& queue : queues_) {
        if (queue.head == nullptr) {
            continue;
        }
        if (queue.head->ready_at <= now) {
            start(*queue.pop());
            return;
        }
        earliest = min(earliest, queue.head->ready_at);
    }
    if (earliest != kTimeNever && !(timer_.armed() && timer_.at() == earliest)) {
        timer_.arm(earliest); // nobody may send before a payload is there
    }
}

void Link::start(Frame& frame)
{
    current_ = &frame;
    frame.started = true;
    start_ = event_queue_.now();
    frame_end_ = start_ + frame_time(config_, frame.dwords);
    attempts_ = 0;
    timer_.arm(frame_end_);
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

/// Counts bits until the next error: geometric, by the inverse of its distribution.
void Link::draw_gap()
{
    const double u = 1 - draw_unit(draw64(seed_, kPurpose, draws_++)); // (0, 1]
    gap_ = static_cast<u64>(std::log(u) / std::log1p(-config_.bit_error_rate));
}

/// The next `bits` of the line: their errors are in errors_.
bool Link::hit_by_errors(u64 bits)
{
    errors_.clear();
    u64 passed = 0;
    while (gap_ < bits - passed) {
        errors_.push_back(passed + gap_);
        passed += gap_ + 1;
        draw_gap();
    }
    gap_ -= bits - passed;
    return !errors_.empty();
}

/// `link: full`: encode, decode, and give the receiver what has come out.
bool Link::decodes(Frame& frame)
{
    if (frame.is_data && frame.notify_sent) {
        call(frame.from, frame, FramePhase::Filling);
    }
    const u64 dword_ps = kDwordAtOneTenth / config_.gbps_tenths;
    const auto holds = static_cast<u32>((event_queue_.now() - frame_end_).value() / dword_ps);
    senders_[static_cast<u32>(frame.from)].send(frame, holds, errors_, line_);
    if (!receiver_.receive(line_) || receiver_.dwords().size() != frame.dwords) {
        return false;
    }
    for (u32 i = 0; i < frame.dwords; ++i) {
        set_frame_dword(frame, i, receiver_.dwords()[i]);
    }
    return true;
}

/// False: R_ERR.
bool Link::arrives(Frame& frame)
{
    bool good = true;
    if (config_.bit_error_rate > 0) {
        good = !hit_by_errors((u64{frame.dwords} + kFramingDwords) * kLineBits);
    }
    return config_.link == config::LinkDetail::Full ? decodes(frame) : good;
}

/// True: the receiver's FIFO is full; the frame ends later.
bool Link::held(Frame& frame)
{
    if (config_.fifo_kib == 0 || !frame.is_data || frame.from == Side::Device) {
        return false;
    }
    frame.hold_until = Picoseconds();
    call(Side::Device, frame, FramePhase::Arriving);
    const Picoseconds now = event_queue_.now();
    if (frame.hold_until <= now) {
        return false;
    }
    stats_.held += frame.hold_until - now;
    timer_.arm(frame.hold_until);
    return true;
}

void Link::count(const Frame& frame)
{
    const bool from_host = frame.from == Side::Host;
    LinkStats::Direction& direction = from_host ? stats_.from_host : stats_.from_device;
    ++direction.frames;
    direction.data_frames += frame.is_data;
    direction.payload_bytes += u64{frame.sectors} * 512;
    direction.busy += event_queue_.now() - start_;
    if (observer_ != nullptr) {
        observer_->on_frame(frame, start_, event_queue_.now());
    }
    start_ = event_queue_.now(); // all of it is counted
}

void Link::reset()
{
    Frame nothing;
    ++stats_.resets;
    reset_asked_ = false;
    down_ = true;
    if (current_ != nullptr) {
        (current_->from == Side::Host ? stats_.from_host : stats_.from_device).busy +=
            event_queue_.now() - start_;
        current_->release();
        current_ = nullptr;
    }
    for (Queue& queue : queues_) {
        while (queue.head != nullptr) {
            queue.pop()->release();
        }
    }
    calling_ = true;
    call(Side::Host, nothing, FramePhase::Reset);
    call(Side::Device, nothing, FramePhase::Reset);
    calling_ = false;
    slow_down(nothing.rate_limit);
    timer_.arm(event_queue_.now() + config_.comreset);
}

/// The rate that both ends agree on after a COMRESET; each step down halves it.
void Link::slow_down(u32 limit)
{
    if (limit == 0 || limit >= config_.gbps_tenths) {
        return;
    }
    for (u32 rate = config_.gbps_tenths; rate > limit; rate /= 2) {
        config_.bit_error_rate *= config_.slower_error_factor;
    }
    config_.gbps_tenths = stats_.gbps_tenths = limit;
    if (config_.bit_error_rate > 0) {
        draw_gap();
    }
}

void Link::on_timer()
{
    down_ = false;
    if (current_ != nullptr) {
        Frame& frame = *current_;
        if (held(frame)) {
            return;
        }
        if (!arrives(frame)) {
            LinkStats::Direction& direction =
                frame.from == Side::Host ? stats_.from_host : stats_.from_device;
            ++direction.repeated;
            if (attempts_++ == config_.retries) {
                reset();
                return;
            }
            direction.busy += event_queue_.now() - start_;
            start_ = event_queue_.now();
            frame_end_ = start_ + frame_time(config_, frame.dwords);
            timer_.arm(frame_end_);
            return;
        }
        count(frame);
        // What the ends send now waits until both have seen the frame's end.
        current_ = nullptr;
        calling_ = true;
        if (frame.notify_sent) {
            call(frame.from, frame, FramePhase::Sent);
        }
        call(frame.from == Side::Host ? Side::Device : Side::Host, frame, FramePhase::Arrived);
        calling_ = false;
        if (reset_asked_) {
            reset();
            return;
        }
    }
    start_next();
}

} // namespace tlmssd::sata
