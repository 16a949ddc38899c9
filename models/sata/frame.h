// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the payload of the SATA link, its pool, its TLM protocol and its sockets.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>

#include "models/common/picoseconds.h"
#include "models/common/tag.h"
#include "models/sata/fis.h"
#include "models/sata/identify.h"

namespace tlmssd::sata {

enum class Side : u8 { Host = 0, Device = 1 };

class FramePool;

/// One FIS on its way. Taken from the sender's pool; the receiver gives it back with release().
struct Frame {
    static constexpr u32 kMaxTags = kMaxDataBytes / 512 + 1;

    FisBytes fis{};
    Side from = Side::Host;
    bool is_data = false;     ///< data FISes wait for all others
    bool notify_sent = false; ///< the sender wants FramePhase::Sent
    bool started = false;     ///< set by the link: too late to change it
    bool is_block = false;    ///< data FIS: `block` has the payload
    u32 dwords = 0;           ///< of the FIS, payload included; no SOF, CRC, EOF
    u32 sectors = 0;          ///< data FIS: 512-byte sectors of payload
    Picoseconds ready_at;     ///< not sent before: the end of the DRAM read of its payload
    std::array<UnitTag, kMaxTags> tags{}; ///< data FIS: tag of each unit it touches
    std::unique_ptr<u8[]> bytes;          ///< data FIS: kMaxDataBytes of space where bytes travel
    std::unique_ptr<Block> block;         ///< data FIS that neither comes from nor goes to DRAM
    u32 rate_limit = 0;                   ///< FramePhase::Reset: the host's answer, 0.1 Gb/s; 0: none
    Picoseconds hold_until;               ///< FramePhase::Arriving: the receiver's answer
    Frame* next = nullptr;                ///< in the link's queue or the pool
    FramePool* home = nullptr;

    void release();
};

/// Frames of one sender; allocates only when more are in flight than before.
class FramePool {
public:
    /// `bytes`: data FISes carry their payload's bytes and its tags.
    explicit FramePool(Side side, bool bytes = false) : side_(side), bytes_(bytes) {}
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    Frame& take(u32 dwords)
    {
        if (free_ == nullptr) {
            frames_.emplace_back();
            frames_.back().home = this;
            frames_.back().from = side_;
            free_ = &frames_.back();
        }
        Frame& frame = *free_;
        free_ = frame.next;
        frame.next = nullptr;
        frame.is_data = frame.notify_sent = frame.started = frame.is_block = false;
        frame.dwords = dwords;
        frame.sectors = 0;
        frame.ready_at = Picoseconds();
        return frame;
    }
    Frame& take_data(u32 sectors)
    {
        Frame& frame = take(kDataHeaderDwords + sectors * 128);
        frame.is_data = true;
        frame.sectors = sectors;
        pack_data(frame.fis);
        if (bytes_ && !frame.bytes) {
            frame.bytes = std::make_unique<u8[]>(kMaxDataBytes);
        }
        return frame;
    }

    /// A data FIS with 512 bytes that the caller fills in.
    Frame& take_block()
    {
        Frame& frame = take(kDataHeaderDwords + 128);
        frame.is_data = frame.is_block = true;
        frame.sectors = 1;
        pack_data(frame.fis);
        if (!frame.block) {
            frame.block = std::make_unique<Block>();
        }
        return frame;
    }

private:
    friend struct Frame;
    std::deque<Frame> frames_;
    Frame* free_ = nullptr;
    Side side_;
    bool bytes_;
};

inline void Frame::release()
{
    next = home->free_;
    home->free_ = this;
}

/// The protocol: a port hands over a frame with nb_transport_fw(Queue), which answers TLM_ACCEPTED.
/// When its last dword has passed, the link calls nb_transport_bw(Sent) of the sender if the frame
/// asks for it, then nb_transport_bw(Arrived) of the receiver, which then owns the frame. Where the
/// device has a FIFO, it is asked before (Arriving) until when it holds a data FIS back. The time
/// of a call is the model's now; the sc_time argument is always zero.
/// A link that computes bits asks the sender that wants Sent for the payload first (Filling).
/// Reset: forward, the host's COMRESET; backward, both ports get it, the host first: all frames
/// that were queued or on the line are gone, frames queued from now on wait until the link is up.
/// Its frame has no meaning but that the host may lower the line rate (rate_limit, as SControl.SPD).
enum class FramePhase : u8 { Queue, Filling, Sent, Arriving, Arrived, Reset };

struct SataProtocol {
    using tlm_payload_type = Frame;
    using tlm_phase_type = FramePhase;
};

class LinkFwIf : public virtual tlm::tlm_fw_nonblocking_transport_if<Frame, FramePhase> {
public:
    using protocol_types = SataProtocol;
};

class LinkBwIf : public virtual tlm::tlm_bw_nonblocking_transport_if<Frame, FramePhase> {
public:
    using protocol_types = SataProtocol;
};

using PortSocket = tlm::tlm_base_initiator_socket<32, LinkFwIf, LinkBwIf>; ///< of a port
using LinkSocket = tlm::tlm_base_target_socket<32, LinkFwIf, LinkBwIf>;    ///< of the link

/// Hand `frame` to the link. The frame belongs to the link from here on.
inline void queue_frame(PortSocket& socket, Frame& frame)
{
    FramePhase phase = FramePhase::Queue;
    sc_core::sc_time zero;
    socket->nb_transport_fw(frame, phase, zero);
}

} // namespace tlmssd::sata
