// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a host port without frames: commands arrive at once, data cost DRAM time and, where the
// configuration gives a rate, the time of a full-duplex link.
#pragma once

#include <array>

#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/interfaces/device_link_if.h"
#include "models/interfaces/dram_if.h"
#include "models/interfaces/host_port.h"
#include "models/time/event_queue.h"

namespace tlmssd::host {

/// Both ends of `host.kind: direct`. Data move into or out of DRAM at the end of their transfer. With a
/// rate they pass a link too, first come first served in each direction: data of a read once all of the
/// transfer has left DRAM, data of a write before they go to DRAM (docs/explanation/host.md).
class DirectPort : public sc_core::sc_module, public DeviceLinkIf, public HostPortIf {
public:
    /// `mb_per_s`: of the link in each direction, 10^6 B/s; 0: no link.
    DirectPort(sc_core::sc_module_name name, time::EventQueue& event_queue, const Geometry& geometry,
               DramIf& dram, double mb_per_s = 0);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void bind(LinkClientIf& client) override { client_ = &client; }
    /// Told of data on the link; needs a rate.
    void observe(HostDmaObserverIf& observer) { observer_ = &observer; }

    /// Time for which the link has carried data in that direction until `now`; 0 without a rate.
    Picoseconds busy_to_host(Picoseconds now) const { return to_host_.busy(now); }
    Picoseconds busy_to_device(Picoseconds now) const { return to_device_.busy(now); }

    void submit(const hal_host_command& command) override;
    bool queues_trim() const override { return true; }

    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

private:
    static constexpr u32 kMaxTags = HAL_HOST_TAGS;
    struct Command {
        u64 lba = 0;
        u32 sectors = 0;
        u8 opcode = 0; ///< 0: the tag is free
    };
    struct Transfer {
        hal_host_dma dma{};
        Picoseconds end;
    };
    struct Moving {
        hal_host_dma dma{};
        DramEnd end;
    };
    /// One direction of the link. Bookings lie back to back, so the rest after `now` is all busy.
    struct Lane {
        Fifo<Transfer> transfers{64};
        Picoseconds free;   ///< end of what is booked
        Picoseconds booked; ///< sum of the times

        Picoseconds busy(Picoseconds now) const { return free > now ? booked - (free - now) : booked; }
    };

    void check(const hal_host_dma& dma) const;
    void on_timer();
    void to_dram(const hal_host_dma& dma);
    void to_link(Lane& lane, const hal_host_dma& dma);
    void arm();
    void finish(const hal_host_dma& dma);

    time::EventQueue& event_queue_;
    DramIf& dram_;
    HostSinkIf* sink_ = nullptr;
    LinkClientIf* client_ = nullptr;
    HostDmaObserverIf* observer_ = nullptr;
    time::Timer timer_;
    u32 unit_mask_; ///< sectors per unit - 1
    std::array<Command, kMaxTags> commands_{};
    Fifo<Moving> transfers_{64}; ///< in order of their ends, as DRAM serves one master first come first
    double byte_ps_;               ///< of the link; 0: no link
    Lane to_host_;
    Lane to_device_;
};

} // namespace tlmssd::host
