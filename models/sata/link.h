// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SATA link: one half-duplex medium for frames, with 8b/10b and handshake time.
#pragma once

#include "models/config/config.h"
#include "models/sata/frame.h"
#include "models/sata/line.h"
#include "models/time/event_queue.h"

namespace tlmssd::sata {

/// Time on the line of a frame with `fis_dwords` (docs/explanation/sata.md, equation 1). A dword is 40 bits on
/// the line. Rounded up to whole picoseconds once a frame.
Picoseconds frame_time(const config::Sata& config, u32 fis_dwords);

/// Sees every frame when its last dword has passed (waves, timeline). May be absent.
class LinkObserverIf {
public:
    virtual ~LinkObserverIf() = default;
    virtual void on_frame(const Frame& frame, Picoseconds start, Picoseconds end) = 0;
};

/// Counted for each direction, by sender.
struct LinkStats {
    struct Direction {
        u64 frames = 0;
        u64 data_frames = 0;
        u64 payload_bytes = 0; ///< of data FISes
        Picoseconds busy;      ///< sum of frame times
        u64 repeated = 0;      ///< frames that were answered with R_ERR
    };
    Direction from_host;
    Direction from_device;
    Picoseconds held; ///< part of from_host.busy: HOLD and HOLDA
    u64 resets = 0;   ///< COMRESET
    u32 gbps_tenths = 0; ///< line rate now
};

/// Carries one frame at a time. Four queues: whenever the medium is free the next frame is taken
/// from: device FISes, host FISes, device data, host data. A frame is never split. A frame that meets
/// bit errors is sent again at once, in the same time; when that has not helped `sata.retries`
/// times, the link is reset (COMRESET).
class Link : public sc_core::sc_module, public LinkFwIf {
public:
    LinkSocket host_socket;
    LinkSocket device_socket;

    /// `seed`: of the bit errors.
    Link(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Sata& config,
         u64 seed = 0);

    const LinkStats& stats() const { return stats_; }
    /// stats().from_host.busy or from_device.busy, and the part that has passed of the frame on the
    /// line.
    Picoseconds busy(Side from, Picoseconds now) const;
    void observe(LinkObserverIf* observer) { observer_ = observer; }

private:
    struct Queue {
        Frame* head = nullptr;
        Frame* tail = nullptr;
        void push(Frame& frame);
        Frame* pop();
    };

    tlm::tlm_sync_enum nb_transport_fw(Frame& frame, FramePhase& phase,
                                       sc_core::sc_time& delay) override;
    void start_next();
    void on_timer();
    void start(Frame& frame);
    bool held(Frame& frame);
    bool arrives(Frame& frame);
    void count(const Frame& frame);
    bool hit_by_errors(u64 bits);
    void draw_gap();
    bool decodes(Frame& frame);
    void reset();
    void slow_down(u32 gbps_tenths);
    void call(Side side, Frame& frame, FramePhase phase);

    time::EventQueue& event_queue_;
    config::Sata config_;
    time::Timer timer_;
    Queue queues_[4]; ///< in order of service
    Frame* current_ = nullptr;
    Picoseconds start_;
    Picoseconds frame_end_; ///< without HOLD
    bool calling_ = false;  ///< inside calls to the ends
    bool reset_asked_ = false;
    bool down_ = false;     ///< from COMRESET on
    u32 attempts_ = 0;      ///< of the frame on the line
    u64 seed_;
    u64 draws_ = 0;
    u64 gap_ = 0;           ///< bits until the next error
    BitErrors errors_;      ///< of the frame on the line
    LineSender senders_[2]; ///< `link: full`, by Side
    LineReceiver receiver_;
    std::vector<LineDword> line_;
    LinkStats stats_;
    LinkObserverIf* observer_ = nullptr;
};

} // namespace tlmssd::sata
