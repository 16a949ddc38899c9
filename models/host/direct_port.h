// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a host port without a link: commands arrive at once, data cost DRAM time only.
#pragma once

#include <array>

#include "models/common/dram_if.h"
#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/common/host_port.h"
#include "models/host/device_link_if.h"
#include "models/time/event_wheel.h"

namespace tlmssd::host {

/// Both ends of `host.kind: direct`. Data move into or out of DRAM at the end of their transfer.
class DirectPort : public sc_core::sc_module, public DeviceLinkIf, public HostPortIf {
public:
    DirectPort(sc_core::sc_module_name name, time::EventWheel& wheel, const Geometry& geometry,
               DramIf& dram);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void bind(LinkClientIf& client) override { client_ = &client; }

    void submit(const hal_host_command& command) override;
    bool queues_trim() const override { return true; }

    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

private:
    static constexpr u32 kMaxTags = 256;
    struct Command {
        u64 lba = 0;
        u32 sectors = 0;
        u8 opcode = 0; ///< 0: the tag is free
    };
    struct Transfer {
        hal_host_dma dma{};
        Picoseconds end;
    };

    void check(const hal_host_dma& dma) const;
    void on_timer();
    void finish(const hal_host_dma& dma);

    time::EventWheel& wheel_;
    DramIf& dram_;
    HostSinkIf* sink_ = nullptr;
    LinkClientIf* client_ = nullptr;
    time::Timer timer_;
    u32 unit_mask_; ///< sectors a unit - 1
    std::array<Command, kMaxTags> commands_{};
    Fifo<Transfer> transfers_{64}; ///< in order of their ends, as DRAM serves first come first
};

} // namespace tlmssd::host
