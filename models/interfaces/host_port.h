// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host side of the HAL in hardware: the host port and the CPU that serves it.
#pragma once

#include "firmware/hal/hal.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd {

/// Requests of the CPU (firmware) to the host port. Called at the time the output becomes visible.
class HostPortIf {
public:
    virtual ~HostPortIf() = default;
    /// Start a transfer; ends with HostSinkIf::on_host_dma_done(tag, cookie), perhaps inside this call
    /// where the host's command has been aborted.
    virtual void start_dma(const hal_host_dma& dma) = 0;
    /// Report a command's end to the host (write, flush, trim, or an error).
    virtual void complete(u32 tag, u32 status) = 0;
};

/// Events of the host port for the CPU.
class HostSinkIf {
public:
    virtual ~HostSinkIf() = default;
    virtual void on_host_command(const hal_host_command& command) = 0;
    /// `cookie` with HAL_HOST_DMA_ABORTED: a transfer from the host that did not take place.
    virtual void on_host_dma_done(u32 tag, u32 cookie) = 0;
};

/// Follows the data of host transfers on a port with a link. May be absent; must not call back.
class HostDmaObserverIf {
public:
    virtual ~HostDmaObserverIf() = default;
    /// Data of a read: DRAM gives the first of them at `at`, from then on the link has them.
    virtual void on_dma_on_link(u32 tag, u32 cookie, Picoseconds at) = 0;
    /// Data of a write: the last of them have reached the device and go to DRAM.
    virtual void on_dma_off_link(u32 tag, u32 cookie, Picoseconds now) = 0;
};

} // namespace tlmssd
