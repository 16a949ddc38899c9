// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SATA link: one half-duplex medium for frames, with 8b/10b and handshake time.
#pragma once

#include "models/config/config.h"
#include "models/sata/frame.h"
#include "models/time/event_wheel.h"

namespace tlmssd::sata {

/// Time on the line of a frame with `fis_dwords` (docs/sata.md, equation 1). A dword is 40 bits on
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
    };
    Direction from_host;
    Direction from_device;
};

/// Carries one frame at a time. Four queues: whenever the medium is free the next frame is taken
/// from: device FISes, host FISes, device data, host data. A frame is never split.
class Link : public sc_core::sc_module, public LinkFwIf {
public:
    LinkSocket host_socket;
    LinkSocket device_socket;

    Link(sc_core::sc_module_name name, time::EventWheel& wheel, const config::Sata& config);

    const LinkStats& stats() const { return stats_; }
    void reset_stats() { stats_ = LinkStats(); }
    /// stats().from_host.busy or from_device.busy, and the part of the frame under way that has passed.
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
    void call(Side side, Frame& frame, FramePhase phase);

    time::EventWheel& wheel_;
    config::Sata config_;
    time::Timer timer_;
    Queue queues_[4]; ///< in order of service
    Frame* current_ = nullptr;
    Picoseconds start_;
    LinkStats stats_;
    LinkObserverIf* observer_ = nullptr;
};

} // namespace tlmssd::sata
