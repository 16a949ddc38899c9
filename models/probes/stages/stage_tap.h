// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a tap at the host side of the HAL, between host port and CPU, for the stages of requests.
#pragma once

#include "models/interfaces/host_port.h"
#include "models/probes/stages/stage_tracker.h"
#include "models/time/event_queue.h"

namespace tlmssd::probes {

/// Passes everything on, to the tracker first. Costs no simulated time.
class StageTap final : public HostPortIf, public HostSinkIf {
public:
    StageTap(const time::EventQueue& event_queue, StageTracker& tracker, HostPortIf& port,
             HostSinkIf& cpu)
        : event_queue_(event_queue), tracker_(tracker), port_(port), cpu_(cpu)
    {
    }

    void start_dma(const hal_host_dma& dma) override
    {
        tracker_.on_dma_start(dma.tag, dma.cookie, event_queue_.now());
        port_.start_dma(dma);
    }
    void complete(u32 tag, u32 status) override
    {
        tracker_.on_completing(tag, event_queue_.now());
        port_.complete(tag, status);
    }
    void on_host_command(const hal_host_command& command) override
    {
        tracker_.on_command(command.tag, event_queue_.now());
        cpu_.on_host_command(command);
    }
    void on_host_dma_done(u32 tag, u32 cookie) override
    {
        tracker_.on_dma_done(tag, cookie & ~HAL_HOST_DMA_ABORTED, event_queue_.now());
        cpu_.on_host_dma_done(tag, cookie);
    }

private:
    const time::EventQueue& event_queue_;
    StageTracker& tracker_;
    HostPortIf& port_;
    HostSinkIf& cpu_;
};

} // namespace tlmssd::probes
