// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a tap at the host side of the HAL that shows commands as requests, where no initiator does.
#pragma once

#include <array>

#include "models/host/initiator.h"
#include "models/interfaces/host_port.h"
#include "models/time/event_queue.h"

namespace tlmssd::probes {

/// Passes everything on. A request is issued when the port hands its command to the CPU, and it has ended when the
/// port learns so: before the port's own completion. Costs no simulated time.
class RequestTap final : public HostPortIf, public HostSinkIf {
public:
    RequestTap(const time::EventQueue& event_queue, host::RequestObserverIf& observer, HostPortIf& port)
        : event_queue_(event_queue), observer_(observer), port_(port)
    {
    }
    void bind(HostSinkIf& cpu) { cpu_ = &cpu; }

    void on_host_command(const hal_host_command& command) override
    {
        Open& o = open_[command.tag];
        o = Open{command, event_queue_.now()};
        observer_.on_issued({o.command, 0, o.begun, o.begun, Picoseconds(), 0});
        cpu_->on_host_command(command);
    }
    void start_dma(const hal_host_dma& dma) override
    {
        if (dma.complete) {
            open_[dma.tag].last = dma.cookie;
        }
        port_.start_dma(dma);
    }
    void on_host_dma_done(u32 tag, u32 cookie) override
    {
        const bool ends = open_[tag].last == (cookie & ~HAL_HOST_DMA_ABORTED);
        cpu_->on_host_dma_done(tag, cookie);
        if (ends) { // the port completes the command next
            end(tag, HAL_HOST_OK);
        }
    }
    void complete(u32 tag, u32 status) override
    {
        end(tag, status); // the port may hand out the next command of this tag
        port_.complete(tag, status);
    }

private:
    static constexpr u32 kNone = ~u32{0}; ///< no cookie: it has the bit of an abort
    struct Open {
        hal_host_command command{}; ///< opcode 0: the tag is free
        Picoseconds begun;
        u32 last = kNone; ///< cookie of the transfer that ends it
    };

    void end(u32 tag, u32 status)
    {
        Open& o = open_[tag];
        if (o.command.opcode != 0) {
            observer_.on_request({o.command, 0, o.begun, o.begun, event_queue_.now(), status});
            o = Open();
        }
    }

    const time::EventQueue& event_queue_;
    host::RequestObserverIf& observer_;
    HostPortIf& port_;
    HostSinkIf* cpu_ = nullptr;
    std::array<Open, HAL_HOST_TAGS> open_{};
};

} // namespace tlmssd::probes
